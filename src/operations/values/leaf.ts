/** One value of a primitive column, in the form it came in, as this package holds it (`schema/value.ts`). */
import { assert } from '../../errors/index.ts'
import { type DataType, type DecimalType, type Value, Variant, variantOf } from '../../schema/index.ts'
import {
  compareDecimals,
  type Decimal,
  decodeBase64,
  fitsPrecision,
  JsonNumber,
  type JsonValue,
  MICROS_PER_DAY,
  parseDate,
  parseDecimal,
  parseJson,
  parseTimestamp,
  rescale,
} from '../../support/index.ts'
import { type Column, kindOf, type Place, refuseKind, refuseOverflow, refuseValue } from './place.ts'

type Leaf = (value: unknown, column: Column, place: Place) => Value

const BITS: Partial<Record<DataType['kind'], bigint>> = { byte: 8n, short: 16n, integer: 32n, long: 64n }

const LEAVES: Partial<Record<DataType['kind'], Leaf>> = {
  byte: encodeSmallInteger,
  short: encodeSmallInteger,
  integer: encodeSmallInteger,
  long: encodeInteger,
  float: encodeFloat,
  double: encodeDouble,
  decimal: encodeDecimal,
  boolean: encodeBoolean,
  string: encodeString,
  binary: encodeBinary,
  date: encodeDate,
  timestamp: encodeTimestamp,
  timestamp_ntz: encodeTimestamp,
  variant: encodeVariant,
}

/**
 * A value that is not null, checked and brought into the form of its column's type.
 *
 * @throws DeltaError `DELTA_FAILED_TO_MERGE_FIELDS`, `LAKE_INVALID_VALUE`, `CAST_OVERFLOW_IN_TABLE_INSERT`
 */
export function encodeLeaf(value: unknown, column: Column, place: Place): Value {
  const encode = LEAVES[column.type.kind]
  if (encode === undefined) throw refuseKind(value, column, place)
  return encode(value, column, place)
}

/** Whatever JSON can be; a CSV cell holds the JSON text. What is a variant already stays as it is. */
function encodeVariant(value: unknown, column: Column, place: Place): Value {
  if (value instanceof Variant) return value
  const input = column.form === 'text' && typeof value === 'string' ? parseCell(value, column, place) : value
  const variant = variantOf(input)
  if (typeof variant === 'string') throw refuseValue(kindOf(value), variant, column, place)
  return variant
}

function parseCell(text: string, column: Column, place: Place): JsonValue {
  try {
    return parseJson(text)
  } catch (cause) {
    throw refuseKind(text, column, place, cause)
  }
}

function encodeInteger(value: unknown, column: Column, place: Place): bigint {
  const whole = wholeNumber(value, column, place)
  const bits = BITS[column.type.kind]
  assert(bits !== undefined, 'a whole-number column has a width')
  if (BigInt.asIntN(Number(bits), whole) !== whole) throw refuseOverflow(value, column, place)
  return whole
}

function encodeSmallInteger(value: unknown, column: Column, place: Place): number {
  return Number(encodeInteger(value, column, place))
}

function wholeNumber(value: unknown, column: Column, place: Place): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    const reason = Number.isInteger(value) ? 'it is beyond 2^53, pass it as a bigint' : 'it is no whole number'
    throw refuseValue(value, reason, column, place)
  }
  const text = numberText(value, column)
  if (text === undefined) throw refuseKind(value, column, place)
  const decimal = parseDecimal(text)
  if (decimal === undefined) throw refuseValue(value, 'it is no number', column, place)
  const whole = rescale(decimal, 0)
  if (compareDecimals(whole, decimal) !== 0) throw refuseValue(value, 'it is no whole number', column, place)
  return whole.unscaled
}

/** The digits of a number that came as text: JSON's number, or a cell of CSV. */
function numberText(value: unknown, column: Column): string | undefined {
  if (value instanceof JsonNumber) return value.text
  return column.form === 'text' && typeof value === 'string' ? value.trim() : undefined
}

function encodeDouble(value: unknown, column: Column, place: Place): number {
  if (typeof value === 'number') return value
  const text = numberText(value, column) ?? specialText(value, column)
  if (text === undefined) throw refuseKind(value, column, place)
  const number = Number(text)
  if (text === '' || (Number.isNaN(number) && text !== 'NaN'))
    throw refuseValue(value, 'it is no number', column, place)
  if (!Number.isFinite(number) && /\d/.test(text)) throw refuseOverflow(value, column, place)
  return number
}

