/** Rounding, powers, logarithms, trigonometry, bits. Last digits of the transcendental ones are the platform's. */
import { deltaError } from '../../errors/index.ts'
import {
  byteType,
  type DecimalType,
  decimalType,
  doubleType,
  integerType,
  longType,
  stringType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, encodeHex, encodeUtf8, fitsPrecision } from '../../support/index.ts'
import { boundedDecimal, coerce, isIntegralType } from '../bind/coercion.ts'
import { dayInterval, type Expected, monthInterval, numeric, oneOf, only, strictly } from '../bind/expected.ts'
import { roundToFloat } from '../cast/number-text.ts'
import { typeText } from '../cast/rules.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import {
  type CallShape,
  callOf,
  castArgument,
  castArguments,
  type FunctionEntry,
  type NotNull,
  simple,
} from './entry.ts'

type Mode = 'up' | 'even' | 'floor' | 'ceiling'

const double = only(doubleType)
const whole = only(integerType)
const long = only(longType)

/** A decimal at a scale of any sign, by one of the ways to round. */
function roundDecimal(value: Decimal, scale: number, mode: Mode): Decimal {
  if (scale >= value.scale) return new Decimal(value.unscaled * 10n ** BigInt(scale - value.scale), scale)
  const divisor = 10n ** BigInt(value.scale - scale)
  const quotient = value.unscaled / divisor
  const rest = value.unscaled % divisor
  const step = value.unscaled < 0n ? -1n : 1n
  const rounded = roundsAway(quotient, rest < 0n ? -rest : rest, divisor, value.unscaled < 0n, mode)
    ? quotient + step
    : quotient
  return scale >= 0 ? new Decimal(rounded, scale) : new Decimal(rounded * 10n ** BigInt(-scale), 0)
}

function roundsAway(quotient: bigint, rest: bigint, divisor: bigint, negative: boolean, mode: Mode): boolean {
  if (rest === 0n) return false
  if (mode === 'floor') return negative
  if (mode === 'ceiling') return !negative
  if (rest * 2n !== divisor) return rest * 2n > divisor
  return mode === 'up' || quotient % 2n !== 0n
}

/** The decimal a double is written as, whatever its exponent. */
function writtenDecimal(value: number): Decimal {
  const [mantissa, exponent = '0'] = String(value).split('e') as [string, string?]
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const unscaled = BigInt(whole + fraction)
  return scale >= 0 ? new Decimal(unscaled, scale) : new Decimal(unscaled * 10n ** BigInt(-scale), 0)
}

/** The constant number of digits of a rounding, 0 where it is NULL. */
function constantScale(node: BoundExpression | undefined, name: string): { scale: number; missing: boolean } {
  if (node === undefined) return { scale: 0, missing: false }
  if (node.kind !== 'literal') throw deltaError('DATATYPE_MISMATCH.NON_FOLDABLE_INPUT', { name, position: 2 })
  return { scale: node.value === null ? 0 : (node.value as number), missing: node.value === null }
}

function roundedType(type: ExpressionType, scale: number): ExpressionType {
  if (type.kind !== 'decimal') return type
  const digits = type.precision - type.scale + 1
  if (scale < 0) return decimalType(Math.min(Math.max(digits, 1 - scale), 38), 0)
  const kept = Math.min(type.scale, scale)
  return decimalType(Math.min(digits + kept, 38), kept)
}

function bindRound(name: string, accepted: Expected): FunctionEntry['bind'] {
  return ([value, digits], site) => {
    const arg = castArgument(value!, accepted, site.name, 0)
    const at = digits === undefined ? undefined : castArgument(digits, whole, site.name, 1)
    const { scale, missing } = constantScale(at?.kind === 'cast' ? undefined : at, site.name)
    const type = roundedType(arg.type, scale)
    if (missing) return { kind: 'literal', value: null, type }
    if (scale > 400 || scale < -400) throw unsupported(`${name} to ${scale} digits`, 'ask for fewer')
    return callOf(name, [arg, { kind: 'literal', value: scale, type: integerType }], type)
  }
}

