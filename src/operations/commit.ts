/** How every command changes a table: under this package's name, in one commit, with the upkeep that is due behind it. */
import {
  afterCommit,
  beginTransaction,
  type CommitOutcome,
  requireCommitted,
  type Snapshot,
  type Transaction,
  type TransactionOptions,
} from '../kernel/index.ts'
import type { WriteTransaction } from './command-parts.ts'
import type { OperationContext } from './context.ts'
import { ENGINE_INFO } from './engine-info.ts'
import { wantsManifests, writeManifests } from './generate/generate.ts'

/**
 * Starts a change of a table.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, `DELTA_INVALID_PROTOCOL_VERSION`
 */
export function beginChange(snapshot: Snapshot, context: OperationContext, options: TransactionOptions): Transaction {
  return beginTransaction(snapshot, signed(context, options))
}

/** The options of a commit with who makes it and by what. */
export function signed({ userName }: OperationContext, options: TransactionOptions): TransactionOptions {
  return { engineInfo: ENGINE_INFO, ...(userName !== undefined && { userName }), ...options }
}

/** Whether the table has a write of an application up to a version already. */
export function isCommittedAlready(snapshot: Snapshot, transaction: WriteTransaction | undefined): boolean {
  if (transaction === undefined) return false
  const known = snapshot.transactions.get(transaction.appId)
  return known !== undefined && known.version >= transaction.version
}

/** A transaction that says for which application and version it is. */
export function marked(
  transaction: Transaction,
  mark: WriteTransaction | undefined,
  { clock }: OperationContext,
): Transaction {
  return mark === undefined ? transaction : transaction.setTransaction({ ...mark, lastUpdated: clock.now() })
}

export interface TryOptions {
  /** real losses to other writers before the commit ends as a conflict; many when absent */
  readonly maxLosses?: number
  /** told of each object put for the commit itself */
  readonly onWritten?: (key: string) => void
}

/**
 * Commits a change and does the upkeep that is due. Upkeep that fails is told of by `context.warn` and fails nothing.
 *
 * @returns a conflict or an unknown end as a value: the caller decides whether its files may go
 * @throws DeltaError what `Transaction.commit` throws: nothing was sent
 */
export async function tryCommit(
  transaction: Transaction,
  context: OperationContext,
  { maxLosses, onWritten }: TryOptions = {},
): Promise<CommitOutcome> {
  const { clock, options } = context
  const losses = { ...(maxLosses !== undefined && { maxLosses }), ...(onWritten && { onWritten }) }
  const outcome = await transaction.commit({ clock, ...losses, ...(options.signal && { signal: options.signal }) })
  if (outcome.kind !== 'committed') return outcome
  context.committed(outcome.known)
  await upkeep(outcome.version, transaction, context)
  return outcome
}

/**
 * The same for a change that has written no files.
 *
 * @returns the version made
 * @throws DeltaError conflict codes, `LAKE_COMMIT_UNKNOWN`
 */
export async function commitChange(transaction: Transaction, context: OperationContext): Promise<number> {
  return requireCommitted(await tryCommit(transaction, context))
}

async function upkeep(version: number, transaction: Transaction, context: OperationContext): Promise<void> {
  await renewManifests(transaction, context).catch((error) =>
    context.warn(`the manifests of version ${version} could not be written: ${error}`),
  )
  const { clock, logCompactionInterval: compactionInterval } = context
  const told = (failure: unknown) => context.warn(`the upkeep after version ${version} failed: ${failure}`)
  const work = async (snapshot: Snapshot) => {
    const more = compactionInterval === undefined ? {} : { compactionInterval }
    const { failures } = await afterCommit(snapshot, { version, clock, checksums: 'always', ...more })
    for (const failure of failures) told(failure)
  }
  await context.withSnapshot(undefined, work).catch(told)
}

async function renewManifests({ metadata }: Transaction, context: OperationContext): Promise<void> {
  if (!wantsManifests(metadata.configuration)) return
  await context.withSnapshot(undefined, (snapshot) => writeManifests(snapshot, undefined))
}
