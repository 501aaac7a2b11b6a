/**
 * From the physical values of a leaf to the values of a Delta type, exactly, widening where the protocol lets a table.
 *
 * A pair that would lose anything is refused by name; a single value that does not fit is an error. Source: Delta
 * protocol, "Type Widening", "Schema Serialization Format".
 */
import { deltaError } from '../errors/index.ts'
import { type DataType, type DecimalType, formatType, type Value } from '../schema/index.ts'
import { Decimal, decodeUtf8Strict, fitsPrecision, floorDiv, MICROS_PER_DAY } from '../support/index.ts'
import type { Convert } from './chunk.ts'
import type { PhysicalValue } from './plain.ts'
import type { SchemaNode } from './schema-tree.ts'

/** How the writer counted the days before 1582. */
export interface Calendar {
  /** DATE and INT64 timestamps are of the Julian calendar before 1582-10-15 */
  readonly legacyDateTime: boolean
  /** INT96 timestamps are */
  readonly legacyInt96: boolean
}

export interface ConvertContext {
  readonly calendar: Calendar
  readonly file: string
}

/**
 * The conversion of a leaf's values to a type.
 *
 * @throws DeltaError `FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH`
 */
export function converterFor(leaf: SchemaNode, type: DataType, context: ConvertContext): Convert {
  const convert = converterOrNone(leaf, type, context)
  if (convert !== undefined) return convert
  throw deltaError('FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH', {
    file: context.file,
    column: leaf.path.join('.'),
    expected: formatType(type),
    actual: describeLeaf(leaf),
  })
}

function converterOrNone(leaf: SchemaNode, type: DataType, context: ConvertContext): Convert | undefined {
  switch (type.kind) {
    case 'boolean':
      return leaf.physical === 'BOOLEAN' ? (value) => value as boolean : undefined
    case 'byte':
      return integerConverter(leaf, 8)
    case 'short':
      return integerConverter(leaf, 16)
    case 'integer':
      return integerConverter(leaf, 32)
    case 'long':
      return longConverter(leaf)
    case 'float':
      return leaf.physical === 'FLOAT' ? (value) => value as number : float16Converter(leaf)
    case 'double':
      return doubleConverter(leaf)
    case 'decimal':
      return decimalConverter(leaf, type)
    case 'string':
      return isBytes(leaf) && isTextual(leaf) ? textOf : undefined
    case 'binary':
      return isBytes(leaf) ? (value) => (value as Uint8Array).slice() : undefined
    case 'date':
      return isDays(leaf) ? dateConverter(leaf, context) : undefined
    case 'timestamp':
    case 'timestamp_ntz':
      return timestampConverter(leaf, type.kind, context)
    default:
      return undefined
  }
}

function isBytes(leaf: SchemaNode): boolean {
  return leaf.physical === 'BYTE_ARRAY' || leaf.physical === 'FIXED_LEN_BYTE_ARRAY'
}

/** Bytes that are no text would come out as other text, silently. */
function textOf(value: PhysicalValue): string {
  const text = decodeUtf8Strict(value as Uint8Array)
  if (text === undefined) throw new RangeError('a text in it is not UTF-8')
  return text
}

function isTextual(leaf: SchemaNode): boolean {
  return [undefined, 'string', 'enum', 'json'].includes(leaf.annotation?.kind)
}

function isPlainInteger(leaf: SchemaNode): boolean {
  return leaf.annotation === undefined || leaf.annotation.kind === 'integer'
}

function isUnsigned(leaf: SchemaNode): boolean {
  return leaf.annotation?.kind === 'integer' && !leaf.annotation.signed
}

function integerConverter(leaf: SchemaNode, bits: number): Convert | undefined {
  if (leaf.physical !== 'INT32' || !isPlainInteger(leaf)) return undefined
  const read = isUnsigned(leaf) ? unsigned32 : (value: PhysicalValue) => value as number
  const limit = 2 ** (bits - 1)
  return (value) => {
    const number = read(value)
    if (number >= limit || number < -limit) throw new RangeError(`the value ${number} does not fit its column's type`)
    return number
  }
}

function unsigned32(value: PhysicalValue): number {
  return (value as number) >>> 0
}

/** The whole number a leaf holds, for the types that take any. */
function wholeNumber(leaf: SchemaNode): ((value: PhysicalValue) => bigint) | undefined {
  if (!isPlainInteger(leaf)) return undefined
  if (leaf.physical === 'INT32') {
    return isUnsigned(leaf) ? (value) => BigInt(unsigned32(value)) : (value) => BigInt(value as number)
  }
  if (leaf.physical !== 'INT64') return undefined
  return isUnsigned(leaf) ? (value) => BigInt.asUintN(64, value as bigint) : (value) => value as bigint
}

function longConverter(leaf: SchemaNode): Convert | undefined {
  const read = wholeNumber(leaf)
  if (read === undefined) return undefined
  return (value) => {
    const number = read(value)
    if (number > 2n ** 63n - 1n) throw new RangeError(`the value ${number} does not fit its column's type`)
    return number
  }
}

