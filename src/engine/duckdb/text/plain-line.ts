/** A row as a line that DuckDB's JSON reader takes in exactly: decimals as texts, maps as lists of entries. */
import {
  type DataType,
  type MapEntry,
  type Row,
  type StructType,
  type Value,
  valueToJson,
} from '../../../schema/index.ts'

export function plainLine(row: Row, schema: StructType): string {
  return structLine(row, schema)
}

function structLine(row: Row, type: StructType): string {
  return `{${type.fields.map((f, i) => `${JSON.stringify(f.name)}:${valueLine(row[i] ?? null, f.type)}`).join(',')}}`
}

function valueLine(value: Value, type: DataType): string {
  if (value === null) return 'null'
  switch (type.kind) {
    case 'decimal':
      return `"${value}"`
    case 'struct':
      return structLine(value as Row, type)
    case 'array':
      return `[${(value as readonly Value[]).map((item) => valueLine(item, type.element)).join(',')}]`
    case 'map':
      return `[${(value as readonly MapEntry[])
        .map((entry) => `{"key":${valueLine(entry.key, type.key)},"value":${valueLine(entry.value, type.value)}}`)
        .join(',')}]`
    default:
      return valueToJson(value, type)
  }
}
