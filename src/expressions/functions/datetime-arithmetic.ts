/** `+`, `-`, `*`, `/` and `div` where dates, timestamps or intervals take part. */
import { deltaError, type ErrorCode } from '../../errors/index.ts'
import { type DataType, dateType, integerType, longType, timestampNtzType, timestampType } from '../../schema/index.ts'
import { type Decimal, MICROS_PER_DAY } from '../../support/index.ts'
import { coerce, isDatetime, isNumericType } from '../bind/coercion.ts'
import { typeText } from '../cast/rules.ts'
import { addMonths, addMonthsToInstant, addTimeToInstant, toWall } from '../datetime/calendar-steps.ts'
import { commonInterval, dayToSecond, intervalType, yearToMonth } from '../datetime/interval.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import { type BoundExpression, type ExpressionType, type IntervalType, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { type CallShape, callOf, type FunctionEntry, type NotNull, unexpectedInput } from './entry.ts'

const UTC = zoneOf('UTC')

/** @returns undefined where the operands are no dates, timestamps or intervals */
export function bindDatetimeArithmetic(
  name: string,
  left: BoundExpression,
  right: BoundExpression,
): BoundExpression | undefined {
  if (name === '*' || name === '/') return bindScaling(name, left, right)
  if (name === 'div') return bindIntervalDiv(left, right)
  if (name !== '+' && name !== '-') return undefined
  if (isInterval(left.type) && isInterval(right.type)) return bindIntervalSum(name, left, right)
  if (isDatetime(left.type)) return bindStep(name, left, right)
  if (name === '+' && isDatetime(right.type)) return bindStep(name, right, left)
  return undefined
}

function bindIntervalSum(name: string, left: BoundExpression, right: BoundExpression): BoundExpression {
  const type = commonInterval(left.type as IntervalType, right.type as IntervalType)
  if (type === undefined) throw unexpectedInput(name, 1, typeText(left.type), right.type)
  return callOf(name, [coerce(left, type), coerce(right, type)], type)
}

/** A date or timestamp with something added or taken away. */
function bindStep(name: '+' | '-', base: BoundExpression, step: BoundExpression): BoundExpression | undefined {
  const sign = name === '+' ? 'add' : 'subtract'
  if (isInterval(step.type)) return bindIntervalStep(sign, base, step)
  if (name === '-' && isDatetime(step.type)) return bindDifference(base, step)
  if (step.type.kind === 'void') throw unsupported(`${name} of a date or a timestamp and NULL`, 'cast the NULL')
  if (base.type.kind !== 'date') return undefined
  const whole = ['byte', 'short', 'integer'].includes(step.type.kind)
  if (!whole) throw unexpectedInput(name, 1, 'int', step.type)
  return callOf(name === '+' ? 'date_add' : 'date_sub', [base, coerce(step, integerType)], dateType)
}

function bindIntervalStep(sign: 'add' | 'subtract', base: BoundExpression, step: BoundExpression): BoundExpression {
  const days = step.type.kind === 'interval_day_time' && (step.type as IntervalType).text !== 'interval day'
  const from = base.type.kind === 'date' && days ? coerce(base, timestampType) : base
  return callOf(`${sign}_interval`, [from, step], from.type)
}

function bindDifference(left: BoundExpression, right: BoundExpression): BoundExpression {
  if (left.type.kind === 'date' && right.type.kind === 'date') {
    return callOf('subtract_dates', [left, right], intervalType('day', 'day'))
  }
  const ntz = left.type.kind === right.type.kind && left.type.kind === 'timestamp_ntz'
  const type: DataType = ntz ? timestampNtzType : timestampType
  return callOf('subtract_timestamps', [coerce(left, type), coerce(right, type)], dayToSecond)
}

function bindScaling(name: string, left: BoundExpression, right: BoundExpression): BoundExpression | undefined {
  const swapped = name === '*' && isInterval(right.type) && !isInterval(left.type)
  const [interval, factor] = swapped ? [right, left] : [left, right]
  if (!isInterval(interval.type) || isInterval(factor.type)) return undefined
  if (!isNumericType(factor.type) && factor.type.kind !== 'string' && factor.type.kind !== 'void') return undefined
  const number = isNumericType(factor.type) ? factor : coerce(factor, { kind: 'double' })
  const type = interval.type.kind === 'interval_year_month' ? yearToMonth : dayToSecond
  return callOf(name === '*' ? 'multiply_interval' : 'divide_interval', [interval, number], type)
}

function bindIntervalDiv(left: BoundExpression, right: BoundExpression): BoundExpression | undefined {
  if (!isInterval(left.type) || !isInterval(right.type)) return undefined
  if (left.type.kind !== right.type.kind) throw unexpectedInput('div', 1, typeText(left.type), right.type)
  return callOf('div_interval', [left, right], longType)
}

