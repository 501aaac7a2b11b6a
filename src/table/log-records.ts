/** Files and commits of a table as plain objects. */
import type { AddFile, Commit, DeletionVectorDescriptor } from '../kernel/index.ts'
import type { ListedFile } from '../operations/index.ts'
import { isJsonObject, parseJson } from '../support/index.ts'
import { type TextRecord, textRecord } from './records.ts'

export interface FileRecord {
  /** as the log has it */
  readonly path: string
  /** texts as in the log, by physical name */
  readonly partitionValues: TextRecord
  readonly size: number
  readonly modificationTime: number
  /** rows in the file, deleted ones included; null where the log does not say */
  readonly numRecords: number | null
  /** JSON text, or null */
  readonly stats: string | null
  readonly deletionVector: DeletionVectorDescriptor | null
  /** whether a scan with the predicate reads it */
  readonly read: boolean
  /** why, where a predicate was given */
  readonly reason: string | null
}

export function fileRecord({ file, read, reason }: ListedFile): FileRecord {
  return {
    path: file.path,
    partitionValues: textRecord(file.partitionValues),
    size: file.size,
    modificationTime: file.modificationTime,
    numRecords: numRecordsOf(file),
    stats: file.stats ?? null,
    deletionVector: file.deletionVector ?? null,
    read,
    reason: reason ?? null,
  }
}

/** Statistics that cannot be read say nothing. */
function numRecordsOf(file: AddFile): number | null {
  if (file.stats === undefined) return null
  try {
    const stats = parseJson(file.stats)
    return isJsonObject(stats) && typeof stats.numRecords === 'number' ? stats.numRecords : null
  } catch {
    return null
  }
}

export interface CommitRecord {
  readonly version: number
  readonly operation: string | null
  /** paths as the log has them */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** kinds of the other actions, such as `metaData` */
  readonly others: readonly string[]
}

export function commitRecord(commit: Commit): CommitRecord {
  const added: string[] = []
  const removed: string[] = []
  const others: string[] = []
  let operation: string | null = null
  for (const action of commit.actions) {
    if ('add' in action) added.push(action.add.path)
    else if ('remove' in action) removed.push(action.remove.path)
    else if ('commitInfo' in action) {
      operation = typeof action.commitInfo.operation === 'string' ? action.commitInfo.operation : null
    } else others.push(Object.keys(action)[0] ?? 'unknown')
  }
  return { version: commit.version, operation, added, removed, others }
}
