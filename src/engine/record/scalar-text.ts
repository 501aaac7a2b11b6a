/**
 * Texts as values, exactly: nothing is rounded, cut, wrapped or shifted; a text that is no value of the type gives
 * undefined.
 */
import type { DataType, Value } from '../../schema/index.ts'
import {
  type Decimal,
  decodeBase64,
  fitsPrecision,
  parseDate,
  parseDecimal,
  parseTimestamp,
  rescale,
} from '../../support/index.ts'

const INTEGER_BITS = { byte: 8, short: 16, integer: 32, long: 64 } as const
/** Days of 0001-01-01 and 9999-12-31: other readers take no others. */
const FIRST_DAY = -719_162
const LAST_DAY = 2_932_896
const MICROS_PER_DAY = 86_400_000_000n

/** @param type neither nested nor a string */
export function scalarFromText(text: string, type: DataType): Exclude<Value, null> | undefined {
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return integerFromText(text, type.kind)
    case 'float':
    case 'double':
      return doubleFromText(text, type.kind)
    case 'decimal':
      return decimalFromText(text, type.precision, type.scale)
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'date':
      return dateFromText(text)
    case 'timestamp':
    case 'timestamp_ntz':
      return timestampFromText(text, type.kind)
    case 'binary':
      return decodeBase64(text)
    default:
      return undefined
  }
}

/** `1.0` and `1e3` are whole numbers, `1.5` is none. */
function integerFromText(text: string, kind: keyof typeof INTEGER_BITS): number | bigint | undefined {
  const whole = /^-?\d{1,19}$/.test(text) ? BigInt(text) : exactly(parseDecimal(text), 0)?.unscaled
  if (whole === undefined || BigInt.asIntN(INTEGER_BITS[kind], whole) !== whole) return undefined
  return kind === 'long' ? whole : Number(whole)
}

function doubleFromText(text: string, kind: 'float' | 'double'): number | undefined {
  if (/^(?:NaN|-?Infinity)$/.test(text)) return Number(text)
  if (!/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) return undefined
  const value = kind === 'float' ? Math.fround(Number(text)) : Number(text)
  return Number.isFinite(value) ? value : undefined
}

function decimalFromText(text: string, precision: number, scale: number): Decimal | undefined {
  const value = exactly(parseDecimal(text), scale)
  return value !== undefined && fitsPrecision(value.unscaled, precision) ? value : undefined
}

/** The same value at another scale, or undefined where digits would be lost. */
function exactly(value: Decimal | undefined, scale: number): Decimal | undefined {
  if (value === undefined) return undefined
  const scaled = rescale(value, scale)
  return value.scale <= scale || rescale(scaled, value.scale).unscaled === value.unscaled ? scaled : undefined
}

function dateFromText(text: string): number | undefined {
  const days = parseDate(text)
  return days === undefined || days < FIRST_DAY || days > LAST_DAY ? undefined : days
}

/** A time without a zone is UTC; a wall clock has none. Digits beyond microseconds must be zeros. */
function timestampFromText(text: string, kind: 'timestamp' | 'timestamp_ntz'): bigint | undefined {
  const parsed = parseTimestamp(text)
  if (parsed === undefined || /\.\d{6}\d*[1-9]/.test(text)) return undefined
  if (kind === 'timestamp_ntz' && parsed.offsetMinutes !== undefined) return undefined
  const micros = parsed.micros - BigInt(parsed.offsetMinutes ?? 0) * 60_000_000n
  const inRange = micros >= BigInt(FIRST_DAY) * MICROS_PER_DAY && micros < BigInt(LAST_DAY + 1) * MICROS_PER_DAY
  return inRange ? micros : undefined
}
