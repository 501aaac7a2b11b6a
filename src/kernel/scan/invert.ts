/**
 * What an expression that keeps the order of its column says of the column itself.
 *
 * `year(at) = 2024` is `at >= 2024-01-01 AND at < 2025-01-01`. The ends are found by bisection over the values of the
 * column's type, with the evaluator that filters rows, so no function needs an inverse of its own and none can disagree.
 */
import { type BoundExpression, compileEvaluator } from '../../expressions/index.ts'
import type { DataType, Value } from '../../schema/index.ts'
import { Decimal, daysFromCivil, MICROS_PER_DAY } from '../../support/index.ts'
import { compareValues } from '../partition/compare-values.ts'
import type { Monotone } from './monotone.ts'
import type { Comparison } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

/** Values of a column in order, by number. */
interface Domain {
  readonly first: bigint
  readonly last: bigint
  /** a value in the midst, of which most expressions have a value too */
  readonly middle: bigint
  /** whether the type has values outside, where functions of the calendar are not to be trusted */
  readonly isPart: boolean
  value(at: bigint): NonNull
}

/** Values of a column from one to another; an absent end is open. */
export interface ValueRange {
  readonly from?: NonNull
  readonly to?: NonNull
}

/**
 * Where a column lies when `expression op literal` is TRUE: in one of the ranges, or outside of `trusted`.
 *
 * No range is a predicate that is never TRUE inside of `trusted`.
 */
export interface Preimage {
  readonly ranges: readonly ValueRange[]
  /** absent: every value of the type */
  readonly trusted?: { readonly from: NonNull; readonly to: NonNull }
}

export interface Comparing {
  readonly expression: BoundExpression
  readonly op: Comparison
  readonly literal: NonNull
}

/** @returns undefined where the expression's values, or the column's, cannot be put in order */
export function preimage({ expression, op, literal }: Comparing, source: Monotone): Preimage | undefined {
  const { column, direction, isEverywhere } = source
  const domain = domainOf(column.type as DataType, isEverywhere)
  if (domain === undefined) return undefined
  const search = new Search(expression, { ordinals: column.ordinals, domain, direction })
  if (!search.isDefined(domain.middle) || !search.keepsNaN(column.type as DataType)) return undefined
  const below = search.firstChange((order) => order < 0, literal)
  const upTo = search.firstChange((order) => order <= 0, literal)
  if (below === undefined || upTo === undefined) return undefined
  const spans = direction === 1 ? rising(op, below, upTo, domain) : falling(op, below, upTo, domain)
  const ranges = spans.filter(([a, b]) => a <= b).map(([a, b]) => rangeOf(a, b, domain))
  if (!domain.isPart) return { ranges }
  return { ranges, trusted: { from: domain.value(domain.first), to: domain.value(domain.last) } }
}

type Span = readonly [first: bigint, last: bigint]

/** @param below number of the first value from which the expression is not below the literal, `upTo` … not up to it */
function rising(op: Comparison, below: bigint, upTo: bigint, { first, last }: Domain): readonly Span[] {
  switch (op) {
    case '<':
      return [[first, below - 1n]]
    case '<=':
      return [[first, upTo - 1n]]
    case '>=':
      return [[below, last]]
    case '>':
      return [[upTo, last]]
    case '=':
      return [[below, upTo - 1n]]
    case '!=':
      return [
        [first, below - 1n],
        [upTo, last],
      ]
  }
}

/** @param below number of the first value from which the expression is below the literal, `upTo` … up to it */
function falling(op: Comparison, below: bigint, upTo: bigint, { first, last }: Domain): readonly Span[] {
  switch (op) {
    case '<':
      return [[below, last]]
    case '<=':
      return [[upTo, last]]
    case '>=':
      return [[first, below - 1n]]
    case '>':
      return [[first, upTo - 1n]]
    case '=':
      return [[upTo, below - 1n]]
    case '!=':
      return [
        [first, upTo - 1n],
        [below, last],
      ]
  }
}

function rangeOf(a: bigint, b: bigint, domain: Domain): ValueRange {
  return {
    ...(a > domain.first && { from: domain.value(a) }),
    ...(b < domain.last && { to: domain.value(b) }),
  }
}

interface SearchOptions {
  readonly ordinals: readonly number[]
  readonly domain: Domain
  readonly direction: 1 | -1
}

class Search {
  private readonly evaluate: (row: readonly Value[]) => Value
  private readonly type: DataType
  private readonly options: SearchOptions

  constructor(expression: BoundExpression, options: SearchOptions) {
    this.evaluate = compileEvaluator(expression)
    this.type = expression.type as DataType
    this.options = options
  }

  isDefined(at: bigint): boolean {
    return this.at(at) !== undefined
  }

