/**
 * Changes of others that provably touch other rows than a transaction does, though they are in the same files.
 *
 * A transaction that rests on exactly the rows it takes out can live with a winner that deleted other rows of a file: both
 * sets of deleted rows are joined. Rows that only moved, or left files in which the transaction found none of its own, do
 * not concern it. The reference has nothing like it, so it is asked for.
 */
import type { ObjectStore } from '../../storage/index.ts'
import type { AddFile, Commit, DeletionVectorDescriptor, RemoveFile } from '../actions/actions.ts'
import { loadDeletionVector } from '../deletion-vector/load.ts'
import { RowSet } from '../deletion-vector/row-set.ts'
import { writeDeletionVectors } from '../deletion-vector/write.ts'
import { canonicalPath } from '../paths/index.ts'
import { fileMayMatch } from '../scan/file-may-match.ts'
import { deletionVectorId } from '../snapshot/replay-key.ts'
import type { Transaction } from './transaction.ts'

export interface SettledRows {
  /** the transaction, its deletion vectors joined with the winner's */
  readonly transaction: Transaction
  /** canonical paths of files of which the winner changed nothing the transaction rests on */
  readonly passed: ReadonlySet<string>
}

export interface SettleOptions {
  readonly signal?: AbortSignal
  /** told of each object that is put, which is in no commit yet */
  readonly onWritten?: (key: string) => void
}

/** A file that the winner took out and listed again, and what the transaction does to it. */
interface ReListed {
  readonly path: string
  readonly before: RemoveFile
  readonly after: AddFile
}

/**
 * Settles what can be of a winner's file actions; the rest is for the rules of conflicts.
 *
 * @throws DeltaError what reading and writing deletion vectors throws
 */
export async function settleRows(
  transaction: Transaction,
  winner: Commit,
  options: SettleOptions,
): Promise<SettledRows> {
  const { plan } = transaction
  if (!transaction.options.rowLevelConcurrency || !plan.reads.exact) return { transaction, passed: new Set() }
  const adds = winner.actions.flatMap((action) => ('add' in action ? [action.add] : []))
  const removes = winner.actions.flatMap((action) => ('remove' in action ? [action.remove] : []))
  const touched = new Set(plan.removes.map(({ path }) => canonicalPath(path)))
  const reach = removes.map(({ path }) => canonicalPath(path)).filter((path) => touched.has(path))
  // what only lists files anew is for the rules: ids it gives are taken over
  const onlyMoves = removes.length > 0 && reach.length === 0 && adds.every(({ dataChange }) => !dataChange)
  if (onlyMoves) return { transaction, passed: new Set([...adds, ...removes].map(({ path }) => canonicalPath(path))) }
  const settling = new Settling(transaction, options)
  const passed = new Set<string>()
  for (const before of removes) {
    const path = canonicalPath(before.path)
    const after = adds.find((add) => canonicalPath(add.path) === path)
    const isSettled =
      after === undefined ? !touched.has(path) : await settling.takeIn({ path, before, after }, touched.has(path))
    if (isSettled) passed.add(path)
  }
  return { transaction: await settling.finish(), passed }
}

/** A file whose vector is to be the union of both. */
interface Joined {
  readonly mine: AddFile
  readonly after: AddFile
  readonly rows: RowSet
}

class Settling {
  private readonly transaction: Transaction
  private readonly options: SettleOptions
  private readonly store: ObjectStore
  private readonly joined: Joined[] = []

  constructor(transaction: Transaction, options: SettleOptions) {
    this.transaction = transaction
    this.options = options
    this.store = transaction.base.store
  }

  /** @returns whether the winner took other rows out of the file than the transaction does, and put none back */
  async takeIn({ path, before, after }: ReListed, isTouched: boolean): Promise<boolean> {
    const { plan } = this.transaction
    if (!isTouched && !plan.reads.rules.some((rule) => fileMayMatch(rule, after))) return true
    const [old, theirs] = [await this.rowsOf(before.deletionVector), await this.rowsOf(after.deletionVector)]
    if (old.union(theirs).size !== theirs.size) return false
    if (!isTouched) return true
    const mine = plan.adds.find((add) => canonicalPath(add.path) === path)
    const base = plan.removes.find((remove) => canonicalPath(remove.path) === path)
    // vectors that do not begin at the same rows tell nothing of each other; a file without one is rewritten or gone
    if (mine?.deletionVector === undefined || base === undefined) return false
    if (deletionVectorId(base.deletionVector) !== deletionVectorId(before.deletionVector)) return false
    const own = await this.rowsOf(mine.deletionVector)
    const rows = own.union(theirs)
    if (rows.size !== own.size + theirs.size - old.size) return false
    this.joined.push({ mine, after, rows })
    return true
  }

  /** The transaction on top of the winner, its joined vectors in the store. */
  async finish(): Promise<Transaction> {
    const { joined, transaction, options, store } = this
    if (joined.length === 0) return transaction
    const { signal, onWritten } = options
    const prefix = prefixOf(joined[0]!.mine.deletionVector!)
    const sets = joined.map(({ rows }) => rows)
    const { key, descriptors } = await writeDeletionVectors(store, sets, { prefix, ...(signal && { signal }) })
    onWritten?.(key)
    const { adds, removes, refreshed } = transaction.plan
    const place = new Map(joined.map(({ mine }, i) => [canonicalPath(mine.path), i]))
    const joinedAt = ({ path }: { readonly path: string }) => place.get(canonicalPath(path))
    return transaction.rebased({
      adds: adds.map((add) => {
        const at = joinedAt(add)
        return at === undefined ? add : { ...joined[at]!.after, dataChange: true, deletionVector: descriptors[at]! }
      }),
      removes: removes.map((remove) => {
        const at = joinedAt(remove)
        return at === undefined ? remove : { ...remove, deletionVector: joined[at]!.after.deletionVector! }
      }),
      refreshed,
    })
  }

  private async rowsOf(vector: DeletionVectorDescriptor | undefined): Promise<RowSet> {
    if (vector === undefined) return RowSet.of([])
    const { signal } = this.options
    return RowSet.ofWords(await loadDeletionVector(this.store, vector, signal && { signal }))
  }
}

/** z85 of the 16 bytes of a UUID. */
const UUID_TEXT = 20

/** The folder that a vector of a table with random ones lies in. */
function prefixOf({ storageType, pathOrInlineDv }: DeletionVectorDescriptor): string {
  return storageType === 'u' ? pathOrInlineDv.slice(0, -UUID_TEXT) : ''
}
