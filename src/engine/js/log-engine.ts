/** How the TypeScript engine keeps logs: checkpoints by the Parquet layer, live files in arrays. */
import { arrayFileIndex, type LogEngine } from '../../kernel/index.ts'
import { readCheckpoint } from './read-checkpoint.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

export const jsLogEngine: LogEngine = {
  openFileIndex: (source) => arrayFileIndex(source, readCheckpoint),
  readCheckpoint,
  writeCheckpoint,
}
