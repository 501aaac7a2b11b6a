/** The actions of one try at one version: what depends on the version and the time is filled in here. */
import type { Action, AddFile, DomainMetadata, Metadata, Protocol } from '../actions/actions.ts'
import { supportsFeature } from '../features/index.ts'
import { property } from '../properties/index.ts'
import { assignRowIds, assignsRowIds, rowTrackingDomain } from '../row-tracking/row-ids.ts'
import type { CommitGround } from './commit.ts'
import { commitInfo } from './commit-info.ts'
import type { Transaction } from './transaction.ts'
import type { TransactionPlan } from './transaction-plan.ts'

export interface TryContext {
  readonly txnId: string
  readonly nowMs: number
}

export interface PreparedCommit {
  /** commitInfo first */
  readonly actions: readonly Action[]
  readonly timestampMs: number
}

export function prepareActions(transaction: Transaction, ground: CommitGround, context: TryContext): PreparedCommit {
  const { plan } = transaction
  const metadata = plan.metadata ?? ground.metadata!
  const protocol = (plan.protocol ?? ground.protocol)!
  const usesInCommitTimestamps =
    property(metadata.configuration, 'enableInCommitTimestamps') || supportsFeature(protocol, 'catalogManaged')
  const timestampMs = usesInCommitTimestamps ? Math.max(context.nowMs, ground.timestampMs + 1) : context.nowMs
  const times = { timestampMs, inCommitTimestampMs: usesInCommitTimestamps ? timestampMs : undefined }
  const enabled = plan.metadata && markEnablement(plan.metadata, ground, timestampMs)
  const { adds, domains } = withRowIds(plan, { protocol, metadata, ground })
  const actions: Action[] = [
    { commitInfo: commitInfo(transaction, context.txnId, times) },
    ...(plan.protocol === undefined ? [] : [{ protocol: plan.protocol }]),
    ...(enabled === undefined ? [] : [{ metaData: enabled }]),
    ...Array.from(plan.transactions.values(), (txn) => ({ txn: { lastUpdated: timestampMs, ...txn } })),
    ...domains.map((domainMetadata) => ({ domainMetadata })),
    ...plan.removes.map((remove) => ({ remove: { ...remove, deletionTimestamp: timestampMs } })),
    ...adds.map((add) => ({ add })),
    ...plan.cdc.map((cdc) => ({ cdc })),
  ]
  return { actions, timestampMs }
}

interface RowIdContext {
  readonly protocol: Protocol
  readonly metadata: Metadata
  readonly ground: CommitGround
}

/** The files with ids for their rows and the domains with the new mark, where the table tracks its rows. */
function withRowIds(
  plan: TransactionPlan,
  { protocol, metadata, ground }: RowIdContext,
): { adds: readonly AddFile[]; domains: readonly DomainMetadata[] } {
  const adds = [...plan.refreshed, ...plan.adds]
  const domains = [...plan.domains.values()]
  if (adds.length === 0 || !assignsRowIds(protocol, metadata)) return { adds, domains }
  const before = ground.rowIdHighWaterMark
  const assigned = assignRowIds(adds, { highWaterMark: before, version: ground.version + 1 })
  if (assigned.highWaterMark === before) return { adds: assigned.adds, domains }
  return { adds: assigned.adds, domains: [...domains, rowTrackingDomain(assigned.highWaterMark)] }
}

/** A table that gets in-commit timestamps later says from which version and time on they count. */
function markEnablement(metadata: Metadata, ground: CommitGround, timestampMs: number): Metadata {
  const before = ground.metadata?.configuration
  const enables = property(metadata.configuration, 'enableInCommitTimestamps')
  if (before === undefined || !enables || property(before, 'enableInCommitTimestamps')) return metadata
  const configuration = new Map(metadata.configuration)
    .set('delta.inCommitTimestampEnablementVersion', String(ground.version + 1))
    .set('delta.inCommitTimestampEnablementTimestamp', String(timestampMs))
  return { ...metadata, configuration }
}
