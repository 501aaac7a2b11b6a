/** Numbers as Java writes and reads them: `1.0E8`, `4.9E-324`, `Infinity`, `0x1p3`, `1.5f`. */
import { Decimal } from '../../support/index.ts'

/** Java's `Double.toString` and `Float.toString`. */
export function javaFloatText(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const magnitude = Math.abs(value)
  const whole = Number.isInteger(value) && magnitude < 2 ** 63
  const { digits, exponent } = whole ? wholeDigits(magnitude, single) : shortestDigits(magnitude, single)
  const sign = value < 0 ? '-' : ''
  if (exponent >= -3 && exponent < 7) return sign + plainText(digits, exponent)
  return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`
}

function plainText(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const padded = digits.padEnd(exponent + 1, '0')
  return `${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1) || '0'}`
}

/**
 * Whole numbers below 2^63 are written with every digit that counts, not with the fewest: the Java that Spark runs on
 * drops only digits that lie wholly below the number's precision.
 */
function wholeDigits(value: number, single: boolean): { digits: string; exponent: number } {
  const exact = BigInt(value)
  const spare = exact.toString(2).length - 1 - (single ? 24 : 53) - 1
  const dropped = spare > 0 ? Math.floor(spare * Math.log10(2)) : 0
  const unit = 10n ** BigInt(dropped)
  const kept = exact / unit + (dropped > 0 && exact % unit >= unit / 2n ? 1n : 0n)
  const digits = kept.toString()
  return { digits: digits.replace(/(?<=.)0+$/, ''), exponent: digits.length - 1 + dropped }
}

/** The fewest digits that give the number back, but of two the nearest where one would do. */
function shortestDigits(value: number, single: boolean): { digits: string; exponent: number } {
  const same = (text: string): boolean => (single ? Math.fround(Number(text)) : Number(text)) === value
  for (let precision = 2; precision < 17; precision++) {
    const text = value.toExponential(precision - 1)
    if (same(text)) return parts(text)
    if (!single && precision === 2) break
  }
  if (!single) return parts(value.toExponential())
  return parts(value.toExponential(8))
}

function parts(text: string): { digits: string; exponent: number } {
  const [mantissa, exponent] = text.split('e') as [string, string]
  return { digits: mantissa.replace('.', '').replace(/(?<=.)0+$/, ''), exponent: Number(exponent) }
}

const DECIMAL_FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?$/
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d{1,5})[fFdD]?$/
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['+inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['+infinity', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
  ['nan', Number.NaN],
])

/**
 * A float or a double as Java parses it, blanks around it dropped.
 *
 * @returns undefined when it is none
 */
export function parseJavaFloat(text: string, single: boolean): number | undefined {
  const trimmed = javaTrim(text)
  if (DECIMAL_FLOAT.test(trimmed)) {
    const digits = trimmed.replace(/[fFdD]$/, '')
    return single ? roundToFloat(digits) : Number(digits)
  }
  if (/^[+-]NaN$/.test(trimmed)) return Number.NaN
  return SPECIAL.get(trimmed.toLowerCase()) ?? parseHexFloat(trimmed, single)
}

/** Without characters up to U+0020 at both ends. */
export function javaTrim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  return text.slice(start, end)
}

function parseHexFloat(text: string, single: boolean): number | undefined {
  const match = HEX_FLOAT.exec(text)
  if (match === null || (match[2] === '' && match[3] === '')) return undefined
  const digits = BigInt(`0x${match[2]}${match[3]}`)
  if (digits >= 1n << 24n) return undefined
  const value = Number(digits) * 2 ** (Number(match[4]) - 4 * match[3]!.length)
  const signed = match[1] === '-' ? -value : value
  return single ? Math.fround(signed) : signed
}

/**
 * The float nearest to a decimal text.
 *
 * Rounding by way of a double is wrong only where the double lies exactly between two floats and the text does not;
 * then the text decides.
 */
export function roundToFloat(text: string): number {
  const double = Number(text)
  const float = Math.fround(double)
  if (float === double || !Number.isFinite(double)) return float
  const other = neighbour(float, double)
  if (Math.abs(double - float) !== Math.abs(other - double)) return float
  const difference = compareWithDouble(text, double)
  if (difference === 0) return float
  const [low, high] = float < other ? [float, other] : [other, float]
  return difference < 0 ? low : high
}

/** The float next to `float` on the side of `toward`. */
function neighbour(float: number, toward: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setFloat32(0, float)
  const bits = view.getInt32(0)
  const away = toward > float === float >= 0
  if (float === 0) return toward > 0 ? 2 ** -149 : -(2 ** -149)
  view.setInt32(0, away ? bits + 1 : bits - 1)
  const next = view.getFloat32(0)
  return Number.isFinite(next) ? next : Math.sign(next) * 2 ** 128
}

function compareWithDouble(text: string, double: number): number {
  const exact = exactDecimal(double)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n)
  if (Math.abs(scale) > 2000) return Math.abs(Number(text)) < Math.abs(double) ? -1 : 1
  const left = digits * 10n ** BigInt(Math.max(0, exact.scale - scale))
  const right = exact.unscaled * 10n ** BigInt(Math.max(0, scale - exact.scale))
  return left < right ? -1 : left > right ? 1 : 0
}

/** A double as the exact decimal it is. */
export function exactDecimal(value: number): Decimal {
  let scaled = value
  let halvings = 0
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    halvings++
  }
  return new Decimal(BigInt(scaled) * 5n ** BigInt(halvings), halvings)
}

/** A long as the nearest float, as Java's conversion gives it. */
export function longToFloat(value: bigint): number {
  const double = Number(value)
  return Number.isSafeInteger(double) ? Math.fround(double) : roundToFloat(value.toString())
}
