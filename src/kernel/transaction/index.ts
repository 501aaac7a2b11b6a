export { type CommitOptions, type CommitOutcome, requireCommitted } from './commit.ts'
export { beginCreate, createTable, type TableSpec } from './create-table.ts'
export { beginTransaction, Transaction, type TransactionBase } from './transaction.ts'
export type { MetricValue, TransactionOptions, TransactionPlan, TransactionReads } from './transaction-plan.ts'
