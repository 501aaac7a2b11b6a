/**
 * Expressions of one column that keep its order, or turn it round.
 *
 * `year(at)`, `CAST(price AS INT)` or `day + 7` never fall while their column rises, so what they are compared with
 * says where the column lies. Only what is exactly so for every value is listed: months added to an instant are not
 * (the end of a month is cut), a local time is not where clocks go back. An expression may fail, or be NULL, at the ends
 * of its column's values; in between it must not.
 */
import { type BoundExpression, type ExpressionType, isInterval } from '../../expressions/index.ts'
import { integerType, isNumeric, stringType, timestampType } from '../../schema/index.ts'

type ColumnNode = Extract<BoundExpression, { kind: 'column' }>

export interface Monotone {
  readonly column: ColumnNode
  /** 1: never falls while the column rises; -1: never rises */
  readonly direction: 1 | -1
  /** false: of the years 1 to 9999 only, where dates do not wrap and texts of years have four digits */
  readonly isEverywhere: boolean
}

/** Which argument changes, and how the call follows it; the other arguments are literals. */
interface Follows {
  readonly argument: number
  readonly direction: 1 | -1
}

/** @returns undefined where the order of one column is not known to be kept, or the expression is a bare column */
export function monotone(expression: BoundExpression): Monotone | undefined {
  if (expression.kind === 'cast') return castFollows(expression) ? step(expression.child, 1, true) : undefined
  if (expression.kind !== 'call' || expression.timeZone !== undefined) return undefined
  const { name, args } = expression
  const follows = callFollows(name, args)
  return follows && step(args[follows.argument]!, follows.direction, !CALENDAR.has(name))
}

function step(child: BoundExpression, direction: 1 | -1, isEverywhere: boolean): Monotone | undefined {
  if (child.kind === 'column') return { column: child, direction, isEverywhere }
  const inner = monotone(child)
  if (inner === undefined) return undefined
  const { column } = inner
  return { column, direction: inner.direction === direction ? 1 : -1, isEverywhere: isEverywhere && inner.isEverywhere }
}

/** Functions that wrap, or are written otherwise, far away from today. */
const CALENDAR: ReadonlySet<string> = new Set([
  'date_add',
  'date_sub',
  'add_months',
  'next_day',
  'last_day',
  'datediff',
  'add_interval',
  'subtract_interval',
  'date_format',
])

const TIMES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamp_ntz'])

function castFollows({ child, type: to, timeZone }: Extract<BoundExpression, { kind: 'cast' }>): boolean {
  const from = child.type
  if (timeZone !== undefined || isInterval(from) || isInterval(to)) return false
  if (isNumeric(from)) return isNumeric(to) || (to.kind === 'timestamp' && from.kind !== 'decimal')
  if (!TIMES.has(from.kind)) return false
  return TIMES.has(to.kind) || (from.kind === 'timestamp' && isNumeric(to))
}

/** Functions of one argument that never fall. */
const RISING: ReadonlySet<string> = new Set([
  'year',
  'extract_yearofweek',
  'last_day',
  'unix_date',
  'unix_seconds',
  'unix_millis',
  'unix_micros',
  'unix_timestamp',
  'to_unix_timestamp',
  'date_from_unix_date',
  'timestamp_millis',
  'timestamp_micros',
])

/** Functions whose first argument they follow, the others being literals. */
const RISING_IN_FIRST: ReadonlySet<string> = new Set([
  'date_add',
  'date_sub',
  'add_months',
  'next_day',
  'trunc',
  'floor',
  'ceil',
  'round',
  'bround',
])

/** Functions that rise with their first argument and fall with their second. */
const DIFFERENCES: ReadonlySet<string> = new Set(['-', 'datediff', 'subtract_dates', 'subtract_timestamps'])

function callFollows(name: string, args: readonly BoundExpression[]): Follows | undefined {
  const changing = args.flatMap((arg, i) => (arg.kind === 'literal' ? [] : [i]))
  const [argument] = changing
  if (argument === undefined || changing.length > 1) return undefined
  const rising: Follows = { argument, direction: 1 }
  if (RISING.has(name)) return rising
  if (RISING_IN_FIRST.has(name)) return argument === 0 ? rising : undefined
  if (DIFFERENCES.has(name))
    return isSteady(args, argument) ? { argument, direction: argument === 0 ? 1 : -1 } : undefined
  switch (name) {
    case '+':
      return isSteady(args, argument) ? rising : undefined
    case '*':
    case '/':
    case 'div':
      return scaling(name, args, argument)
    case 'negative':
      return { argument, direction: -1 }
    case 'date_trunc':
      return argument === 1 ? rising : undefined
    case 'timestamp_seconds':
      return args[0]!.type.kind === 'decimal' ? undefined : rising
    case 'timestampadd':
      return argument === 2 && !MONTHLY.test(String(literalOf(args[0]!))) ? rising : undefined
    case 'add_interval':
    case 'subtract_interval':
      return argument === 0 && keepsOrderOf(args[0]!.type, args[1]!.type) ? rising : undefined
    case 'date_format':
      return argument === 0 && isFixedWidth(args[0]!, String(literalOf(args[1]!))) ? rising : undefined
    default:
      return undefined
  }
}

