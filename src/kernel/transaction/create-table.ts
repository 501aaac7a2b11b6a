/** The first commit of a table. */
import { deltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { LogEngine } from '../snapshot/file-index.ts'
import type { CommitOptions, CommitOutcome } from './commit.ts'
import type { Transaction } from './transaction.ts'
import type { TransactionOptions } from './transaction-plan.ts'

/** What a table is to be. */
export interface TableSpec {
  readonly schema: StructType
  /** logical names of top-level columns, in order */
  readonly partitionColumns?: readonly string[]
  /** properties as the user gives them, requests such as `delta.feature.x=supported` included */
  readonly configuration?: ReadonlyMap<string, string>
  readonly name?: string
  readonly description?: string
}

/**
 * Starts the first commit of a table, with its metadata and the lowest protocol that holds its features; data files
 * can be added to it. The outcome is a conflict with `DELTA_TABLE_ALREADY_EXISTS` when somebody else was first.
 *
 * @throws DeltaError `DELTA_DUPLICATE_COLUMNS_FOUND`, `DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES`,
 * `DELTA_COLUMN_NOT_FOUND_IN_SCHEMA`, `DELTA_INVALID_PARTITION_COLUMN_TYPE`, `DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION`,
 * `DELTA_UNKNOWN_CONFIGURATION`, `DELTA_UNSUPPORTED_FEATURES_IN_CONFIG`
 */
export function beginCreate(
  store: ObjectStore,
  _log: LogEngine,
  _spec: TableSpec,
  _options: TransactionOptions,
): Transaction {
  throw deltaError('LAKE_INTERNAL', { what: `a table can be created at ${store.location}` })
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