function doubleConverter(leaf: SchemaNode): Convert | undefined {
  if (leaf.physical === 'DOUBLE' || leaf.physical === 'FLOAT') return (value) => value as number
  if (leaf.physical === 'INT32' && isPlainInteger(leaf)) {
    return isUnsigned(leaf) ? unsigned32 : (value) => value as number
  }
  return float16Converter(leaf)
}

function float16Converter(leaf: SchemaNode): Convert | undefined {
  if (leaf.annotation?.kind !== 'float16' || leaf.typeLength !== 2) return undefined
  return (value) => {
    const [low = 0, high = 0] = value as Uint8Array
    const sign = high & 0x80 ? -1 : 1
    const exponent = (high >> 2) & 0x1f
    const fraction = ((high & 3) << 8) | low
    if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  }
}

function decimalConverter(leaf: SchemaNode, type: DecimalType): Convert | undefined {
  const scale = leaf.annotation?.kind === 'decimal' ? leaf.annotation.scale : 0
  const read = leaf.annotation?.kind === 'decimal' ? unscaledReader(leaf) : wholeNumber(leaf)
  if (read === undefined || scale > type.scale) return undefined
  const factor = 10n ** BigInt(type.scale - scale)
  return (value) => {
    const unscaled = read(value) * factor
    if (!fitsPrecision(unscaled, type.precision)) {
      throw new RangeError(`the value ${new Decimal(unscaled, type.scale)} does not fit ${formatType(type)}`)
    }
    return new Decimal(unscaled, type.scale)
  }
}

function unscaledReader(leaf: SchemaNode): ((value: PhysicalValue) => bigint) | undefined {
  if (leaf.physical === 'INT32') return (value) => BigInt(value as number)
  if (leaf.physical === 'INT64') return (value) => value as bigint
  return isBytes(leaf) ? (value) => signedBigEndian(value as Uint8Array) : undefined
}

/** The two's complement integer of some bytes, most significant first; no bytes are 0. */
export function signedBigEndian(bytes: Uint8Array): bigint {
  let result = 0n
  for (const byte of bytes) result = (result << 8n) | BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, result)
}

function isDays(leaf: SchemaNode): boolean {
  return leaf.physical === 'INT32' && (leaf.annotation === undefined || leaf.annotation.kind === 'date')
}

/** 1582-10-15, from which on both calendars agree */
const GREGORIAN_DAY = -141_427
/** 1900-01-01: before it, old writers also shifted by the local mean time of their zone */
const MODERN_MICROS = -2_208_988_800_000_000n

function dateConverter(leaf: SchemaNode, { calendar, file }: ConvertContext): Convert {
  if (!calendar.legacyDateTime) return (value) => value as number
  return (value) => {
    if ((value as number) < GREGORIAN_DAY) throw ancient(leaf, file)
    return value as number
  }
}

function timestampConverter(
  leaf: SchemaNode,
  kind: 'timestamp' | 'timestamp_ntz',
  context: ConvertContext,
): Convert | undefined {
  const read = microsReader(leaf, kind, context)
  if (read === undefined) return undefined
  const { legacyDateTime, legacyInt96 } = context.calendar
  if (!(leaf.physical === 'INT96' ? legacyInt96 : legacyDateTime)) return read
  return (value) => {
    const micros = read(value)
    if (micros < MODERN_MICROS) throw ancient(leaf, context.file)
    return micros
  }
}

function microsReader(
  leaf: SchemaNode,
  kind: 'timestamp' | 'timestamp_ntz',
  context: ConvertContext,
): ((value: PhysicalValue) => bigint) | undefined {
  if (leaf.physical === 'INT96') return (value) => value as bigint
  if (leaf.physical === 'INT32' && leaf.annotation?.kind === 'date' && kind === 'timestamp_ntz') {
    const days = dateConverter(leaf, context)
    return (value) => BigInt(days(value) as number) * MICROS_PER_DAY
  }
  if (leaf.physical !== 'INT64' || leaf.annotation?.kind !== 'timestamp') return undefined
  const { unit } = leaf.annotation
  if (unit === 'millis') return (value) => (value as bigint) * 1000n
  return unit === 'micros' ? (value) => value as bigint : (value) => floorDiv(value as bigint, 1000n)
}

function ancient(leaf: SchemaNode, file: string): Error {
  return deltaError('INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME', { file, column: leaf.path.join('.') })
}

/** A leaf's type as an error names it: `INT64 timestamp`, `FIXED_LEN_BYTE_ARRAY decimal`. */
export function describeLeaf(leaf: SchemaNode): string {
  const { annotation } = leaf
  if (annotation === undefined) return leaf.physical ?? 'group'
  if (annotation.kind !== 'decimal') return `${leaf.physical ?? 'group'} ${annotation.kind}`
  return `${leaf.physical ?? 'group'} decimal(${annotation.precision},${annotation.scale})`
}

/** A value as it stands, for a leaf whose values no one asks for. */
export const ignoreValue: Convert = () => true satisfies Value
