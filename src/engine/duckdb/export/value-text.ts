/**
 * The text of values, made in SQL: exactly that of `schema/value-json.ts`, which a property test compares.
 *
 * DuckDB's own texts differ in the exponent of numbers, in years beyond four digits and in the escapes of rare control
 * characters.
 */
import { physicalName } from '../../../kernel/index.ts'
import type { DataType, StructType } from '../../../schema/index.ts'
import { quoteLiteral } from '../sql-text.ts'
import { type Naming, storedFields } from '../values/sql-type.ts'

/** Whether every value of the type has a text in SQL; variants have none. */
export function hasSqlText(type: DataType): boolean {
  switch (type.kind) {
    case 'variant':
      return false
    case 'array':
      return hasSqlText(type.element)
    case 'map':
      return hasSqlText(type.key) && hasSqlText(type.value)
    case 'struct':
      return storedFields(type).length > 0 && type.fields.every((f) => hasSqlText(f.type))
    default:
      return true
  }
}

/** JSON text of a value, `null` for null. */
export function jsonText(source: string, type: DataType, naming: Naming, depth = 0): string {
  if (type.kind === 'void') return "'null'"
  return `coalesce(${presentText(source, type, naming, depth)}, 'null')`
}

/** The bare text that a CSV cell holds; NULL for null. */
export function bareText(source: string, type: DataType, naming: Naming): string {
  switch (type.kind) {
    case 'string':
      return source
    case 'binary':
      return `to_base64(${source})`
    case 'date':
      return dateText(source)
    case 'timestamp':
    case 'timestamp_ntz':
      return timestampText(source, type.kind)
    case 'float':
    case 'double':
      return doubleText(source)
    case 'void':
      return 'NULL::VARCHAR'
    default:
      return presentText(source, type, naming, 0)
  }
}

function presentText(source: string, type: DataType, naming: Naming, depth: number): string {
  const x = `x${depth}`
  switch (type.kind) {
    case 'string':
      return stringJson(source)
    case 'binary':
      return `'"' || to_base64(${source}) || '"'`
    case 'date':
      return `'"' || ${dateText(source)} || '"'`
    case 'timestamp':
    case 'timestamp_ntz':
      return `'"' || ${timestampText(source, type.kind)} || '"'`
    case 'float':
    case 'double':
      return `CASE WHEN isfinite(${source}) THEN ${doubleText(source)} ELSE '"' || ${doubleText(source)} || '"' END`
    case 'decimal':
      return type.precision === type.scale ? fractionText(source) : `${source}::VARCHAR`
    case 'array':
      return listText(source, x, jsonText(x, type.element, naming, depth + 1))
    case 'map': {
      const key = jsonText(`${x}."key"`, type.key, naming, depth + 1)
      const value = jsonText(`${x}."value"`, type.value, naming, depth + 1)
      return listText(`map_entries(${source})`, x, `'{"key":' || ${key} || ',"value":' || ${value} || '}'`)
    }
    case 'struct':
      return `CASE WHEN ${source} IS NOT NULL THEN ${structText(source, type, naming, depth)} END`
    default:
      return `${source}::VARCHAR`
  }
}

/** DuckDB prints a decimal without whole digits as `.50`. */
function fractionText(source: string): string {
  const text = `${source}::VARCHAR`
  return `CASE WHEN ${source} < 0 THEN '-0' || substr(${text}, 2) ELSE '0' || ${text} END`
}

function listText(source: string, variable: string, item: string): string {
  const items = `list_aggregate(list_transform(${source}, lambda ${variable}: ${item}), 'string_agg', ',')`
  return `CASE WHEN ${source} IS NOT NULL THEN '[' || coalesce(${items}, '') || ']' END`
}

function structText(source: string, type: StructType, naming: Naming, depth: number): string {
  const members = type.fields.map((field) => {
    const value = `struct_extract(${source}, ${quoteLiteral(physicalName(field, naming))})`
    return { name: field.name, json: jsonText(value, field.type, naming, depth) }
  })
  return objectText(members)
}

/** `{"a":…,"b":…}` as a concatenation. */
export function objectText(members: readonly { readonly name: string; readonly json: string }[]): string {
  const parts = members.map(
    ({ name, json }, i) => `${quoteLiteral(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)} || ${json}`,
  )
  return parts.length === 0 ? "'{}'" : `${parts.join(' || ')} || '}'`
}

/** Characters JSON escapes by a word of its own; the others below a space go by their number. */
const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [12, '\\f'],
  [13, '\\r'],
])

/** to_json prints the numbers of control characters in capitals, so texts that hold one are escaped here. */
function stringJson(source: string): string {
  let escaped = `replace(replace(${source}, '\\', '\\\\'), '"', '\\"')`
  for (let code = 0; code < 0x20; code++) {
    const escapeText = SHORT_ESCAPES.get(code) ?? `\\u${code.toString(16).padStart(4, '0')}`
    escaped = `replace(${escaped}, chr(${code}), '${escapeText}')`
  }
  return `CASE WHEN regexp_matches(${source}, '[\\x00-\\x1f]') THEN '"' || ${escaped} || '"'
    ELSE to_json(${source})::VARCHAR END`
}

function dateText(source: string): string {
  const year = `year(${source})`
  return `CASE WHEN ${year} BETWEEN 1 AND 9999 THEN (${source})::DATE::VARCHAR
    ELSE CASE WHEN ${year} > 9999 THEN '+' || ${year} WHEN ${year} = 0 THEN '0000' ELSE '-' || lpad((-${year})::VARCHAR, 4, '0') END
      || '-' || lpad(month(${source})::VARCHAR, 2, '0') || '-' || lpad(day(${source})::VARCHAR, 2, '0') END`
}

function timestampText(source: string, kind: 'timestamp' | 'timestamp_ntz'): string {
  const wall = kind === 'timestamp' ? `(${source})::TIMESTAMP` : source
  return `${dateText(wall)} || 'T' || (${wall})::TIME::VARCHAR${kind === 'timestamp' ? " || 'Z'" : ''}`
}

/**
 * The text of a number: DuckDB's digits, which give the number again, with the point and the exponent where ECMAScript
 * puts them. Of a 32-bit float they are not always the fewest.
 *
 * DuckDB begins exponents below 1e-4 and from 1e16 on and pads them to two digits; here they begin below 1e-6 and from
 * 1e21 on.
 */
function doubleText(source: string): string {
  const text = `(${source})::VARCHAR`
  const digits = `replace(replace(split_part(${text}, 'e', 1), '.', ''), '-', '')`
  const exponent = `split_part(${text}, 'e', 2)::INTEGER`
  const sign = `CASE WHEN ${source} < 0 THEN '-' ELSE '' END`
  return `CASE
    WHEN isnan(${source}) THEN 'NaN'
    WHEN isinf(${source}) THEN CASE WHEN ${source} > 0 THEN 'Infinity' ELSE '-Infinity' END
    WHEN ${source} = 0 THEN CASE WHEN ${text} LIKE '-%' THEN '-0.0' ELSE '0' END
    WHEN NOT contains(${text}, 'e') THEN CASE WHEN suffix(${text}, '.0') THEN left(${text}, length(${text}) - 2) ELSE ${text} END
    WHEN ${exponent} < -6 THEN replace(${text}, 'e-0', 'e-')
    WHEN ${exponent} < 0 THEN ${sign} || '0.' || repeat('0', -1 - ${exponent}) || ${digits}
    WHEN ${exponent} < 21 THEN ${sign} || rpad(${digits}, ${exponent} + 1, '0')
    ELSE ${text} END`
}
