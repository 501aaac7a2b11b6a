/** Arithmetic on values of one type, with the errors of ANSI mode. */
import { deltaError, type ErrorCode } from '../../errors/index.ts'
import type { DecimalType } from '../../schema/index.ts'
import { Decimal, fitsPrecision, rescale } from '../../support/index.ts'
import { typeText } from '../cast/rules.ts'
import { type ExpressionType, isInterval } from '../expression.ts'
import type { NotNull } from './entry.ts'

export type OperationName = '+' | '-' | '*' | '/' | '%' | 'div' | 'pmod'
type UnaryName = 'negative' | 'abs' | 'positive'
type BitName = '&' | '|' | '^'
type Operation = (a: NotNull, b: NotNull) => NotNull

const BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, integer: 32 }

function overflow(operation: string, type: ExpressionType): Error {
  const small = type.kind === 'byte' || type.kind === 'short'
  const code: ErrorCode = isInterval(type)
    ? 'INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION'
    : small && operation.length === 1
      ? 'BINARY_ARITHMETIC_OVERFLOW'
      : 'ARITHMETIC_OVERFLOW'
  return deltaError(code, { operation, type: typeText(type) })
}

/** An operation on integral, floating or interval values. */
export function wholeOperation(name: OperationName | UnaryName | BitName, type: ExpressionType): Operation {
  if (isInterval(type))
    return type.kind === 'interval_year_month' ? intOperation(name, type, 32) : longOperation(name, type)
  if (type.kind === 'long') return longOperation(name, type)
  if (type.kind === 'float' || type.kind === 'double') return floatingOperation(name, type.kind === 'float')
  if (type.kind === 'decimal') return decimalSign(name)
  return intOperation(name, type, BITS[type.kind]!)
}

function intOperation(name: string, type: ExpressionType, bits: number): Operation {
  const high = 2 ** (bits - 1)
  const narrow = (value: number): number => {
    if (value >= -high && value < high) return value + 0
    throw overflow(name, type)
  }
  const op = INT_OPERATIONS.get(name)!
  if (name === '&' || name === '|' || name === '^') return op as Operation
  if (name === 'pmod' && bits === 32) return (a, b) => positiveRemainder(a as number, b as number, (sum) => sum | 0)
  return (a, b) => narrow(op(a as number, b as number))
}

const INT_OPERATIONS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['%', (a, b) => (b === 0 ? throwRemainder() : a % b)],
  ['pmod', (a, b) => positiveRemainder(a, b, (sum) => sum)],
  ['negative', (a) => -a],
  ['abs', (a) => Math.abs(a)],
  ['&', (a, b) => a & b],
  ['|', (a, b) => a | b],
  ['^', (a, b) => a ^ b],
])

function positiveRemainder(a: number, b: number, wrap: (sum: number) => number): number {
  if (b === 0) throwRemainder()
  const rest = a % b
  return (rest < 0 ? wrap(rest + b) % b : rest) + 0
}

function throwRemainder(): never {
  throw deltaError('REMAINDER_BY_ZERO')
}

function throwDivide(): never {
  throw deltaError('DIVIDE_BY_ZERO')
}

function longOperation(name: string, type: ExpressionType): Operation {
  const op = LONG_OPERATIONS.get(name)!
  return (a, b) => {
    const value = op(a as bigint, b as bigint)
    if (BigInt.asIntN(64, value) !== value) throw overflow(name, type)
    return value
  }
}

const LONG_OPERATIONS: ReadonlyMap<string, (a: bigint, b: bigint) => bigint> = new Map([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['%', (a, b) => (b === 0n ? throwRemainder() : a % b)],
  ['div', (a, b) => (b === 0n ? throwDivide() : a / b)],
  ['pmod', longPositiveRemainder],
  ['negative', (a) => -a],
  ['abs', (a) => (a < 0n ? -a : a)],
  ['&', (a, b) => a & b],
  ['|', (a, b) => a | b],
  ['^', (a, b) => a ^ b],
])

function longPositiveRemainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throwRemainder()
  const rest = a % b
  return rest < 0n ? BigInt.asIntN(64, rest + b) % b : rest
}

function floatingOperation(name: string, single: boolean): Operation {
  const op = FLOATING_OPERATIONS.get(name)!
  if (single) return (a, b) => Math.fround(op(a as number, b as number))
  return op as Operation
}

