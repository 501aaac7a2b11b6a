/** The values of a table's columns in the types in which they leave this package. */
import { quoteIdent } from '../../engine/duckdb/index.ts'
import type { LakeColumn } from '../snapshot/columns.ts'
import { isContainer } from '../snapshot/types.ts'

/**
 * @param sql of a value in the column's type
 * @param asText dates and timestamps as texts, infinite ones too
 */
export function outputSql(sql: string, column: LakeColumn, asText: boolean, depth = 0): string {
  if (!isContainer(column.type)) return leafSql(sql, column.type, asText)
  if (!changes(column, asText)) return sql
  const item = `y${depth}`
  const [first, second] = column.children
  if (column.type === 'list') {
    return `list_transform(${sql}, lambda ${item}: ${outputSql(item, first!, asText, depth + 1)})`
  }
  if (column.type === 'map') {
    const key = outputSql(`${item}."key"`, first!, asText, depth + 1)
    const value = outputSql(`${item}."value"`, second!, asText, depth + 1)
    const entries = `list_transform(map_entries(${sql}), lambda ${item}: struct_pack("key" := ${key}, "value" := ${value}))`
    return `CASE WHEN ${sql} IS NOT NULL THEN map_from_entries(${entries}) END`
  }
  const members = column.children.map((child) => {
    return `${quoteIdent(child.name)} := ${outputSql(memberSql(sql, child.name), child, asText, depth)}`
  })
  return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
}

export function memberSql(sql: string, name: string): string {
  return `struct_extract(${sql}, '${name.replaceAll("'", "''")}')`
}

function changes(column: LakeColumn, asText: boolean): boolean {
  return isContainer(column.type)
    ? column.children.some((child) => changes(child, asText))
    : leafSql('x', column.type, asText) !== 'x'
}

/** Times as ISO 8601 writes them. */
function leafSql(sql: string, type: string, asText: boolean): string {
  switch (type) {
    case 'uint8':
      return `CAST(${sql} AS SMALLINT)`
    case 'uint16':
      return `CAST(${sql} AS INTEGER)`
    case 'uint32':
      return `CAST(${sql} AS BIGINT)`
    case 'uint64':
      return `CAST(${sql} AS HUGEINT)`
    case 'time':
    case 'time_ns':
    case 'timetz':
    case 'interval':
    case 'uuid':
    case 'json':
      return `CAST(${sql} AS VARCHAR)`
    case 'timestamp_ns':
      return `replace(CAST(${sql} AS VARCHAR), ' ', 'T')`
    case 'variant':
      return `CASE WHEN ${sql} IS NOT NULL THEN CAST(variant_to_parquet_variant(${sql}) AS STRUCT(metadata BLOB, "value" BLOB)) END`
    case 'date':
      return asText ? `CAST(${sql} AS VARCHAR)` : sql
    case 'timestamp_s':
    case 'timestamp_ms':
    case 'timestamp':
      return asText ? `replace(CAST(CAST(${sql} AS TIMESTAMP) AS VARCHAR), ' ', 'T')` : `CAST(${sql} AS TIMESTAMP)`
    case 'timestamptz':
      return asText ? zonedText(sql) : sql
    default:
      return type.startsWith('geometry') ? `CAST(${sql} AS VARCHAR)` : sql
  }
}

function zonedText(sql: string): string {
  const text = `CAST(${sql} AT TIME ZONE 'UTC' AS VARCHAR)`
  return `CASE WHEN isinf(${sql}) THEN ${text} ELSE replace(${text}, ' ', 'T') || 'Z' END`
}
