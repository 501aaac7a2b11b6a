/** ROUND, BROUND, FLOOR and CEIL on every type of number. */
import { deltaError } from '../../errors/index.ts'
import { type DecimalType, decimalType, doubleType, integerType, longType, type Value } from '../../schema/index.ts'
import { Decimal, fitsPrecision } from '../../support/index.ts'
import { boundedDecimal, coerce, decimalFor, isIntegralType, isNumericType } from '../bind/coercion.ts'
import { type Expected, numeric } from '../bind/expected.ts'
import { castValue } from '../cast/index.ts'
import { roundToFloat } from '../cast/number-text.ts'
import { typeText } from '../cast/rules.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { type CallShape, callOf, castArgument, type FunctionEntry, type NotNull } from './entry.ts'
import { WHOLE_BITS, whole } from './math.ts'

type Mode = 'up' | 'even' | 'floor' | 'ceiling'

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
  const value = constantOf(node)
  if (value === undefined) throw deltaError('DATATYPE_MISMATCH.NON_FOLDABLE_INPUT', { name, position: 2 })
  return { scale: (value ?? 0) as number, missing: value === null }
}

/** @returns undefined where the node is no constant; a cast of one is */
function constantOf(node: BoundExpression): Value | undefined {
  if (node.kind === 'literal') return node.value
  if (node.kind !== 'cast' || node.child.kind !== 'literal') return undefined
  return castValue(node.child.value, node.child.type, node.type)
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
    if (accepted === anyDecimalType && digits !== undefined && digits.type.kind !== 'integer') {
      throw deltaError('NON_FOLDABLE_ARGUMENT', { name, parameter: 'scale', type: 'int' })
    }
    const at = digits === undefined ? undefined : castArgument(digits, whole, site.name, 1)
    const { scale, missing } = constantScale(at, site.name)
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
  nothing: decimalType(38, 18),
  accepts: (type) => type.kind === 'decimal',
  castFrom: (type) => (isNumericType(type) ? decimalFor(type) : undefined),
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

export const roundingFunctions: readonly FunctionEntry[] = [
  rounding('round', 'up'),
  rounding('bround', 'even'),
  floorOrCeil('floor', [], 'floor'),
  floorOrCeil('ceil', ['ceiling'], 'ceiling'),
]