/** NaN and the infinities, which JSON can only hold as texts. */
function specialText(value: unknown, column: Column): string | undefined {
  return column.form === 'json' && (value === 'NaN' || value === 'Infinity' || value === '-Infinity')
    ? value
    : undefined
}

function encodeFloat(value: unknown, column: Column, place: Place): number {
  const double = encodeDouble(value, column, place)
  const float = Math.fround(double)
  if (Number.isFinite(double) && !Number.isFinite(float)) throw refuseOverflow(value, column, place)
  return float
}

function encodeDecimal(value: unknown, column: Column, place: Place): Decimal {
  const type = column.type as DecimalType
  const text = decimalText(value, column)
  if (text === undefined) throw refuseKind(value, column, place)
  const exact = parseDecimal(text)
  if (exact === undefined) throw refuseValue(value, 'it is no decimal number', column, place)
  const scaled = rescale(exact, type.scale)
  if (compareDecimals(scaled, exact) !== 0) {
    throw refuseValue(value, `it has more than ${type.scale} digits behind the point`, column, place)
  }
  if (!fitsPrecision(scaled.unscaled, type.precision)) throw refuseOverflow(value, column, place)
  return scaled
}

/** A JavaScript number is a double and no decimal; JSON's number is digits and can be one. */
function decimalText(value: unknown, column: Column): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string' && column.form !== 'json') return value.trim()
  if (typeof value === 'number' && column.form === 'json') return String(value)
  return numberText(value, column)
}

function encodeBoolean(value: unknown, column: Column, place: Place): boolean {
  if (typeof value === 'boolean') return value
  const text = column.form === 'text' && typeof value === 'string' ? value.trim().toLowerCase() : undefined
  if (text === undefined) throw refuseKind(value, column, place)
  if (text !== 'true' && text !== 'false') throw refuseValue(value, 'it is neither true nor false', column, place)
  return text === 'true'
}

function encodeString(value: unknown, column: Column, place: Place): string {
  if (typeof value !== 'string') throw refuseKind(value, column, place)
  if (/\p{Surrogate}/u.test(value)) {
    throw refuseValue(value, 'it holds half of a surrogate pair, which UTF-8 cannot write', column, place)
  }
  return value
}

function encodeBinary(value: unknown, column: Column, place: Place): Uint8Array {
  if (value instanceof Uint8Array) return value
  if (column.form === 'js' || typeof value !== 'string') throw refuseKind(value, column, place)
  const bytes = decodeBase64(value)
  if (bytes === undefined) throw refuseValue(value, 'it is not base64', column, place)
  return bytes
}

function encodeDate(value: unknown, column: Column, place: Place): number {
  if (value instanceof Date) {
    const micros = microsOfDate(value, column, place)
    if (micros % MICROS_PER_DAY !== 0n) throw refuseValue(value, 'it has a time of day', column, place)
    return Number(micros / MICROS_PER_DAY)
  }
  if (typeof value !== 'string') throw refuseKind(value, column, place)
  const days = parseDate(value.trim())
  if (days === undefined) throw refuseValue(value, 'it is not a date as in 2024-02-29', column, place)
  return days
}

function microsOfDate(value: Date, column: Column, place: Place): bigint {
  const ms = value.getTime()
  if (Number.isNaN(ms)) throw refuseValue('Invalid Date', 'it is no time', column, place)
  return BigInt(ms) * 1000n
}

function encodeTimestamp(value: unknown, column: Column, place: Place): bigint {
  if (value instanceof Date) return microsOfDate(value, column, place)
  if (typeof value !== 'string') throw refuseKind(value, column, place)
  const text = value.trim()
  const parsed = parseTimestamp(text)
  if (parsed === undefined) throw refuseValue(value, 'it is not a time as in 2024-02-29T12:00:00', column, place)
  if (/\.\d{6}\d*[1-9]/.test(text)) throw refuseValue(value, 'it is finer than microseconds', column, place)
  if (column.type.kind === 'timestamp') return parsed.micros - BigInt(parsed.offsetMinutes ?? 0) * 60_000_000n
  if (parsed.offsetMinutes === undefined) return parsed.micros
  throw refuseValue(value, 'it names a zone and the column holds times without one', column, place)
}
