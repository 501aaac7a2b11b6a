/** SQL that reads files of plain records into the columns `c<ordinal>` of a record type. */
import type { DataType, StructType } from '../../../schema/index.ts'
import { pathList, quoteIdent, quoteLiteral } from '../sql-text.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'

/**
 * @param longest bytes of the longest record
 */
export function spoolSql(paths: readonly string[], schema: StructType, longest: number): string {
  const fields = schema.fields.map((field, i) => ({ ...field, i })).filter(({ type }) => type.kind !== 'void')
  const columns = fields.map(({ name, type }) => `${quoteIdent(name)}: ${quoteLiteral(spoolType(type))}`)
  const outputs = schema.fields.map(({ name, type }, i) =>
    type.kind === 'void' ? `NULL::INTEGER AS c${i}` : `${fromSpool(quoteIdent(name), type)} AS c${i}`,
  )
  // DuckDB allots buffers by the size allowed
  const size = Math.max(1_048_576, 2 * longest)
  return `SELECT ${outputs.join(', ')} FROM read_json(${pathList(paths)}, format='newline_delimited',
    maximum_object_size=${size}, columns={${columns.join(', ')}})`
}

/** JSON has no binary, and DuckDB reads maps of texts only. */
function spoolType(type: DataType): string {
  switch (type.kind) {
    case 'binary':
      return 'VARCHAR'
    case 'array':
      return `${spoolType(type.element)}[]`
    case 'map':
      return `STRUCT("key" ${spoolType(type.key)}, "value" ${spoolType(type.value)})[]`
    case 'struct':
      return `STRUCT(${type.fields.map((f) => `${quoteIdent(f.name)} ${spoolType(f.type)}`).join(', ')})`
    default:
      return sqlType(type, LOGICAL)
  }
}

function fromSpool(source: string, type: DataType, depth = 0): string {
  const x = `x${depth}`
  if (spoolType(type) === sqlType(type, LOGICAL)) return source
  switch (type.kind) {
    case 'binary':
      return `from_base64(${source})`
    case 'array':
      return `list_transform(${source}, lambda ${x}: ${fromSpool(x, type.element, depth + 1)})`
    case 'map': {
      const key = fromSpool(`${x}."key"`, type.key, depth + 1)
      const value = fromSpool(`${x}."value"`, type.value, depth + 1)
      return `map_from_entries(list_transform(${source}, lambda ${x}: struct_pack("key" := ${key}, "value" := ${value})))`
    }
    case 'struct': {
      const members = type.fields
        .filter((f) => f.type.kind !== 'void')
        .map(
          (f) =>
            `${quoteIdent(f.name)} := ${fromSpool(`struct_extract(${source}, ${quoteLiteral(f.name)})`, f.type, depth)}`,
        )
      return `CASE WHEN ${source} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
    }
    default:
      return source
  }
}
