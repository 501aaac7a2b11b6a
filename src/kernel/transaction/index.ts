export { type CommitOptions, type CommitOutcome, requireCommitted } from './commit.ts'
export { beginCreate, beginFrom, createTable } from './create-table.ts'
export { IDENTITY_MARK, withoutIdentityMarks } from './identity-marks.ts'
export {
  type MetadataChange,
  type PlannedMetadata,
  planFeatures,
  planMetadataChange,
  planNewTable,
  planReplacement,
  type TableBefore,
  type TableSpec,
} from './plan-metadata.ts'
export { impliedFeatures, mergeProtocols } from './plan-protocol.ts'
export { beginTransaction, Transaction, type TransactionBase } from './transaction.ts'
export type { MetricValue, TransactionOptions, TransactionPlan, TransactionReads } from './transaction-plan.ts'
