/** Rounding, powers, logarithms, trigonometry, bits. Last digits of the transcendental ones are the platform's. */
import { deltaError } from '../../errors/index.ts'
import { byteType, doubleType, integerType, longType, stringType, type Value } from '../../schema/index.ts'
import { encodeHex, encodeUtf8 } from '../../support/index.ts'
import { isIntegralType } from '../bind/coercion.ts'
import { dayInterval, type Expected, monthInterval, oneOf, only, strictly } from '../bind/expected.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

export const double = only(doubleType)

export const whole = only(integerType)

export const long = only(longType)

export const WHOLE_BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, integer: 32, long: 64 }

function real(
  name: string,
  evaluate: (...values: number[]) => number | null,
  aliases: readonly string[] = [],
  count = 1,
): FunctionEntry {
  return simple({
    name,
    aliases,
    takes: Array.from({ length: count }, () => double),
    gives: doubleType,
    strict: () => evaluate as (...values: NotNull[]) => Value,
  })
}

const positive =
  (evaluate: (value: number) => number, above = 0): ((value?: number) => number | null) =>
  (value = 0) =>
    value <= above ? null : evaluate(value)

function halfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

function shift(
  name: string,
  ints: (value: number, by: number) => number,
  longs: (value: bigint, by: bigint) => bigint,
): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    bind([value, by], site) {
      const [arg, count] = castArguments(
        [value!, by!],
        [oneOf(strictly(integerType), strictly(longType), only(integerType)), whole],
        site.name,
      )
      return callOf(name, [arg!, count!], arg!.type)
    },
    strict: ({ type }) =>
      type.kind === 'long'
        ? (value, count) => longs(value as bigint, BigInt((count as number) & 63))
        : (value, count) => ints(value as number, count as number),
  }
}

function bitGet({ types }: CallShape): (value: NotNull, position: NotNull) => Value {
  const bits = WHOLE_BITS[types[0]!.kind]!
  return (value, position) => {
    const at = position as number
    if (at < 0 || at >= bits)
      throw deltaError('INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE', { position: at, last: bits - 1 })
    return Number((BigInt.asUintN(64, BigInt(value as number | bigint)) >> BigInt(at)) & 1n)
  }
}

const integralType: Expected = {
  text: 'a whole number',
  nothing: integerType,
  accepts: isIntegralType,
  castFrom: () => undefined,
}

function widthBucket(value: number, low: number, high: number, buckets: bigint): bigint | null {
  if (buckets <= 0n || buckets === 2n ** 63n - 1n || Number.isNaN(value) || low === high) return null
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null
  const count = Number(buckets)
  if (low < high) {
    if (value < low) return 0n
    return value >= high ? buckets + 1n : BigInt(Math.trunc((count * (value - low)) / (high - low))) + 1n
  }
  if (value > low) return 0n
  return value <= high ? buckets + 1n : BigInt(Math.trunc((count * (low - value)) / (low - high))) + 1n
}

function factorial(value: number): bigint | null {
  if (value < 0 || value > 20) return null
  let product = 1n
  for (let i = 2n; i <= BigInt(value); i++) product *= i
  return product
}

function hexText({ types }: CallShape): (value: NotNull) => Value {
  switch (types[0]!.kind) {
    case 'long':
      return (value) =>
        BigInt.asUintN(64, value as bigint)
          .toString(16)
          .toUpperCase()
    case 'string':
      return (value) => encodeHex(encodeUtf8(value as string)).toUpperCase()
    default:
      return (value) => encodeHex(value as Uint8Array).toUpperCase()
  }
}

