/**
 * How rows keep who they are when an operation writes them to another file.
 *
 * Their id and commit version are read behind the table's columns and written behind them again, under the names the
 * table keeps them by. Source: Delta protocol, "Row Tracking".
 */
import { field, longType, type StructField, structType } from '../../schema/index.ts'
import type { JsonObject } from '../../support/index.ts'
import { withHiddenColumns } from '../snapshot/hidden-columns.ts'
import type { TableLayout } from '../snapshot/layout.ts'

/**
 * Layouts to read rows by and to write them by, both with two more columns of the same names behind the table's own.
 *
 * An operation copies both columns of a row it does not change, writes null for the commit version of a row it changes,
 * and null for both of a row it makes.
 */
export interface MovedRows {
  /** for scans: an id and a commit version for every row */
  readonly read: TableLayout
  /** for writes: nullable longs, stored as columns of the file, without statistics */
  readonly write: TableLayout
  /** ordinal in both layouts */
  readonly rowId: number
  /** ordinal in both layouts */
  readonly rowCommitVersion: number
}

/** @returns undefined where the table does not track its rows: they are moved as they are */
export function movedRows(layout: TableLayout): MovedRows | undefined {
  if (layout.rowTracking === undefined) return undefined
  const { rowId: rowIdName, rowCommitVersion: versionName } = layout.rowTracking
  const rowId = layout.schema.fields.length
  const stored = [field(rowIdName, longType), field(versionName, longType)]
  const behind = (fields: readonly StructField[]) => structType([...layout.schema.fields, ...fields])
  const read = withHiddenColumns(layout, ['row_id', 'row_commit_version'])
  return {
    read: { ...read, schema: behind(stored) },
    write: { ...layout, schema: behind(stored) },
    rowId,
    rowCommitVersion: rowId + 1,
  }
}

/** The `tags` of the commitInfo of an operation that moved rows by `movedRows`. */
export function movedRowsTags(layout: TableLayout): JsonObject | undefined {
  return layout.rowTracking && { 'delta.rowTracking.preserved': 'true' }
}
