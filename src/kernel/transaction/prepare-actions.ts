/** The actions of one try at one version: what depends on the version and the time is filled in here. */
import type { Action, Metadata } from '../actions/actions.ts'
import { property } from '../properties/index.ts'
import type { CommitGround } from './commit.ts'
import { commitInfo } from './commit-info.ts'
import type { Transaction } from './transaction.ts'

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
  const usesInCommitTimestamps = property(metadata.configuration, 'enableInCommitTimestamps')
  const timestampMs = usesInCommitTimestamps ? Math.max(context.nowMs, ground.timestampMs + 1) : context.nowMs
  const times = { timestampMs, inCommitTimestampMs: usesInCommitTimestamps ? timestampMs : undefined }
  const enabled = plan.metadata && markEnablement(plan.metadata, ground, timestampMs)
  const actions: Action[] = [
    { commitInfo: commitInfo(transaction, context.txnId, times) },
    ...(plan.protocol === undefined ? [] : [{ protocol: plan.protocol }]),
    ...(enabled === undefined ? [] : [{ metaData: enabled }]),
    ...Array.from(plan.transactions.values(), (txn) => ({ txn: { lastUpdated: timestampMs, ...txn } })),
    ...Array.from(plan.domains.values(), (domainMetadata) => ({ domainMetadata })),
    ...plan.removes.map((remove) => ({ remove: { ...remove, deletionTimestamp: timestampMs } })),
    ...plan.adds.map((add) => ({ add })),
    ...plan.cdc.map((cdc) => ({ cdc })),
  ]
  return { actions, timestampMs }
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