function unhex(text: string): Uint8Array | null {
  if (!/^[0-9a-fA-F]*$/.test(text)) return null
  const even = text.length % 2 === 0 ? text : `0${text}`
  return Uint8Array.from(even.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

export const mathFunctions: readonly FunctionEntry[] = [
  real('sqrt', (x) => Math.sqrt(x!)),
  real('cbrt', (x) => Math.cbrt(x!)),
  real('exp', (x) => Math.exp(x!)),
  real('expm1', (x) => Math.expm1(x!)),
  real('ln', positive(Math.log)),
  real('log10', positive(Math.log10)),
  real('log2', positive(Math.log2)),
  real('log1p', positive(Math.log1p, -1)),
  {
    name: 'log',
    arity: [1, 2],
    bind(args, site) {
      const cast = castArguments(args, [double], site.name)
      return callOf(cast.length === 1 ? 'ln' : 'log', cast, doubleType)
    },
    strict: () => (base, value) =>
      (base as number) <= 0 || (value as number) <= 0 ? null : Math.log(value as number) / Math.log(base as number),
  },
  real('pow', (x, y) => (Math.abs(x!) === 1 && !Number.isFinite(y!) ? Number.NaN : x! ** y!), ['power'], 2),
  real('sin', (x) => Math.sin(x!)),
  real('cos', (x) => Math.cos(x!)),
  real('tan', (x) => Math.tan(x!)),
  real('cot', (x) => 1 / Math.tan(x!)),
  real('sec', (x) => 1 / Math.cos(x!)),
  real('csc', (x) => 1 / Math.sin(x!)),
  real('asin', (x) => Math.asin(x!)),
  real('acos', (x) => Math.acos(x!)),
  real('atan', (x) => Math.atan(x!)),
  real('atan2', (y, x) => Math.atan2(y! + 0, x! + 0), [], 2),
  real('sinh', (x) => Math.sinh(x!)),
  real('cosh', (x) => Math.cosh(x!)),
  real('tanh', (x) => Math.tanh(x!)),
  real('asinh', (x) => Math.asinh(x!)),
  real('acosh', (x) => Math.acosh(x!)),
  real('atanh', (x) => Math.atanh(x!)),
  real('hypot', (x, y) => Math.hypot(x!, y!), [], 2),
  real('degrees', (x) => x! * (180 / Math.PI)),
  real('radians', (x) => (x! / 180) * Math.PI),
  real('rint', (x) => halfEven(x!)),
  real('pi', () => Math.PI, [], 0),
  real('e', () => Math.E, [], 0),
  simple({
    name: 'sign',
    aliases: ['signum'],
    takes: [oneOf(dayInterval, monthInterval, double)],
    gives: doubleType,
    strict: () => (value) =>
      typeof value === 'bigint' ? Number(value > 0n) - Number(value < 0n) : Math.sign(value as number),
  }),
  simple({ name: 'factorial', takes: [whole], gives: longType, strict: () => (value) => factorial(value as number) }),
  simple({
    name: 'width_bucket',
    takes: [double, double, double, long],
    gives: longType,
    strict: () => widthBucket as unknown as (...values: NotNull[]) => Value,
  }),
  shift(
    'shiftleft',
    (value, by) => value << by,
    (value, by) => BigInt.asIntN(64, value << by),
  ),
  shift(
    'shiftright',
    (value, by) => value >> by,
    (value, by) => value >> by,
  ),
  shift(
    'shiftrightunsigned',
    (value, by) => (value >>> by) | 0,
    (value, by) => BigInt.asIntN(64, BigInt.asUintN(64, value) >> by),
  ),
  simple({
    name: 'bit_count',
    takes: [oneOf(integralType, strictly({ kind: 'boolean' }))],
    gives: integerType,
    strict: () => (value) => {
      const bits = BigInt.asUintN(64, BigInt(value as number | bigint | boolean))
      return bits.toString(2).replaceAll('0', '').length
    },
  }),
  simple({ name: 'bit_get', aliases: ['getbit'], takes: [integralType, whole], gives: byteType, strict: bitGet }),
  simple({
    name: 'bin',
    takes: [long],
    gives: stringType,
    strict: () => (value) => BigInt.asUintN(64, value as bigint).toString(2),
  }),
  simple({
    name: 'hex',
    takes: [oneOf(only(longType), only({ kind: 'binary' }), only(stringType))],
    gives: stringType,
    strict: hexText,
  }),
  simple({
    name: 'unhex',
    takes: [only(stringType)],
    gives: { kind: 'binary' },
    strict: () => (text) => unhex(text as string),
  }),
]
