/** How the TypeScript engine keeps logs: checkpoints by the Parquet layer, live files in arrays. */
import { arrayFileIndex, type LogEngine } from '../../kernel/index.ts'
import { readCheckpoint } from './read-checkpoint.ts'

export const jsLogEngine: LogEngine = {
  openFileIndex: (source) => arrayFileIndex(source, readCheckpoint),
  readCheckpoint,
  async writeCheckpoint(...call) {
    const { writeCheckpoint } = await import('./write-checkpoint.ts')
    return await writeCheckpoint(...call)
  },
}
