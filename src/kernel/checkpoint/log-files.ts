/** The checkpoints of a listing. */
import type { ObjectMeta } from '../../storage/index.ts'
import type { LogName } from '../paths/index.ts'
import type { CheckpointFile } from '../snapshot/file-index.ts'

/** An object of the log folder and what its name says. */
export interface LogFile extends ObjectMeta {
  readonly name: LogName
}

export interface LogCheckpoint {
  readonly version: number
  readonly files: readonly CheckpointFile[]
}

/** Checkpoints with all of their parts, ascending; sidecars are not looked at. */
export function completeCheckpoints(files: readonly LogFile[]): LogCheckpoint[] {
  const result: LogCheckpoint[] = []
  const parts = new Map<string, { version: number; wanted: number; files: CheckpointFile[] }>()
  for (const { key, size, name } of files) {
    if (name.kind !== 'checkpoint') continue
    const { version, form } = name
    const file: CheckpointFile = { key, size, format: form.kind === 'uuid' ? form.format : 'parquet' }
    if (form.kind !== 'multi-part') {
      result.push({ version, files: [file] })
      continue
    }
    const group = `${version}/${form.parts}`
    const known = parts.get(group) ?? { version, wanted: form.parts, files: [] }
    known.files.push(file)
    parts.set(group, known)
  }
  for (const { version, wanted, files: found } of parts.values()) {
    if (found.length === wanted) result.push({ version, files: found })
  }
  return result.sort((a, b) => a.version - b.version)
}
