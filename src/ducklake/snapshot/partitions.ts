/** How the files of a table are split, and how its rows are sorted, at a snapshot. */
import { type Catalog, safeNumber } from '../catalog/catalog.ts'
import { liveAt } from './live.ts'

export interface PartitionKey {
  readonly columnId: number
  /** `identity`, `year`, `bucket(8)` */
  readonly transform: string
}

export interface PartitionSpec {
  readonly id: number
  readonly keys: readonly PartitionKey[]
}

/** @returns undefined where the table is not partitioned */
export async function loadPartitionSpec(
  catalog: Catalog,
  tableId: number,
  snapshot: number,
): Promise<PartitionSpec | undefined> {
  const rows = await catalog.query(
    `SELECT i.partition_id, c.column_id, c.transform FROM ${catalog.view('partition_info')} i
     JOIN ${catalog.view('partition_column')} c USING (partition_id)
     WHERE i.table_id = ${tableId} AND ${liveAt(snapshot, 'i')} ORDER BY c.partition_key_index`,
  )
  if (rows.length === 0) return undefined
  const keys = rows.map(([, column, transform]) => ({ columnId: safeNumber(column), transform: String(transform) }))
  return { id: safeNumber(rows[0]![0]), keys }
}

export interface SortKey {
  /** SQL */
  readonly expression: string
  readonly direction: 'ASC' | 'DESC'
  readonly nulls: 'NULLS_FIRST' | 'NULLS_LAST'
}

export async function loadSortKeys(catalog: Catalog, tableId: number, snapshot: number): Promise<SortKey[]> {
  const rows = await catalog.query(
    `SELECT e.expression, e.sort_direction, e.null_order FROM ${catalog.view('sort_info')} i
     JOIN ${catalog.view('sort_expression')} e USING (sort_id)
     WHERE i.table_id = ${tableId} AND ${liveAt(snapshot, 'i')} ORDER BY e.sort_key_index`,
  )
  return rows.map(([expression, direction, nulls]) => ({
    expression: String(expression),
    direction: direction === 'DESC' ? 'DESC' : 'ASC',
    nulls: nulls === 'NULLS_FIRST' ? 'NULLS_FIRST' : 'NULLS_LAST',
  }))
}