function rounding(name: string, mode: Mode): FunctionEntry {
  return { name, arity: [1, 2], bind: bindRound(name, numeric), strict: roundEvaluator(mode) }
}

function roundEvaluator(mode: Mode): (shape: CallShape) => (...values: NotNull[]) => Value {
  return ({ type }) => {
    switch (type.kind) {
      case 'decimal':
        return (value, scale) => narrowDecimal(roundDecimal(value as Decimal, scale as number, mode), type)
      case 'float':
      case 'double':
        return (value, scale) => roundFloating(value as number, scale as number, mode, type.kind === 'float')
      default:
        return (value, scale) => roundWhole(value as number | bigint, scale as number, mode, type)
    }
  }
}

function narrowDecimal(value: Decimal, type: DecimalType): Decimal {
  const scaled = roundDecimal(value, type.scale, 'up')
  if (fitsPrecision(scaled.unscaled, type.precision)) return scaled
  throw deltaError('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', { value, type: typeText(type) })
}

function roundFloating(value: number, scale: number, mode: Mode, single: boolean): number {
  if (!Number.isFinite(value)) return value
  const text = roundDecimal(writtenDecimal(value), scale, mode).toString()
  return single ? roundToFloat(text) : Number(text)
}

const WHOLE_BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, integer: 32, long: 64 }

function roundWhole(value: number | bigint, scale: number, mode: Mode, type: ExpressionType): number | bigint {
  if (scale >= 0) return value
  const { unscaled } = roundDecimal(new Decimal(BigInt(value), 0), scale, mode)
  if (BigInt.asIntN(WHOLE_BITS[type.kind]!, unscaled) !== unscaled) {
    throw deltaError('ARITHMETIC_OVERFLOW', { operation: 'round', type: typeText(type) })
  }
  return type.kind === 'long' ? unscaled : Number(unscaled)
}

const anyDecimalType: Expected = {
  text: 'a decimal',
  nothing: decimalType(10, 0),
  accepts: (type) => type.kind === 'decimal',
  castFrom: () => undefined,
}

function floorOrCeil(name: 'floor' | 'ceil', aliases: readonly string[], mode: 'floor' | 'ceiling'): FunctionEntry {
  return {
    name,
    aliases,
    arity: [1, 2],
    bind(args, site) {
      if (args.length === 2) return bindRound(name, anyDecimalType)(args, site)
      const arg = castArgument(args[0]!, numeric, site.name, 0)
      if (arg.type.kind === 'decimal') {
        const { precision, scale } = arg.type
        const type = scale === 0 ? arg.type : boundedDecimal(precision - scale + 1, 0)
        return callOf(name, [arg, { kind: 'literal', value: 0, type: integerType }], type)
      }
      const given = isIntegralType(arg.type) ? coerce(arg, longType) : coerce(arg, doubleType)
      return callOf(name, [given, { kind: 'literal', value: 0, type: integerType }], longType)
    },
    strict(shape) {
      if (shape.type.kind === 'decimal') return roundEvaluator(mode)(shape)
      if (shape.types[0]!.kind === 'long') return (value) => value
      const round = mode === 'floor' ? Math.floor : Math.ceil
      return (value) => saturate(round(value as number))
    },
  }
}

/** Java's conversion of a double to long. */
function saturate(value: number): bigint {
  if (Number.isNaN(value)) return 0n
  if (value >= 2 ** 63) return 2n ** 63n - 1n
  return value <= -(2 ** 63) ? -(2n ** 63n) : BigInt(value)
}

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
  rounding('round', 'up'),
  rounding('bround', 'even'),
  floorOrCeil('floor', [], 'floor'),
  floorOrCeil('ceil', ['ceiling'], 'ceiling'),
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