  /** NaN is above every number; an expression that gives it another place says nothing of bounds. */
  keepsNaN(type: DataType): boolean {
    if (type.kind !== 'float' && type.kind !== 'double') return true
    const ofNaN = this.of(Number.NaN)
    if (ofNaN === undefined) return true
    const { domain, direction } = this.options
    const ofLast = this.at(domain.last)
    const order = ofLast === undefined ? undefined : compareValues(ofNaN, ofLast, this.type)
    return order !== undefined && order * direction >= 0
  }

  /**
   * The number of the first value whose answer differs from that of the values before it.
   *
   * Where the expression fails or is NULL it counts as below everything on one side and above on the other.
   *
   * @returns one behind the last value where all answer alike; undefined where values cannot be compared
   */
  firstChange(test: (order: number) => boolean, literal: NonNull): bigint | undefined {
    const { domain, direction } = this.options
    const before = direction === 1
    let [low, high] = [domain.first, domain.last + 1n]
    while (low < high) {
      const middle = (low + high) >> 1n
      const answer = this.answer(middle, test, literal)
      if (answer === undefined) return undefined
      if (answer === before) low = middle + 1n
      else high = middle
    }
    return low
  }

  private answer(at: bigint, test: (order: number) => boolean, literal: NonNull): boolean | undefined {
    const value = this.at(at)
    const { domain, direction } = this.options
    if (value === undefined) return at > domain.middle === (direction === -1)
    const order = compareValues(value, literal, this.type)
    return order === undefined ? undefined : test(order)
  }

  private at(at: bigint): NonNull | undefined {
    return this.of(this.options.domain.value(at))
  }

  private of(value: NonNull): NonNull | undefined {
    try {
      return this.evaluate(rowWith(this.options.ordinals, value)) ?? undefined
    } catch {
      return undefined
    }
  }
}

/** A row, structs around the value included, in which all but the value is missing. */
export function rowWith(ordinals: readonly number[], value: Value): readonly Value[] {
  const [first, ...rest] = ordinals
  const row: Value[] = []
  row[first!] = rest.length === 0 ? value : (rowWith(rest, value) as Value)
  return row
}

const FIRST_DAY = daysFromCivil({ year: 1, month: 1, day: 1 })
const LAST_DAY = daysFromCivil({ year: 9999, month: 12, day: 31 })

/** The years 1 to 9999 of a type of times; undefined for other types. */
export function trustedRange(type: DataType): { readonly from: NonNull; readonly to: NonNull } | undefined {
  const domain = domainOf(type, false)
  return domain?.isPart ? { from: domain.value(domain.first), to: domain.value(domain.last) } : undefined
}

function domainOf(type: DataType, isEverywhere: boolean): Domain | undefined {
  switch (type.kind) {
    case 'byte':
      return whole(7n, Number)
    case 'short':
      return whole(15n, Number)
    case 'integer':
      return whole(31n, Number)
    case 'long':
      return whole(63n, (at) => at)
    case 'date':
      if (isEverywhere) return whole(31n, Number)
      return { first: BigInt(FIRST_DAY), last: BigInt(LAST_DAY), middle: 0n, isPart: true, value: Number }
    case 'timestamp':
    case 'timestamp_ntz': {
      if (isEverywhere) return whole(63n, (at) => at)
      const [first, end] = [BigInt(FIRST_DAY) * MICROS_PER_DAY, BigInt(LAST_DAY + 1) * MICROS_PER_DAY]
      return { first, last: end - 1n, middle: 0n, isPart: true, value: (at) => at }
    }
    case 'decimal': {
      const limit = 10n ** BigInt(type.precision) - 1n
      return { first: -limit, last: limit, middle: 0n, isPart: false, value: (at) => new Decimal(at, type.scale) }
    }
    case 'float':
      return floating(32)
    case 'double':
      return floating(64)
    default:
      return undefined
  }
}

function whole(bits: bigint, value: (at: bigint) => NonNull): Domain {
  return { first: -(2n ** bits), last: 2n ** bits - 1n, middle: 0n, isPart: false, value }
}

/** Numbers from -Infinity to Infinity by their bits, which grow with them; both zeros are there, NaN is not. */
function floating(bits: 32 | 64): Domain {
  const view = new DataView(new ArrayBuffer(8))
  const infinity = bits === 32 ? 0x7f800000n : 0x7ff0000000000000n
  const value = (at: bigint) => {
    const magnitude = at < 0n ? -at - 1n : at
    const sign = at < 0n ? -1 : 1
    if (bits === 32) {
      view.setUint32(0, Number(magnitude))
      return sign * view.getFloat32(0)
    }
    view.setBigUint64(0, magnitude)
    return sign * view.getFloat64(0)
  }
  return { first: -infinity - 1n, last: infinity, middle: 0n, isPart: false, value }
}
