/** What an engine must know of a table to read and write its files. */
import type { StructType } from '../../schema/index.ts'
import type { HiddenColumn } from './hidden-columns.ts'

/** What the columns of a table are called in its files. Source: Delta protocol, "Column Mapping". */
export type ColumnMappingMode = 'none' | 'name' | 'id'

/** The shape of a table that its files are read and written by. */
export interface TableLayout {
  /** logical schema, partition columns included, field metadata as in the log (physical names, ids, widenings) */
  readonly schema: StructType
  /** logical names, in order */
  readonly partitionColumns: readonly string[]
  readonly columnMapping: ColumnMappingMode
  /** true: files written hold the partition columns too, which readers take from the log all the same */
  readonly storesPartitions?: boolean
  /** true: generated columns hold what their expressions give, as every writer of the table makes sure */
  readonly enforcesGeneration?: boolean
  /** where files keep the ids of rows that were moved; present exactly when the table tracks its rows */
  readonly rowTracking?: RowTrackingColumns
  /** ordinals of the schema that are no columns of the table, and what each gives; made by `withHiddenColumns` */
  readonly hidden?: ReadonlyMap<number, HiddenColumn>
}

/** Names of the columns in which a file keeps what a moved row brought along. Source: Delta protocol, "Row Tracking". */
export interface RowTrackingColumns {
  readonly rowId: string
  readonly rowCommitVersion: string
}
