/**
 * Values as JSON text, in the one form that `rows`, CSV cells, prompts and the page print.
 *
 * Numbers keep all their digits, decimals their scale; NaN and infinities are strings; binary is base64; dates and
 * timestamps are ISO texts, `Z` on the zoned one, fractions only as long as needed; a struct is an object in schema
 * order, a map an array of `{"key","value"}`.
 */
import { type Decimal, encodeBase64, formatDate, formatTimestamp } from '../support/index.ts'
import type { DataType, StructType } from './types.ts'
import type { MapEntry, Row, Value, Variant } from './value.ts'
import { variantToJson } from './variant.ts'

/** One line of NDJSON, without the newline: every column present, in schema order. */
export function rowToJson(row: Row, schema: StructType): string {
  return structToJson(row, schema)
}

/** The JSON text of one value. */
export function valueToJson(value: Value, type: DataType): string {
  if (value === null) return 'null'
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'decimal':
    case 'boolean':
      return String(value as number | bigint | boolean | Decimal)
    case 'float':
    case 'double':
      return doubleToJson(value as number, type.kind)
    case 'array':
      return `[${(value as readonly Value[]).map((item) => valueToJson(item, type.element)).join(',')}]`
    case 'map':
      return `[${(value as readonly MapEntry[]).map((entry) => entryToJson(entry, type.key, type.value)).join(',')}]`
    case 'struct':
      return structToJson(value as Row, type)
    case 'variant':
      return variantToJson(value as Variant)
    default:
      return JSON.stringify(valueToText(value, type))
  }
}

/**
 * The bare text of one value: a string as it is, what JSON quotes unquoted, everything else its JSON.
 *
 * @param value not null
 */
export function valueToText(value: Exclude<Value, null>, type: DataType): string {
  switch (type.kind) {
    case 'string':
      return value as string
    case 'binary':
      return encodeBase64(value as Uint8Array)
    case 'date':
      return formatDate(value as number)
    case 'timestamp':
      return `${formatTimestamp(value as bigint)}Z`
    case 'timestamp_ntz':
      return formatTimestamp(value as bigint)
    case 'float':
    case 'double':
      return doubleToText(value as number, type.kind)
    case 'void':
      return 'null'
    default:
      return valueToJson(value, type)
  }
}

/** The shortest text that gives the same double, or the same 32-bit float. */
export function doubleToText(value: number, kind: 'float' | 'double'): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
  if (Object.is(value, -0)) return '-0.0'
  return kind === 'double' ? String(value) : shortestFloat(value)
}

function doubleToJson(value: number, kind: 'float' | 'double'): string {
  return Number.isFinite(value) ? doubleToText(value, kind) : `"${doubleToText(value, kind)}"`
}

/** A text that lies midway between two floats is none, though reading it would give this one. */
function shortestFloat(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const double = Number(value.toPrecision(digits))
    if (Math.fround(double) === value && !isMidway(double, value)) return String(double)
  }
  return String(value)
}

/** @param float the float nearest to the double */
function isMidway(double: number, float: number): boolean {
  if (double === float) return false
  const bits = new Uint32Array(Float32Array.of(float).buffer)
  // further from zero where the magnitude of the double is larger
  bits[0] = bits[0]! + (Math.abs(double) > Math.abs(float) ? 1 : -1)
  const next = new Float32Array(bits.buffer)[0]!
  return double - float === next - double
}

function entryToJson(entry: MapEntry, key: DataType, value: DataType): string {
  return `{"key":${valueToJson(entry.key, key)},"value":${valueToJson(entry.value, value)}}`
}

function structToJson(row: Row, type: StructType): string {
  const members = type.fields.map((f, i) => `${JSON.stringify(f.name)}:${valueToJson(row[i] ?? null, f.type)}`)
  return `{${members.join(',')}}`
}
