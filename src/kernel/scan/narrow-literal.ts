/**
 * A comparison made in a wider type, asked in the column's own type.
 *
 * `id > 1.5` on an integer column is a comparison of decimals with the column under a cast; statistics hold integers.
 * Where the cast keeps every value and their order, the literal is moved to the column's type, rounded to the side
 * that keeps the meaning.
 */
import type { ExpressionType } from '../../expressions/index.ts'
import type { DataType, Value } from '../../schema/index.ts'
import { Decimal, floorDiv, MICROS_PER_DAY, parseDecimal } from '../../support/index.ts'
import type { Comparison } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

/** `never`: no value of the column; `not-null`: each value of the column; undefined: the cast does not keep the order */
export type Narrowed = { readonly op: Comparison; readonly value: NonNull } | 'never' | 'not-null' | undefined

const INTEGER_BITS: ReadonlyMap<string, bigint> = new Map([
  ['byte', 7n],
  ['short', 15n],
  ['integer', 31n],
  ['long', 63n],
])

export function narrowLiteral(op: Comparison, value: NonNull, from: ExpressionType, to: DataType): Narrowed {
  if (from.kind === to.kind && from.kind !== 'decimal') return { op, value }
  const range = rangeOf(to)
  const exact = range === undefined ? undefined : exactDecimal(value, from, to)
  if (range !== undefined && exact !== undefined) return place(op, exact, range, to)
  if (to.kind === 'date' && (from.kind === 'timestamp' || from.kind === 'timestamp_ntz')) {
    return place(op, new Decimal(value as bigint, 0), DATE_RANGE, to)
  }
  if (to.kind === 'float' && from.kind === 'double') {
    return Math.fround(value as number) === value ? { op, value } : undefined
  }
  return undefined
}

/** Decimal digits the integers of a type have. */
const INTEGER_DIGITS: ReadonlyMap<string, number> = new Map([
  ['byte', 3],
  ['short', 5],
  ['integer', 10],
  ['long', 19],
])

/** Whether a cast gives every value of a type as itself, so that order and equality stay. */
export function keepsValues(from: ExpressionType, to: ExpressionType): boolean {
  const bits = INTEGER_BITS.get(from.kind)
  if (to.kind === 'decimal') {
    const [digits, scale] =
      from.kind === 'decimal' ? [from.precision - from.scale, from.scale] : [INTEGER_DIGITS.get(from.kind), 0]
    return digits !== undefined && to.precision - to.scale >= digits && to.scale >= scale
  }
  if (bits !== undefined) {
    const wider = INTEGER_BITS.get(to.kind)
    return wider === undefined ? to.kind === 'double' && bits <= 31n : wider >= bits
  }
  if (from.kind === 'float') return to.kind === 'double'
  return from.kind === 'date' && (to.kind === 'timestamp' || to.kind === 'timestamp_ntz')
}

/** The unscaled values a type holds, and how many of the literal's units make one of its own. */
interface UnitRange {
  readonly scale: number
  readonly min: bigint
  readonly max: bigint
  /** literal units in one unit of the column; 1 for numbers, whose scale says it */
  readonly unit: bigint
}

/** Days in microseconds: the range is that of a 32-bit day number. */
const DATE_RANGE: UnitRange = { scale: 0, min: -(2n ** 31n), max: 2n ** 31n - 1n, unit: MICROS_PER_DAY }

function rangeOf(type: DataType): UnitRange | undefined {
  const bits = INTEGER_BITS.get(type.kind)
  if (bits !== undefined) return { scale: 0, min: -(2n ** bits), max: 2n ** bits - 1n, unit: 1n }
  if (type.kind !== 'decimal') return undefined
  const limit = 10n ** BigInt(type.precision)
  return { scale: type.scale, min: 1n - limit, max: limit - 1n, unit: 1n }
}

/** The literal without loss, where a column of type `to` can be cast to `from` without loss. */
function exactDecimal(value: NonNull, from: ExpressionType, to: DataType): Decimal | undefined {
  if (INTEGER_BITS.has(from.kind)) return new Decimal(BigInt(value as number | bigint), 0)
  if (from.kind === 'decimal') return value as Decimal
  // a long or a decimal loses digits on its way to a double: two of its values can be one there
  if (from.kind !== 'double' || to.kind === 'long' || to.kind === 'decimal') return undefined
  return Number.isFinite(value as number) ? parseDecimal(exactText(value as number)) : undefined
}

/** All the digits of a double within the range that matters here; beyond it any number on the right side will do. */
function exactText(value: number): string {
  if (Math.abs(value) >= 2 ** 53) return value > 0 ? '9007199254740993' : '-9007199254740993'
  const whole = Math.trunc(value)
  if (whole === value) return String(whole)
  return `${value < 0 ? '-' : ''}${Math.abs(whole)}.5`
}

function place(op: Comparison, literal: Decimal, range: UnitRange, to: DataType): Narrowed {
  const numerator = literal.unscaled * 10n ** BigInt(range.scale)
  const denominator = 10n ** BigInt(literal.scale) * range.unit
  const floor = floorDiv(numerator, denominator)
  const isWhole = floor * denominator === numerator
  if (!isWhole && (op === '=' || op === '!=')) return op === '=' ? 'never' : 'not-null'
  // between two values of the column: `> 1.5` and `>= 1.5` are `> 1`, `<` and `<=` are `<= 1`
  const asked = isWhole ? op : op === '>' || op === '>=' ? '>' : '<='
  if (floor > range.max) return asked === '<' || asked === '<=' || asked === '!=' ? 'not-null' : 'never'
  if (floor < range.min) return asked === '>' || asked === '>=' || asked === '!=' ? 'not-null' : 'never'
  return { op: asked, value: unscaledValue(floor, to) }
}

function unscaledValue(unscaled: bigint, type: DataType): NonNull {
  if (type.kind === 'decimal') return new Decimal(unscaled, type.scale)
  return type.kind === 'long' ? unscaled : Number(unscaled)
}
