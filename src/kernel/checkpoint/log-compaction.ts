/**
 * Log compaction: one file that says what a run of commits comes to.
 *
 * It saves requests and nothing else: a log reads the same with every compacted file deleted. Of published commits only.
 * Source: Delta protocol, "Log Compaction Files", "Action Reconciliation".
 */
import { assert } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, mapParallel } from '../../support/index.ts'
import type { Action } from '../actions/actions.ts'
import { printActions } from '../actions/print.ts'
import { readCommit } from '../log/index.ts'
import { compactionKey } from '../paths/index.ts'
import { fileKey, fileKeyText } from '../snapshot/replay-key.ts'

export interface CompactionRange {
  readonly from: number
  /** above `from` */
  readonly to: number
}

const PARALLEL_READS = 8

/**
 * Writes the compacted file of a run of commits; one that is there is left as it is.
 *
 * @returns its key
 * @throws DeltaError what reading the commits throws; `LAKE_STORAGE_…` codes
 */
export async function compactLog(store: ObjectStore, { from, to }: CompactionRange): Promise<string> {
  assert(from < to, `a compacted file spans more than one version: ${from} to ${to}`)
  const versions = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const commits = await mapParallel(versions, PARALLEL_READS, (version) => readCommit(store, version))
  const key = compactionKey(from, to)
  await store.putIfAbsent(key, encodeUtf8(printActions(reconciled(commits.map(({ actions }) => actions)))))
  return key
}

/** The last word on each thing, in the order in which things were first spoken of. */
function reconciled(commits: readonly (readonly Action[])[]): readonly Action[] {
  const last = new Map<string, Action>()
  for (const actions of commits) {
    // within a commit order means nothing: a file both removed and added is live
    for (const action of actions) if ('remove' in action) last.set(keyOf(action)!, action)
    for (const action of actions) {
      const key = 'remove' in action ? undefined : keyOf(action)
      if (key !== undefined) last.set(key, action)
    }
  }
  return [...last.values()]
}

/** What an action speaks of; undefined where it has no say in what the table is. */
function keyOf(action: Action): string | undefined {
  if ('add' in action) return `file ${fileKeyText(fileKey(action.add))}`
  if ('remove' in action) return `file ${fileKeyText(fileKey(action.remove))}`
  if ('txn' in action) return `txn ${action.txn.appId}`
  if ('domainMetadata' in action) return `domain ${action.domainMetadata.domain}`
  if ('protocol' in action) return 'protocol'
  return 'metaData' in action ? 'metaData' : undefined
}