function stepper(sign: 1 | -1): (shape: CallShape) => (base: NotNull, step: NotNull) => NotNull {
  return ({ types: [base, interval], zone }) => {
    const clock: Zone = base!.kind === 'timestamp' ? zone : UTC
    const months = interval!.kind === 'interval_year_month'
    if (base!.kind === 'date') {
      return months
        ? (days, step) => addMonths(days as number, sign * (step as number))
        : (days, step) => addDays(days as number, sign * Number((step as bigint) / MICROS_PER_DAY))
    }
    return months
      ? (micros, step) => addMonthsToInstant(micros as bigint, sign * (step as number), clock)
      : (micros, step) => addTimeToInstant(micros as bigint, BigInt(sign) * (step as bigint), clock)
  }
}

/** Days added to a date; the sum wraps as Java's does. */
export function addDays(days: number, count: number): number {
  return (days + count) | 0
}

function intervalEntry(name: string, strict: NonNullable<FunctionEntry['strict']>): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    zoned: true,
    bind: ([left, right]) => {
      throw unexpectedInput(name, 0, 'the operator it stands for', left?.type ?? right!.type)
    },
    strict,
  }
}

function fitInterval(steps: bigint, type: ExpressionType, code: ErrorCode): number | bigint {
  const bits = type.kind === 'interval_year_month' ? 32 : 64
  if (BigInt.asIntN(bits, steps) !== steps) throw deltaError(code, { operation: 'interval arithmetic' })
  return bits === 32 ? Number(steps) : steps
}

const OVERFLOW: ErrorCode = 'INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION'

function multiplyInterval({ types, type }: CallShape): (interval: NotNull, factor: NotNull) => NotNull {
  const kind = types[1]!.kind
  return (interval, factor) => {
    const steps = BigInt(interval as number | bigint)
    if (kind === 'decimal') {
      const { unscaled, scale } = factor as Decimal
      return fitInterval(roundRatio(steps * unscaled, 10n ** BigInt(scale)), type, OVERFLOW)
    }
    if (kind === 'float' || kind === 'double') return scaled(Number(steps) * (factor as number), type)
    return fitInterval(steps * BigInt(factor as number | bigint), type, OVERFLOW)
  }
}

function divideInterval({ types, type }: CallShape): (interval: NotNull, divisor: NotNull) => NotNull {
  const kind = types[1]!.kind
  return (interval, divisor) => {
    const steps = BigInt(interval as number | bigint)
    if (kind === 'decimal') {
      const { unscaled, scale } = divisor as Decimal
      return fitInterval(roundRatio(steps * 10n ** BigInt(scale), unscaled), type, OVERFLOW)
    }
    if (kind === 'float' || kind === 'double') {
      if (divisor === 0) throw deltaError('INTERVAL_DIVIDED_BY_ZERO')
      return scaled(Number(steps) / (divisor as number), type)
    }
    return fitInterval(roundRatio(steps, BigInt(divisor as number | bigint)), type, OVERFLOW)
  }
}

/** Half away from zero. */
function roundRatio(numerator: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw deltaError('INTERVAL_DIVIDED_BY_ZERO')
  const [n, d] = denominator < 0n ? [-numerator, -denominator] : [numerator, denominator]
  const magnitude = ((n < 0n ? -n : n) * 2n + d) / (d * 2n)
  return n < 0n ? -magnitude : magnitude
}

function scaled(value: number, type: ExpressionType): number | bigint {
  if (!Number.isFinite(value)) throw deltaError(OVERFLOW, { operation: 'interval arithmetic' })
  const whole = Math.trunc(value)
  const rounded = Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole
  return fitInterval(BigInt(rounded), type, OVERFLOW)
}

export const datetimeArithmeticFunctions: readonly FunctionEntry[] = [
  intervalEntry('add_interval', stepper(1)),
  intervalEntry('subtract_interval', stepper(-1)),
  intervalEntry('subtract_dates', () => (a, b) => BigInt((a as number) - (b as number)) * MICROS_PER_DAY),
  intervalEntry('subtract_timestamps', ({ types, zone }) => {
    const clock = types[0]!.kind === 'timestamp' ? zone : UTC
    return (a, b) => toWall(a as bigint, clock) - toWall(b as bigint, clock)
  }),
  intervalEntry('multiply_interval', multiplyInterval),
  intervalEntry('divide_interval', divideInterval),
  intervalEntry('div_interval', () => (a, b) => {
    if (BigInt(b as number | bigint) === 0n) throw deltaError('INTERVAL_DIVIDED_BY_ZERO')
    return BigInt(a as number | bigint) / BigInt(b as number | bigint)
  }),
]
