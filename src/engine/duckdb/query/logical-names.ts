/** Members of structs under the names a person knows, where files call them otherwise. */
import type { TableLayout } from '../../../kernel/index.ts'
import { physicalName } from '../../../kernel/index.ts'
import type { DataType, StructType } from '../../../schema/index.ts'
import { quoteIdent } from '../sql-text.ts'
import { LOGICAL, sqlType, storedFields } from '../values/sql-type.ts'

/** An expression whose structs have physical member names, with logical ones; a null struct stays null. */
export function logicalNames(sql: string, type: DataType, layout: TableLayout, depth = 0): string {
  if (sqlType(type, layout) === sqlType(type, LOGICAL)) {
    return type.kind === 'variant' ? `variant_bytes_to_variant(${sql}.metadata || ${sql}."value")` : sql
  }
  const item = `e${depth}`
  switch (type.kind) {
    case 'struct':
      return renamedStruct(sql, type, layout, depth)
    case 'array':
      return `list_transform(${sql}, ${item} -> ${logicalNames(item, type.element, layout, depth + 1)})`
    case 'map': {
      const keys = `list_transform(map_keys(${sql}), ${item} -> ${logicalNames(item, type.key, layout, depth + 1)})`
      const values = `list_transform(map_values(${sql}), ${item} -> ${logicalNames(item, type.value, layout, depth + 1)})`
      return `CASE WHEN ${sql} IS NOT NULL THEN map(${keys}, ${values}) END`
    }
    default:
      return sql
  }
}

function renamedStruct(sql: string, type: StructType, layout: TableLayout, depth: number): string {
  const members = storedFields(type).map((member) => {
    const value = `struct_extract(${sql}, '${physicalName(member, layout).replaceAll("'", "''")}')`
    return `${quoteIdent(member.name)} := ${logicalNames(value, member.type, layout, depth)}`
  })
  return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
}