const FLOATING_OPERATIONS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => (b === 0 ? throwDivide() : a / b)],
  ['%', (a, b) => (b === 0 ? throwRemainder() : a % b)],
  ['pmod', floatingPositiveRemainder],
  ['negative', (a) => -a],
  ['abs', (a) => Math.abs(a)],
])

function floatingPositiveRemainder(a: number, b: number): number {
  if (b === 0) throwRemainder()
  const rest = a % b
  return rest < 0 ? (rest + b) % b : rest
}

function decimalSign(name: string): Operation {
  if (name === 'negative') return (a) => new Decimal(-(a as Decimal).unscaled, (a as Decimal).scale)
  return (a) => ((a as Decimal).unscaled < 0n ? new Decimal(-(a as Decimal).unscaled, (a as Decimal).scale) : a)
}

/**
 * An operation on decimals.
 *
 * @param type the result's; absent for `div`, whose result is a long that wraps as Spark's does
 */
export function decimalOperation(name: OperationName, type: DecimalType | undefined): Operation {
  const op = DECIMAL_OPERATIONS.get(name)!
  if (type === undefined) return (a, b) => BigInt.asIntN(64, op(a as Decimal, b as Decimal).unscaled)
  return (a, b) => {
    const value = op(a as Decimal, b as Decimal)
    const scaled = rescale(value, type.scale)
    if (fitsPrecision(scaled.unscaled, type.precision)) return scaled
    throw deltaError('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', { value, type: typeText(type) })
  }
}

type DecimalBinary = (a: Decimal, b: Decimal) => Decimal

const DECIMAL_OPERATIONS: ReadonlyMap<string, DecimalBinary> = new Map<string, DecimalBinary>([
  ['+', (a, b) => aligned(a, b, (x, y) => x + y)],
  ['-', (a, b) => aligned(a, b, (x, y) => x - y)],
  ['*', (a, b) => limitDigits(new Decimal(a.unscaled * b.unscaled, a.scale + b.scale))],
  ['/', divide],
  ['%', (a, b) => (b.unscaled === 0n ? throwRemainder() : aligned(a, b, (x, y) => x % y))],
  ['pmod', (a, b) => (b.unscaled === 0n ? throwRemainder() : aligned(a, b, decimalPositiveRemainder))],
  ['div', (a, b) => (b.unscaled === 0n ? throwDivide() : new Decimal(aligned(a, b, (x, y) => x / y).unscaled, 0))],
])

function decimalPositiveRemainder(a: bigint, b: bigint): bigint {
  const rest = a % b
  return rest < 0n ? (rest + b) % b : rest
}

function aligned(a: Decimal, b: Decimal, op: (x: bigint, y: bigint) => bigint): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return new Decimal(op(rescale(a, scale).unscaled, rescale(b, scale).unscaled), scale)
}

/** Spark multiplies with 39 significant digits before it looks at the result's type. */
function limitDigits(value: Decimal): Decimal {
  const digits = (value.unscaled < 0n ? -value.unscaled : value.unscaled).toString().length
  const dropped = digits - 39
  if (dropped <= 0) return value
  const rounded = rescale(new Decimal(value.unscaled, dropped), 0).unscaled
  const scale = value.scale - dropped
  return scale >= 0 ? new Decimal(rounded, scale) : new Decimal(rounded * 10n ** BigInt(-scale), 0)
}

/** Spark divides to 39 digits of fraction, rounded half up, before it looks at the result's type. */
function divide(a: Decimal, b: Decimal): Decimal {
  if (b.unscaled === 0n) throwDivide()
  const scale = 39
  const shift = scale + b.scale - a.scale
  const numerator = shift >= 0 ? a.unscaled * 10n ** BigInt(shift) : a.unscaled
  const denominator = shift >= 0 ? b.unscaled : b.unscaled * 10n ** BigInt(-shift)
  const doubled = (numerator < 0n ? -numerator : numerator) * 2n
  const magnitude = denominator < 0n ? -denominator : denominator
  const rounded = (doubled + magnitude) / (magnitude * 2n)
  return new Decimal(numerator < 0n !== denominator < 0n ? -rounded : rounded, scale)
}
