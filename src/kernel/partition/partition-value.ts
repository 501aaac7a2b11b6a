/**
 * Partition values between their text in the log and typed values.
 *
 * Every spelling writers are known to use is read, one is written. Two spellings of one value are one partition, so
 * grouping and comparing go by the typed value. Source: Delta protocol, "Partition Value Serialization".
 */
import { deltaError } from '../../errors/index.ts'
import { type DataType, type DecimalType, deltaTypeName, doubleToText, type Value } from '../../schema/index.ts'
import {
  type Decimal,
  decodeUtf8Strict,
  encodeUtf8,
  fitsPrecision,
  formatDate,
  formatTimestamp,
  parseDate,
  parseDecimal,
  parseTimestamp,
  rescale,
  splitMicros,
} from '../../support/index.ts'

export interface ParsePartitionOptions {
  /** for the message of a refusal */
  readonly column?: string
  /** the instant of a wall clock (both in microseconds) for timestamps written without a zone; UTC when absent */
  readonly toInstant?: (wallClock: bigint) => bigint
}

const INTEGER_BITS = { byte: 8, short: 16, integer: 32, long: 64 } as const

/**
 * The value of a text of `partitionValues`.
 *
 * @param text null and undefined (a missing key) are SQL NULL; so is the empty text, except in a string column
 * @throws DeltaError `DELTA_INVALID_PARTITION_VALUE` when the text is no value of the type
 */
export function parsePartitionValue(
  text: string | null | undefined,
  type: DataType,
  options: ParsePartitionOptions = {},
): Value {
  if (text === null || text === undefined) return null
  if (type.kind === 'string') return text
  if (text === '') return null
  const value = parseText(text, type, options)
  if (value === undefined) {
    throw deltaError('DELTA_INVALID_PARTITION_VALUE', {
      column: options.column ?? 'a partition column',
      value: text,
      type: deltaTypeName(type),
    })
  }
  return value
}

function parseText(text: string, type: DataType, options: ParsePartitionOptions): Value | undefined {
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return parseInteger(text, type.kind)
    case 'float':
    case 'double':
      return parseFloating(text, type.kind)
    case 'decimal':
      return parseScaled(text, type)
    case 'boolean':
      return parseBoolean(text)
    case 'date':
      return parseDate(text.trim()) ?? dateOfTimestamp(text)
    case 'timestamp':
      return parseInstant(text, options.toInstant)
    case 'timestamp_ntz':
      return parseTimestamp(text.trim())?.micros
    case 'binary':
      return encodeUtf8(text)
    case 'void':
      return null
    default:
      return undefined
  }
}

function parseInteger(text: string, kind: keyof typeof INTEGER_BITS): number | bigint | undefined {
  const trimmed = text.trim()
  if (!/^[-+]?\d{1,40}$/.test(trimmed)) return undefined
  const value = BigInt(trimmed.replace('+', ''))
  if (BigInt.asIntN(INTEGER_BITS[kind], value) !== value) return undefined
  return kind === 'long' ? value : Number(value)
}

function parseFloating(text: string, kind: 'float' | 'double'): number | undefined {
  const trimmed = text.trim()
  const special = /^([-+]?)(nan|inf|infinity)$/i.exec(trimmed)
  if (special !== null) {
    if (special[2]!.toLowerCase() === 'nan') return Number.NaN
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[fFdD]?$/.test(trimmed)) return undefined
  const value = Number(trimmed.replace(/[fFdD]$/, ''))
  return kind === 'float' ? Math.fround(value) : value
}

function parseScaled(text: string, type: DecimalType): Decimal | undefined {
  const parsed = parseDecimal(text)
  if (parsed === undefined) return undefined
  const value = rescale(parsed, type.scale)
  const exact =
    rescale(value, Math.max(type.scale, parsed.scale)).unscaled ===
    rescale(parsed, Math.max(type.scale, parsed.scale)).unscaled
  return exact && fitsPrecision(value.unscaled, type.precision) ? value : undefined
}

function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : undefined
}

function dateOfTimestamp(text: string): number | undefined {
  const micros = parseTimestamp(text.trim())?.micros
  if (micros === undefined) return undefined
  const { days, microsOfDay } = splitMicros(micros)
  return microsOfDay === 0 ? days : undefined
}

function parseInstant(text: string, toInstant: ((wallClock: bigint) => bigint) | undefined): bigint | undefined {
  const parsed = parseTimestamp(text.trim())
  if (parsed === undefined) return undefined
  if (parsed.offsetMinutes === undefined) return toInstant === undefined ? parsed.micros : toInstant(parsed.micros)
  return parsed.micros - BigInt(parsed.offsetMinutes) * 60_000_000n
}

/**
 * The text a value has in `partitionValues`; null for SQL NULL and for the empty text or bytes.
 *
 * @throws DeltaError `DELTA_INVALID_PARTITION_VALUE` for bytes that are not UTF-8 and text that is not Unicode: no text
 * can hold them
 */
export function formatPartitionValue(value: Value, type: DataType, column = 'a partition column'): string | null {
  if (value === null || value === '') return null
  switch (type.kind) {
    case 'string':
      return wellFormed(value as string, column)
    case 'binary':
      return formatBinary(value as Uint8Array, column)
    case 'float':
    case 'double':
      return formatFloating(value as number, type.kind)
    case 'decimal':
      return rescale(value as Decimal, type.scale).toString()
    case 'date':
      return formatDate(value as number)
    case 'timestamp':
      return formatInstant(value as bigint)
    case 'timestamp_ntz':
      return formatTimestamp(value as bigint, ' ')
    default:
      return String(value)
  }
}

function wellFormed(text: string, column: string): string {
  if (/\p{Surrogate}/u.test(text)) {
    throw deltaError('DELTA_INVALID_PARTITION_VALUE', { column, value: JSON.stringify(text), type: 'string' })
  }
  return text
}

function formatBinary(bytes: Uint8Array, column: string): string | null {
  if (bytes.length === 0) return null
  const text = decodeUtf8Strict(bytes)
  if (text !== undefined) return text
  const value = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  throw deltaError('DELTA_INVALID_PARTITION_VALUE', { column, value, type: 'binary' })
}

/** As Java prints it: at least one digit behind the point, an exponent below 10^-3 and from 10^7 on. */
function formatFloating(value: number, kind: 'float' | 'double'): string {
  const shortest = doubleToText(value, kind)
  if (!Number.isFinite(value) || value === 0) return value === 0 && shortest === '0' ? '0.0' : shortest
  const [mantissa = '', exponentText = '0'] = Number(shortest).toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -3 && exponent < 7) return withFraction(shortest)
  return `${withFraction(mantissa)}E${exponent}`
}

function withFraction(text: string): string {
  return text.includes('.') ? text : `${text}.0`
}

function formatInstant(micros: bigint): string {
  const [whole = '', fraction = ''] = formatTimestamp(micros).split('.')
  return `${whole}.${fraction.padEnd(6, '0')}Z`
}

/** A partition column as its values are keyed. */
export interface PartitionColumn {
  readonly physicalName: string
  readonly type: DataType
}

/**
 * One text for each partition, the same for every spelling of its values.
 *
 * @throws DeltaError `DELTA_INVALID_PARTITION_VALUE`
 */
export function partitionKey(values: ReadonlyMap<string, string | null>, columns: readonly PartitionColumn[]): string {
  return JSON.stringify(
    columns.map(({ physicalName, type }) => {
      const value = parsePartitionValue(values.get(physicalName), type, { column: physicalName })
      return value === '' ? '' : formatPartitionValue(value, type, physicalName)
    }),
  )
}
