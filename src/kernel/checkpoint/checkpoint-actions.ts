/** The actions of a checkpoint: the small ones at once, those of files in pages as the index gives them. */
import type { Action, RemoveFile, SetTransaction } from '../actions/actions.ts'
import { property } from '../properties/index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

/** What a checkpoint of a snapshot at a time holds besides files: protocol, metaData, applications, domains. */
export function smallActions(snapshot: Snapshot, nowMs: number): Action[] {
  const retentionMs = property(snapshot.configuration, 'setTransactionRetentionDuration')
  const oldestMs = retentionMs === undefined ? undefined : nowMs - retentionMs
  const transactions = [...snapshot.transactions.values()].filter((txn) => isKept(txn, oldestMs))
  return [
    { protocol: snapshot.protocol },
    { metaData: snapshot.metadata },
    ...transactions.map((txn) => ({ txn })),
    ...Array.from(snapshot.domains.values(), (domainMetadata) => ({ domainMetadata })),
  ]
}

/** A table that forgets its applications after a while keeps those that do not say when they last wrote. */
function isKept(txn: SetTransaction, oldestMs: number | undefined): boolean {
  return oldestMs === undefined || txn.lastUpdated === undefined || txn.lastUpdated > oldestMs
}

/** The live files, then the tombstones that still count. */
export async function* fileActions(snapshot: Snapshot, nowMs: number): AsyncGenerator<readonly Action[]> {
  for await (const page of snapshot.files.select()) yield page.map((add) => ({ add: { ...add, dataChange: false } }))
  const expiredBeforeMs = nowMs - property(snapshot.configuration, 'deletedFileRetentionDuration')
  for await (const page of snapshot.files.tombstones(expiredBeforeMs)) {
    yield page.map((remove) => ({ remove: asTombstone(remove) }))
  }
}

function asTombstone(remove: RemoveFile): RemoveFile {
  const { stats: _, tags: __, ...kept } = remove
  return { ...kept, dataChange: false }
}

/** What went by. */
export interface ActionTally {
  actions: number
  adds: number
}

export async function* tallied(
  pages: AsyncIterable<readonly Action[]>,
  tally: ActionTally,
): AsyncGenerator<readonly Action[]> {
  for await (const page of pages) {
    tally.actions += page.length
    for (const action of page) if ('add' in action) tally.adds++
    yield page
  }
}

/**
 * Pages in runs of at most so many actions; each run is read to its end before the next is asked for.
 *
 * An iteration without actions gives no run.
 */
export async function* runsOf(
  pages: AsyncIterable<readonly Action[]>,
  limit: number,
): AsyncGenerator<AsyncIterable<readonly Action[]>> {
  const source = pages[Symbol.asyncIterator]()
  let rest: readonly Action[] = []
  const refill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const next = await source.next()
      if (next.done) return false
      rest = next.value
    }
    return true
  }
  async function* run(): AsyncGenerator<readonly Action[]> {
    for (let left = limit; left > 0 && (await refill()); ) {
      const page = rest.slice(0, left)
      rest = rest.slice(left)
      left -= page.length
      yield page
    }
  }
  while (await refill()) yield run()
}
