/** The commitInfo of a commit, its keys under the reference's names and in its order. */
import type { JsonObject } from '../../support/index.ts'
import type { Transaction } from './transaction.ts'
import { changesData, isBlindAppend } from './transaction-plan.ts'

/** What stands in for a caller that does not name itself. */
export const ENGINE_INFO = 'bayou'

export interface CommitTimes {
  /** milliseconds */
  readonly timestampMs: number
  /** where the table has in-commit timestamps */
  readonly inCommitTimestampMs: number | undefined
}

/** @param txnId the token by which the commit is known again when an answer was lost */
export function commitInfo(transaction: Transaction, txnId: string, times: CommitTimes): JsonObject {
  const { plan, options, base } = transaction
  const metrics = Array.from(plan.metrics, ([name, value]): [string, string] => [name, String(value)])
  return {
    inCommitTimestamp: times.inCommitTimestampMs,
    timestamp: times.timestampMs,
    userName: options.userName,
    operation: options.operation,
    operationParameters: options.operationParameters ?? {},
    readVersion: base.snapshot?.version,
    isolationLevel: isolationOf(transaction),
    isBlindAppend: isBlindAppend(plan),
    operationMetrics: Object.fromEntries(metrics),
    userMetadata: options.userMetadata,
    tags: options.tags,
    engineInfo: options.engineInfo ?? ENGINE_INFO,
    txnId,
  }
}

export type IsolationLevel = 'Serializable' | 'WriteSerializable' | 'SnapshotIsolation'

/**
 * Serializable, or what the table says; SnapshotIsolation for a commit that only rearranges files, or says nothing.
 *
 * Source: `delta-protocol`, committing
 */
export function isolationOf(transaction: Transaction): IsolationLevel {
  const { plan } = transaction
  const movesFiles = plan.adds.length > 0 || plan.removes.length > 0 || plan.refreshed.length > 0
  const saysMore = plan.metadata !== undefined || plan.protocol !== undefined || plan.transactions.size > 0
  const isQuiet = !saysMore && (movesFiles || plan.domains.size === 0)
  if (isQuiet && !changesData(plan)) return 'SnapshotIsolation'
  if (transaction.options.isolationLevel !== undefined) return transaction.options.isolationLevel
  const wanted = transaction.metadata.configuration.get('delta.isolationLevel')
  return wanted === 'WriteSerializable' ? 'WriteSerializable' : 'Serializable'
}
