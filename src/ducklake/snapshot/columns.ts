/** The columns of a table at a snapshot, as a tree, and their SQL types. */
import { quoteIdent } from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import { arrayType, type DataType, field, mapType, stringType, structType } from '../../schema/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { safeNumber } from '../catalog/catalog.ts'
import { liveAt } from './live.ts'
import { isContainer, leafType } from './types.ts'

export interface LakeColumn {
  /** for the life of the table; the field id in its files */
  readonly id: number
  readonly name: string
  /** as the catalog spells it: `int32`, `decimal(10,2)`, `struct` */
  readonly type: string
  readonly nullable: boolean
  /** what files read that were written before the column was added; undefined: NULL */
  readonly initialDefault: string | undefined
  /** what an insert that does not name the column gets; undefined: NULL */
  readonly defaultValue: string | undefined
  readonly defaultType: string | undefined
  readonly comment: string | undefined
  readonly children: readonly LakeColumn[]
}

/** The top-level columns of a table in their order. */
export async function loadColumns(catalog: Catalog, tableId: number, snapshot: number): Promise<LakeColumn[]> {
  const rows = await catalog.query(
    `SELECT c.column_id, c.column_name, c.column_type, c.nulls_allowed, c.initial_default, c.default_value,
            c.default_value_type, c.parent_column,
            (SELECT first(t.value) FROM ${catalog.view('column_tag')} t
             WHERE t.table_id = c.table_id AND t.column_id = c.column_id AND t.key = 'comment' AND ${liveAt(snapshot, 't')})
     FROM ${catalog.view('column')} c
     WHERE c.table_id = ${tableId} AND ${liveAt(snapshot, 'c')} ORDER BY c.column_order, c.column_id`,
  )
  const byParent = new Map<unknown, typeof rows>()
  for (const row of rows) byParent.set(row[7], [...(byParent.get(row[7]) ?? []), row])
  const build = (parent: unknown, depth: number): LakeColumn[] =>
    (depth > MAX_DEPTH ? [] : (byParent.get(parent) ?? [])).map((row) => ({
      id: safeNumber(row[0]),
      name: String(row[1]),
      type: String(row[2]),
      nullable: depth > 0 || row[3] !== false,
      initialDefault: textOf(row[4]),
      // the four letters stand for no default
      defaultValue: row[5] === 'NULL' ? undefined : textOf(row[5]),
      defaultType: textOf(row[6]),
      comment: textOf(row[8]),
      children: build(row[0], depth + 1),
    }))
  return build(null, 0)
}

/** Deeper columns are a circle. */
const MAX_DEPTH = 100

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * The type of a column in DuckDB.
 *
 * @throws DeltaError `DUCKLAKE_TYPE_UNSUPPORTED`
 */
export function columnSqlType(column: LakeColumn, table: string): string {
  const [first, second] = column.children
  if (column.type === 'list' && first !== undefined) return `${columnSqlType(first, table)}[]`
  if (column.type === 'map' && first !== undefined && second !== undefined) {
    return `MAP(${columnSqlType(first, table)}, ${columnSqlType(second, table)})`
  }
  if (column.type === 'struct' && first !== undefined) {
    const members = column.children.map((child) => `${quoteIdent(child.name)} ${columnSqlType(child, table)}`)
    return `STRUCT(${members.join(', ')})`
  }
  const leaf = isContainer(column.type) ? undefined : leafType(column.type)
  if (leaf !== undefined) return leaf.sql
  throw deltaError('DUCKLAKE_TYPE_UNSUPPORTED', { column: column.name, table, type: column.type })
}

/**
 * The type in which the values of a column are given.
 *
 * @param asText dates and timestamps as texts
 */
export function columnDataType(column: LakeColumn, asText: boolean): DataType {
  const [first, second] = column.children
  if (column.type === 'list') return arrayType(columnDataType(first!, asText))
  if (column.type === 'map') return mapType(columnDataType(first!, asText), columnDataType(second!, asText))
  if (column.type === 'struct') {
    return structType(column.children.map((child) => field(child.name, columnDataType(child, asText))))
  }
  // a type that is not known is refused where its values are read
  const type = leafType(column.type)?.type ?? stringType
  const isTime = type.kind === 'date' || type.kind === 'timestamp' || type.kind === 'timestamp_ntz'
  return asText && isTime ? { kind: 'string' } : type
}

/** `struct<a: int32, b: list<varchar>>`, for people. */
export function columnTypeText(column: LakeColumn): string {
  if (!isContainer(column.type)) return column.type
  const parts = column.children.map((child) => {
    return column.type === 'struct' ? `${child.name}: ${columnTypeText(child)}` : columnTypeText(child)
  })
  return `${column.type}<${parts.join(', ')}>`
}
