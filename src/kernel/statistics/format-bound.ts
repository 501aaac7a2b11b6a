/**
 * Minimum and maximum as JSON text that is never narrower than the data.
 *
 * A bound that cannot be written soundly is left out: readers then keep the file. Source: Delta protocol, "Per-file
 * Statistics"; what others get wrong here is listed beside each rule.
 */
import { type DataType, type DecimalType, doubleToText, type Value } from '../../schema/index.ts'
import { type Decimal, fitsPrecision, floorDiv, formatDate, formatTimestamp, rescale } from '../../support/index.ts'

export type BoundSide = 'min' | 'max'

export interface BoundOptions {
  readonly side: BoundSide
  /** UTF-16 units a string bound is cut to, not counting what is put behind a cut maximum */
  readonly stringPrefixLength: number
}

/** Years of four digits: other readers take no more. */
const FIRST_DAY = -719_162
const LAST_DAY = 2_932_896

/** @returns JSON text, or undefined when there is no sound bound to write */
export function formatBound(value: Exclude<Value, null>, type: DataType, options: BoundOptions): string | undefined {
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return String(value)
    case 'float':
    case 'double':
      return formatFloatBound(value as number, type.kind, options.side)
    case 'decimal':
      return formatDecimalBound(value as Decimal, type)
    case 'date':
      return formatDateBound(value as number)
    case 'timestamp':
      return formatTimestampBound(value as bigint, options.side, 'Z')
    case 'timestamp_ntz':
      return formatTimestampBound(value as bigint, options.side, '')
    case 'string':
      return formatStringBound(value as string, options)
    default:
      return undefined
  }
}

/** −0.0 and 0.0 are equal, so a zero is widened to the one that lies outside; JSON has no word for the infinite. */
function formatFloatBound(value: number, kind: 'float' | 'double', side: BoundSide): string | undefined {
  if (!Number.isFinite(value)) return undefined
  if (value === 0) return side === 'min' ? '-0.0' : '0.0'
  const text = doubleToText(value, kind)
  return /[.e]/.test(text) ? text : `${text}.0`
}

function formatDecimalBound(value: Decimal, type: DecimalType): string | undefined {
  const scaled = rescale(value, type.scale)
  return fitsPrecision(scaled.unscaled, type.precision) ? scaled.toString() : undefined
}

function formatDateBound(days: number): string | undefined {
  return days < FIRST_DAY || days > LAST_DAY ? undefined : JSON.stringify(formatDate(days))
}

/** Milliseconds, always three digits; a minimum is lowered and a maximum raised to the next one. */
function formatTimestampBound(micros: bigint, side: BoundSide, zone: string): string | undefined {
  const millis = side === 'min' ? floorDiv(micros, 1000n) : floorDiv(micros + 999n, 1000n)
  const days = floorDiv(millis, 86_400_000n)
  if (days < BigInt(FIRST_DAY) || days > BigInt(LAST_DAY)) return undefined
  const [whole = '', fraction = ''] = formatTimestamp(millis * 1000n).split('.')
  return `"${whole}.${fraction.padEnd(3, '0')}${zone}"`
}

function formatStringBound(value: string, options: BoundOptions): string | undefined {
  if (/\p{Surrogate}/u.test(value)) return undefined
  const limit = options.stringPrefixLength
  const bound = options.side === 'min' ? prefixOf(value, limit) : upperPrefix(value, limit)
  return bound === undefined ? undefined : JSON.stringify(bound)
}

const DELETE = '\u007f'
const LAST_CODE_POINT = '\u{10ffff}'

/** At most `limit` UTF-16 units, never half of a pair. */
function prefixOf(value: string, limit: number): string {
  if (value.length <= limit) return value
  const cutsPair = limit > 0 && isHighSurrogate(value.charCodeAt(limit - 1))
  return value.slice(0, cutsPair ? limit - 1 : limit)
}

/**
 * A text that is not below `value` in the order of UTF-8 bytes.
 *
 * Behind a cut stands a character above the first one dropped. Nothing is above U+10FFFF, so those are kept, up to
 * twice the limit.
 */
function upperPrefix(value: string, limit: number): string | undefined {
  let end = prefixOf(value, limit).length
  while (value.startsWith(LAST_CODE_POINT, end)) end += LAST_CODE_POINT.length
  if (end > 2 * limit) return undefined
  if (end >= value.length) return value
  return value.slice(0, end) + (value.charCodeAt(end) < 0x7f ? DELETE : LAST_CODE_POINT)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
