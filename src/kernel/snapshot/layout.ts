/** What an engine must know of a table to read and write its files. */
import type { StructType } from '../../schema/index.ts'

/** What the columns of a table are called in its files. Source: Delta protocol, "Column Mapping". */
export type ColumnMappingMode = 'none' | 'name' | 'id'

/** The shape of a table that its files are read and written by. */
export interface TableLayout {
  /** logical schema, partition columns included, field metadata as in the log (physical names, ids, widenings) */
  readonly schema: StructType
  /** logical names, in order */
  readonly partitionColumns: readonly string[]
  readonly columnMapping: ColumnMappingMode
}
