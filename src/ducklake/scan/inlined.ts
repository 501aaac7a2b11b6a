/**
 * Rows that lie in the catalog itself.
 *
 * A table of inlined rows belongs to one version of the table's schema: its columns are called as they were then. They
 * are matched to the columns of now by the ids they had. Source: DuckLake, "Data Inlining".
 */
import { quoteIdent } from '../../engine/duckdb/index.ts'
import { type Catalog, safeNumber } from '../catalog/catalog.ts'
import { INLINE_PREFIX } from '../catalog/formats.ts'
import { columnSqlType, type LakeColumn, loadColumns } from '../snapshot/columns.ts'
import type { LakeTable } from '../snapshot/lake-snapshot.ts'
import { sameName } from '../snapshot/names.ts'
import { columnSql } from './column-sql.ts'
import type { ShapeNode } from './file-shape.ts'

export interface InlinedTable {
  /** SQL name */
  readonly name: string
  /** SQL of its system columns, as BIGINT */
  readonly rowId: string
  readonly begin: string
  readonly end: string
  /** SQL of a column of the table as it is now, in the column's type */
  columnSql(column: LakeColumn): string
}

/** The tables of inlined rows that hold rows of a table at or before a snapshot. */
export async function loadInlined(catalog: Catalog, table: LakeTable, snapshot: number): Promise<InlinedTable[]> {
  const rows = await catalog.query(
    `SELECT i.table_name, i.schema_version,
            coalesce(
              (SELECT min(v.begin_snapshot) FROM ${catalog.view('schema_versions')} v
               WHERE v.schema_version = i.schema_version AND (v.table_id = i.table_id OR v.table_id IS NULL)),
              (SELECT min(s.snapshot_id) FROM ${catalog.view('snapshot')} s WHERE s.schema_version = i.schema_version))
     FROM ${catalog.view('inlined_data_tables')} i WHERE i.table_id = ${table.id} ORDER BY i.schema_version`,
  )
  const tables: InlinedTable[] = []
  for (const [name, , since] of rows) {
    const have = catalog.rawColumns(String(name))
    // a table whose snapshots have all expired may be gone, or have no snapshot of its schema left
    if (have === undefined) continue
    const begun = since === null ? snapshot : safeNumber(since)
    const columns = await columnsThen(catalog, table, { begun, snapshot, have: [...have.keys()] })
    tables.push(inlinedTable(catalog.raw(String(name)), have, columns, table.name))
  }
  return tables
}

interface Then {
  readonly begun: number
  readonly snapshot: number
  readonly have: readonly string[]
}

/** Where the schema version began in a snapshot that expired, the columns are looked up where the names fit. */
async function columnsThen(
  catalog: Catalog,
  table: LakeTable,
  { begun, snapshot, have }: Then,
): Promise<readonly LakeColumn[]> {
  const then = await loadColumns(catalog, table.id, begun)
  const fits = (columns: readonly LakeColumn[]) => columns.every(({ name }) => have.some((own) => sameName(own, name)))
  if (then.length > 0 && fits(then)) return then
  return begun === snapshot ? table.columns : await loadColumns(catalog, table.id, snapshot)
}

function inlinedTable(
  name: string,
  have: ReadonlyMap<string, string>,
  columns: readonly LakeColumn[],
  table: string,
): InlinedTable {
  const prefix = have.has(`${INLINE_PREFIX}row_id`) ? INLINE_PREFIX : ''
  const system = (column: string) => `${quoteIdent(prefix + column)}::BIGINT`
  const nodes = columns.map(shapeOf)
  const typeOf = new Map(nodes.map((node, i) => [node, columnSqlType(columns[i]!, table)]))
  return {
    name,
    rowId: system('row_id'),
    begin: system('begin_snapshot'),
    end: system('end_snapshot'),
    columnSql: (column) =>
      columnSql(column, {
        columns: nodes,
        matching: { by: 'id' },
        table,
        // copies from other databases hold some types as text
        sqlOf: (node) => `CAST(${quoteIdent(node.name)} AS ${typeOf.get(node)})`,
      }),
  }
}

/** A column of a snapshot as if it were one of a file. */
function shapeOf(column: LakeColumn): ShapeNode {
  const isContainer = column.type === 'struct' || column.type === 'list' || column.type === 'map'
  return {
    name: column.name,
    fieldId: column.id,
    kind: isContainer ? (column.type as 'struct' | 'list' | 'map') : 'leaf',
    sqlType: undefined,
    children: column.children.map(shapeOf),
  }
}
