/** The first commit of a table. */
import type { ObjectStore } from '../../storage/index.ts'
import { systemClock } from '../../support/index.ts'
import type { LogEngine } from '../snapshot/file-index.ts'
import type { CommitOptions, CommitOutcome } from './commit.ts'
import { planNewTable, type TableSpec } from './plan-metadata.ts'
import { Transaction } from './transaction.ts'
import { emptyPlan, type TransactionOptions, type TransactionPlan } from './transaction-plan.ts'

/**
 * Starts the first commit of a table, with its metadata and the lowest protocol that holds its features; data files
 * can be added to it. The outcome is a conflict with `DELTA_TABLE_ALREADY_EXISTS` when somebody else was first.
 *
 * @throws DeltaError those of `planNewTable`
 */
export function beginCreate(
  store: ObjectStore,
  log: LogEngine,
  spec: TableSpec,
  options: TransactionOptions & Pick<CommitOptions, 'clock'>,
): Transaction {
  const nowMs = (options.clock ?? systemClock).now()
  const { metadata, protocol } = planNewTable(spec, { nowMs, path: store.location })
  const plan = { ...emptyPlan, metadata, protocol, domains: spec.domains ?? new Map() }
  return new Transaction({ store, log, snapshot: undefined }, options, plan)
}

/** Starts the first commit of a table whose metadata, protocol and domains are those of another, planned already. */
export function beginFrom(
  store: ObjectStore,
  log: LogEngine,
  table: Pick<TransactionPlan, 'metadata' | 'protocol' | 'domains'>,
  options: TransactionOptions,
): Transaction {
  return new Transaction({ store, log, snapshot: undefined }, options, { ...emptyPlan, ...table })
}

/** Creates an empty table: `beginCreate` and its commit. */
export async function createTable(
  store: ObjectStore,
  log: LogEngine,
  spec: TableSpec,
  options: TransactionOptions & CommitOptions,
): Promise<CommitOutcome> {
  return beginCreate(store, log, spec, options).commit(options)
}
