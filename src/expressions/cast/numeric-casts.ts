/** Casts to boolean and to the numeric types. */
import { type DecimalType, isIntegral, type Value } from '../../schema/index.ts'
import { Decimal, fitsPrecision, floorDiv, parseDecimal, rescale } from '../../support/index.ts'
import { trimControls } from '../datetime/datetime-text.ts'
import { intervalFields } from '../datetime/interval.ts'
import { isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import type { Cast, CastSetting } from './cast-function.ts'
import { MICROS_OF_FIELD } from './interval-casts.ts'
import { javaTrim, longToFloat, parseJavaFloat, roundToFloat } from './number-text.ts'

const TRUE_TEXTS = new Set(['t', 'true', 'y', 'yes', '1'])
const FALSE_TEXTS = new Set(['f', 'false', 'n', 'no', '0'])

export function toBoolean({ from, fail }: CastSetting): Cast {
  if (from.kind === 'string') {
    return (value) => {
      const text = trimControls(value as string).toLowerCase()
      if (TRUE_TEXTS.has(text)) return true
      return FALSE_TEXTS.has(text) ? false : fail('CAST_INVALID_INPUT', value)
    }
  }
  if (from.kind === 'decimal') return (value) => (value as Decimal).unscaled !== 0n
  if (from.kind === 'long') return (value) => (value as bigint) !== 0n
  return (value) => (value as number) !== 0
}

const BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, integer: 32, long: 64 }

export function toIntegral(setting: CastSetting): Cast {
  const { from, to, fail } = setting
  const long = to.kind === 'long'
  const bits = BITS[to.kind]!
  const high = 2 ** (bits - 1)
  const whole = (value: bigint, shown: unknown): Value => {
    if (BigInt.asIntN(bits, value) !== value) return fail('CAST_OVERFLOW', shown)
    return long ? value : Number(value)
  }
  if (isInterval(from)) return (value) => whole(intervalUnits(setting, value as number | bigint), value)
  switch (from.kind) {
    case 'boolean':
      return long ? (value) => (value === true ? 1n : 0n) : (value) => (value === true ? 1 : 0)
    case 'byte':
    case 'short':
    case 'integer':
      if (long) return (value) => BigInt(value as number)
      return (value) => ((value as number) >= -high && (value as number) < high ? value : fail('CAST_OVERFLOW', value))
    case 'long':
      return (value) => whole(value as bigint, value)
    case 'decimal':
      return (value) => whole(truncate(value as Decimal), value)
    case 'timestamp':
      return (value) => whole(floorDiv(value as bigint, 1_000_000n), value)
    case 'string':
      return (value) => {
        const text = trimControls(value as string)
        if (!/^[+-]?\d{1,1000}$/.test(text)) return fail('CAST_INVALID_INPUT', value)
        const number = BigInt(text.replace('+', ''))
        if (BigInt.asIntN(bits, number) !== number) return fail('CAST_INVALID_INPUT', value)
        return long ? number : Number(number)
      }
    default:
      return (value) => floatingToWhole(value as number, bits) ?? fail('CAST_OVERFLOW', value)
  }
}

/** Towards zero; a double of 2^63 is the largest long, as Java's conversion has it. */
function floatingToWhole(value: number, bits: number): Value | undefined {
  const high = 2 ** (bits - 1)
  if (bits === 64) {
    if (!(value >= -high && value <= high)) return undefined
    return value === high ? 2n ** 63n - 1n : BigInt(Math.trunc(value))
  }
  return Math.floor(value) <= high - 1 && Math.ceil(value) >= -high ? Math.trunc(value) + 0 : undefined
}

/** The whole part, towards zero. */
export function truncate(value: Decimal): bigint {
  return value.unscaled / 10n ** BigInt(value.scale)
}

function intervalUnits({ from }: CastSetting, value: number | bigint): bigint {
  if (!isInterval(from)) return 0n
  const { last } = intervalFields(from)
  if (last === 'year') return BigInt(value) / 12n
  return last === 'month' ? BigInt(value) : BigInt(value) / MICROS_OF_FIELD[last]
}

export function toFloating({ from, to, fail }: CastSetting): Cast {
  const single = to.kind === 'float'
  switch (from.kind) {
    case 'boolean':
      return (value) => (value === true ? 1 : 0)
    case 'long':
      return single ? (value) => longToFloat(value as bigint) : (value) => Number(value as bigint)
    case 'decimal':
      return single ? (value) => roundToFloat(String(value)) : (value) => Number(String(value))
    case 'timestamp':
      return single ? (value) => Math.fround(Number(value) / 1e6) : (value) => Number(value) / 1e6
    case 'string':
      return (value) => parseJavaFloat(value as string, single) ?? fail('CAST_INVALID_INPUT', value)
    default:
      return single ? (value) => Math.fround(value as number) : (value) => value
  }
}

export function toDecimal(setting: CastSetting): Cast {
  const { from, fail } = setting
  const { precision, scale } = setting.to as DecimalType
  const narrow = (value: Decimal): Value => {
    const scaled = rescale(value, scale)
    return fitsPrecision(scaled.unscaled, precision)
      ? scaled
      : fail('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', value)
  }
  if (isInterval(from)) return (value) => narrow(intervalDecimal(setting, value as number | bigint))
  if (isIntegral(from)) return (value) => narrow(new Decimal(BigInt(value as number | bigint), 0))
  switch (from.kind) {
    case 'boolean':
      return (value) => narrow(new Decimal(value === true ? 1n : 0n, 0))
    case 'decimal':
      return (value) => narrow(value as Decimal)
    case 'timestamp':
      return (value) => narrow(parseDecimal(String(Number(value) / 1e6))!)
    case 'string':
      return (value) => {
        const decimal = textToDecimal(value as string)
        if (decimal === 'large') return fail('NUMERIC_OUT_OF_SUPPORTED_RANGE', value)
        return decimal === undefined ? fail('CAST_INVALID_INPUT', value) : narrow(decimal)
      }
    default:
      return (value) => {
        if (!Number.isFinite(value as number)) return null
        const decimal = textToDecimal(String(value as number))
        if (decimal === 'large') return fail('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', value)
        return narrow(decimal!)
      }
  }
}

function textToDecimal(text: string): Decimal | 'large' | undefined {
  if (/[\u0080-\uffff]/.test(text) && /\p{Nd}/u.test(text.replace(/[0-9]/g, ''))) {
    throw unsupported('a decimal in digits that are not 0 to 9', 'translate the digits')
  }
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(javaTrim(text))
  const [, sign, whole = '', fraction = '', exponent = '0'] = match ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (match === null || (whole === '' && fraction === '')) return undefined
  const scale = fraction.length - Number(exponent)
  if (digits === '') return new Decimal(0n, 0)
  if (digits.length - scale > 38) return 'large'
  if (scale - digits.length > 100) return new Decimal(0n, 0)
  const unscaled = BigInt(digits) * (sign === '-' ? -1n : 1n)
  return scale >= 0 ? new Decimal(unscaled, scale) : new Decimal(unscaled * 10n ** BigInt(-scale), 0)
}

function intervalDecimal(setting: CastSetting, value: number | bigint): Decimal {
  const inSeconds = isInterval(setting.from) && intervalFields(setting.from).last === 'second'
  return inSeconds ? new Decimal(BigInt(value), 6) : new Decimal(intervalUnits(setting, value), 0)
}
