/**
 * The rows that a commit changed, as files to read.
 *
 * A commit with any change file is read from those alone. Else what it added was inserted and what it removed was
 * deleted, as far as it says that data changed; of a file that only got another deletion vector the rows between the two
 * vectors. Source: Delta protocol, "Change Data Files", "Add CDC File".
 */
import { deltaError } from '../../errors/index.ts'
import { isJsonObject, JsonNumber } from '../../support/index.ts'
import type { Action, AddFile, CommitInfo, PartitionValues, RemoveFile } from '../actions/actions.ts'
import { canonicalPath } from '../paths/index.ts'
import type { ScanFile } from '../scan/scan-file.ts'
import { commitInfoOf } from '../snapshot/small-state.ts'
import { CHANGE_TYPE, type ChangeOrigin, type ChangeType, commitConstants } from './change-columns.ts'

export interface ChangedCommit {
  readonly version: number
  readonly timestampMs: number
  /** commitInfo, add, remove and cdc */
  readonly actions: readonly Action[]
  /** whether the table has partition columns */
  readonly partitioned: boolean
}

export interface CommitChanges {
  readonly origin: ChangeOrigin
  /** in the shape `changeLayout` gives for the origin; what was deleted comes before what was inserted */
  readonly files: readonly ScanFile[]
}

/** @throws DeltaError `DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA` */
export function changesOfCommit(commit: ChangedCommit): CommitChanges {
  const { actions, version, timestampMs } = commit
  const constants = commitConstants(version, timestampMs)
  const recorded = actions.flatMap((action) => ('cdc' in action ? [action.cdc] : []))
  if (recorded.length > 0) {
    const files = recorded.map(({ path, partitionValues, size }) => {
      const values = new Map([...partitionValues, ...constants])
      return { path, partitionValues: values, size, modificationTime: timestampMs, dataChange: false }
    })
    return { origin: 'recorded', files }
  }
  return { origin: 'inferred', files: isMergeOfNothing(commitInfoOf(actions)) ? [] : inferred(commit, constants) }
}

function inferred(
  { actions, version, timestampMs, partitioned }: ChangedCommit,
  constants: [string, string | null][],
): ScanFile[] {
  const adds = actions.flatMap((action) => ('add' in action && action.add.dataChange ? [action.add] : []))
  const removes = actions.flatMap((action) => ('remove' in action && action.remove.dataChange ? [action.remove] : []))
  const added = new Map(adds.map((add) => [canonicalPath(add.path), add]))
  const removed = new Map(removes.map((remove) => [canonicalPath(remove.path), remove]))
  const rows = (file: AddFile, kind: ChangeType): AddFile => {
    return { ...file, partitionValues: new Map([...file.partitionValues, [CHANGE_TYPE, kind], ...constants]) }
  }
  const deletes = removes.flatMap((remove): ScanFile[] => {
    const add = added.get(canonicalPath(remove.path))
    const values = remove.partitionValues ?? add?.partitionValues
    if (values === undefined && partitioned) throw unknownPartition(remove, version)
    const file = rows(asAdd(remove, { values, stats: add?.stats, size: add?.size, timestampMs }), 'delete')
    if (add === undefined) return [file]
    return add.deletionVector === undefined ? [] : [{ ...file, hiddenBy: add.deletionVector }]
  })
  const inserts = adds.flatMap((add): ScanFile[] => {
    const remove = removed.get(canonicalPath(add.path))
    if (remove === undefined) return [rows(add, 'insert')]
    return remove.deletionVector === undefined ? [] : [{ ...rows(add, 'insert'), hiddenBy: remove.deletionVector }]
  })
  return [...deletes, ...inserts]
}

interface Known {
  readonly values: PartitionValues | undefined
  readonly stats: string | undefined
  readonly size: number | undefined
  readonly timestampMs: number
}

/** A file as it was while it lived. */
function asAdd(remove: RemoveFile, { values, stats = remove.stats, size, timestampMs }: Known): AddFile {
  return {
    path: remove.path,
    partitionValues: values ?? new Map(),
    size: remove.size ?? size ?? 0,
    modificationTime: timestampMs,
    dataChange: true,
    ...(stats !== undefined && { stats }),
    ...(remove.deletionVector !== undefined && { deletionVector: remove.deletionVector }),
  }
}

function unknownPartition(remove: RemoveFile, version: number): Error {
  return deltaError('DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA', { file: remove.path, version })
}

/** A MERGE that changed no row may all the same write files again, and says that their data changed. */
function isMergeOfNothing(info: CommitInfo | undefined): boolean {
  if (info?.operation !== 'MERGE' || !isJsonObject(info.operationMetrics)) return false
  const metrics = info.operationMetrics
  return ['numTargetRowsInserted', 'numTargetRowsUpdated', 'numTargetRowsDeleted'].every((name) => {
    const count = metrics[name]
    return (count instanceof JsonNumber ? count.text : String(count)) === '0'
  })
}