const MONTHLY = /^(month|quarter|year)$/i

function literalOf(node: BoundExpression): unknown {
  return node.kind === 'literal' ? node.value : undefined
}

/** Months cut the end of a month: of a date that keeps its order, of an instant, whose time of day stays, it does not. */
function keepsOrderOf(base: ExpressionType, interval: ExpressionType): boolean {
  return base.kind === 'date' || interval.kind === 'interval_day_time'
}

/** Whether the other operand is a value that adds: infinity and NaN do not. */
function isSteady(args: readonly BoundExpression[], argument: number): boolean {
  const value = literalOf(args[1 - argument]!)
  return value !== null && (typeof value !== 'number' || Number.isFinite(value))
}

function scaling(name: string, args: readonly BoundExpression[], argument: number): Follows | undefined {
  const sign = signOf(args[1 - argument]!)
  if (sign === 0 || (name !== '*' && argument === 1) || args.some((arg) => isInterval(arg.type))) return undefined
  return { argument, direction: sign }
}

function signOf(node: BoundExpression): 1 | -1 | 0 {
  const value = literalOf(node)
  if (value === null || value === undefined) return 0
  const number = typeof value === 'bigint' ? Number(value) : Number(String(value))
  if (!Number.isFinite(number) || number === 0) return 0
  return number > 0 ? 1 : -1
}

const SEPARATORS = "(?:[-/:. _]|'[^']*')*"
/** A year, then a month, a day … as far as the pattern goes, each with all of its digits. */
const FIXED_WIDTH = new RegExp(
  `^yyyy${['MM', 'dd', 'HH', 'mm', 'ss'].reduceRight((rest, field) => `(?:${SEPARATORS}${field}${rest})?`, '')}$`,
)

/** Whether texts of a pattern sort as times do; true of the years 1 to 9999 only, which dates and instants are held to. */
function isFixedWidth(source: BoundExpression, pattern: string): boolean {
  const base = source.kind === 'cast' ? source.child : source
  return base.kind === 'column' && TIMES.has(base.type.kind) && FIXED_WIDTH.test(pattern)
}

/** An expression that runs through the same values again and again, in order each time. */
export interface Cyclic {
  readonly column: ColumnNode
  /** changes where the cycle begins anew */
  readonly period: BoundExpression
}

/** Parts of a date or time by what they begin anew with: a unit of `date_trunc`, or a part of its own. */
const PERIODS: ReadonlyMap<string, string> = new Map([
  ['month', 'YEAR'],
  ['quarter', 'YEAR'],
  ['dayofyear', 'YEAR'],
  ['weekofyear', 'extract_yearofweek'],
  ['day', 'MONTH'],
  ['weekday', 'WEEK'],
  ['extract_dayofweek_iso', 'WEEK'],
  ['hour', 'DAY'],
  ['minute', 'HOUR'],
  ['second', 'MINUTE'],
  ['extract_second', 'MINUTE'],
])

/** @returns undefined where no such part of one column is found, below and above what keeps order */
export function cyclic(expression: BoundExpression): Cyclic | undefined {
  if (expression.kind === 'cast') return castFollows(expression) ? cyclic(expression.child) : undefined
  if (expression.kind !== 'call' || expression.timeZone !== undefined) return undefined
  const { name, args } = expression
  const unit = PERIODS.get(name)
  if (unit !== undefined) return periodOf(args[0]!, unit)
  const follows = callFollows(name, args)
  return follows && cyclic(args[follows.argument]!)
}

function periodOf(source: BoundExpression, unit: string): Cyclic | undefined {
  const inner: Pick<Monotone, 'column' | 'isEverywhere'> | undefined =
    source.kind === 'column' ? { column: source, isEverywhere: true } : monotone(source)
  if (inner === undefined || !inner.isEverywhere) return undefined
  const { column } = inner
  if (unit === 'extract_yearofweek') {
    return { column, period: { kind: 'call', name: unit, args: [source], type: integerType } }
  }
  const instant: BoundExpression =
    source.type.kind === 'timestamp' ? source : { kind: 'cast', child: source, type: timestampType, safe: false }
  const word: BoundExpression = { kind: 'literal', value: unit, type: stringType }
  return { column, period: { kind: 'call', name: 'date_trunc', args: [word, instant], type: timestampType } }
}

/** A column of which an expression gives the first characters: `left(name, 2)` is `substring(name, 1, 2)`. */
export function beginningOf(expression: BoundExpression): { column: BoundExpression; length: number } | undefined {
  if (expression.kind !== 'call' || expression.name !== 'substring') return undefined
  const [column, start, count] = expression.args
  if (column?.kind !== 'column' || start?.kind !== 'literal' || count?.kind !== 'literal') return undefined
  const isFromStart = start.value === 0 || start.value === 1
  const length = typeof count.value === 'number' ? count.value : 0
  return isFromStart && length > 0 ? { column, length } : undefined
}
