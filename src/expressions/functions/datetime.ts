/** Steps on the calendar: days, months and units added, counted, cut off. */
import { deltaError } from '../../errors/index.ts'
import {
  booleanType,
  dateType,
  doubleType,
  integerType,
  longType,
  stringType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { civilFromDays, daysInMonth, floorDiv, MICROS_PER_DAY, splitMicros } from '../../support/index.ts'
import { coerce } from '../bind/coercion.ts'
import { anyTimestamp, oneOf, only, strictly } from '../bind/expected.ts'
import {
  addMonths,
  addMonthsToInstant,
  addTimeToInstant,
  checkInstant,
  dayOf,
  toWall,
} from '../datetime/calendar-steps.ts'
import { DAY_NAMES, truncDay, truncUnit, weekday } from '../datetime/fields.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import { addDays } from './datetime-arithmetic.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

export const date = only(dateType)

export const timestamp = only(timestampType)

export const text = only(stringType)

export const whole = only(integerType)

export const long = only(longType)

const UTC = zoneOf('UTC')

/** Numbers of days are no wider than int, and are not cast. */
const smallWhole = oneOf(strictly(integerType), strictly({ kind: 'short' }), strictly({ kind: 'byte' }))

/** The clock that the wall of a value is read by: the session's for instants, none for wall clocks. */
export function clockOf({ types, zone }: CallShape, index = 0): Zone {
  return types[index]!.kind === 'timestamp' ? zone : UTC
}

function dayStep(name: string, sign: 1 | -1): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    bind([base, count], site) {
      const literalText = count!.kind === 'literal' && count!.type.kind === 'string'
      const [day, step] = castArguments(
        [base!, literalText ? coerce(count!, integerType) : count!],
        [date, smallWhole],
        site.name,
      )
      return callOf(name, [day!, coerce(step!, integerType)], dateType)
    },
    strict: () => (days, count) => addDays(days as number, sign * (count as number)),
  }
}

const UNIT_MICROS: Readonly<Record<string, bigint>> = {
  MICROSECOND: 1n,
  MILLISECOND: 1000n,
  SECOND: 1_000_000n,
  MINUTE: 60_000_000n,
  HOUR: 3_600_000_000n,
  DAY: MICROS_PER_DAY,
  DAYOFYEAR: MICROS_PER_DAY,
  WEEK: MICROS_PER_DAY * 7n,
}

const UNIT_MONTHS: Readonly<Record<string, bigint>> = { MONTH: 1n, QUARTER: 3n, YEAR: 12n }

function unitOf({ args }: CallShape): string {
  const [unit] = args
  return unit!.kind === 'literal' ? String(unit!.value) : ''
}

function timestampAdd(shape: CallShape): (unit: NotNull, count: NotNull, base: NotNull) => Value {
  const unit = unitOf(shape)
  const clock = clockOf(shape, 2)
  const months = UNIT_MONTHS[unit]
  if (months === undefined) {
    const micros = UNIT_MICROS[unit]!
    return (_unit, count, base) => addTimeToInstant(base as bigint, checkInstant((count as bigint) * micros), clock)
  }
  return (_unit, count, base) => {
    const step = (count as bigint) * months
    if (BigInt.asIntN(32, step) !== step) throw deltaError('DATETIME_OVERFLOW', { operation: 'timestampadd' })
    return addMonthsToInstant(base as bigint, Number(step), clock)
  }
}

function timestampDiff(shape: CallShape): (unit: NotNull, start: NotNull, end: NotNull) => Value {
  const unit = unitOf(shape)
  const micros = UNIT_MICROS[unit]
  const { zone } = shape
  return (_unit, start, end) => {
    const [from, to] = [toWall(start as bigint, zone), toWall(end as bigint, zone)]
    return micros === undefined ? wholeMonths(from, to) / UNIT_MONTHS[unit]! : (to - from) / micros
  }
}

/** Whole months between two wall clocks, towards zero. */
function wholeMonths(from: bigint, to: bigint): bigint {
  const [a, b] = [splitMicros(from), splitMicros(to)]
  const [x, y] = [civilFromDays(a.days), civilFromDays(b.days)]
  const months = (y.year - x.year) * 12 + y.month - x.month
  const rest = (y.day - x.day) * 86_400_000_000 + (b.microsOfDay - a.microsOfDay)
  if (months > 0 && rest < 0) return BigInt(months - 1)
  if (months < 0 && rest > 0) return BigInt(months + 1)
  return BigInt(months)
}

function monthsBetween(shape: CallShape): (...values: NotNull[]) => Value {
  const { zone } = shape
  const split = (micros: bigint): { months: number; day: number; last: boolean; seconds: number } => {
    const days = dayOf(micros, zone)
    const { year, month, day } = civilFromDays(days)
    const start = zone.toInstant(BigInt(days) * MICROS_PER_DAY)
    return {
      months: year * 12 + month,
      day,
      last: day === daysInMonth(year, month),
      seconds: Number((micros - start) / 1_000_000n),
    }
  }
  return (first, second, rounded: NotNull = true) => {
    const [a, b] = [split(first as bigint), split(second as bigint)]
    const months = a.months - b.months
    if (a.day === b.day || (a.last && b.last)) return months
    const seconds = (a.day - b.day) * 86_400 + a.seconds - b.seconds
    const difference = months + seconds / (31 * 86_400)
    return rounded === true ? Math.round(difference * 1e8) / 1e8 : difference
  }
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

function nextDay(days: number, name: string): number {
  const wanted = name.toUpperCase()
  const index = DAY_NAMES.findIndex((day, i) => {
    const upper = day.toUpperCase()
    return wanted === WEEKDAYS[i] || wanted === upper.slice(0, 3) || wanted === upper
  })
  if (index === -1) throw deltaError('ILLEGAL_DAY_OF_WEEK', { value: name })
  return days + 1 + ((index - weekday(days) + 6) % 7)
}

const TRUNC_MICROS: Readonly<Record<string, bigint>> = {
  hour: 3_600_000_000n,
  minute: 60_000_000n,
  second: 1_000_000n,
  millisecond: 1000n,
  microsecond: 1n,
}

function truncInstant(name: string, micros: bigint, zone: Zone): Value {
  const unit = truncUnit(name)
  if (unit === undefined) return null
  const size = TRUNC_MICROS[unit]
  if (size === undefined) return zone.toInstant(BigInt(truncDay(dayOf(micros, zone), unit)) * MICROS_PER_DAY)
  const wall = toWall(micros, zone)
  return micros - (wall - floorDiv(wall, size) * size)
}

function truncDate(days: number, name: string): Value {
  const unit = truncUnit(name)
  return unit === undefined || !['year', 'quarter', 'month', 'week'].includes(unit) ? null : truncDay(days, unit)
}

export const datetimeFunctions: readonly FunctionEntry[] = [
  dayStep('date_add', 1),
  dayStep('date_sub', -1),
  simple({
    name: 'datediff',
    aliases: ['date_diff'],
    takes: [date, date],
    gives: integerType,
    strict: () => (end, start) => ((end as number) - (start as number)) | 0,
  }),
  simple({
    name: 'timestampadd',
    takes: [text, long, anyTimestamp],
    gives: (types) => types[2]!,
    zoned: true,
    strict: timestampAdd,
  }),
  simple({
    name: 'timestampdiff',
    takes: [text, timestamp, timestamp],
    gives: longType,
    zoned: true,
    strict: timestampDiff,
  }),
  simple({
    name: 'add_months',
    takes: [date, whole],
    gives: dateType,
    strict: () => (days, months) => addMonths(days as number, months as number),
  }),
  simple({
    name: 'months_between',
    takes: [timestamp, timestamp, only(booleanType)],
    least: 2,
    gives: doubleType,
    zoned: true,
    strict: monthsBetween,
  }),
  simple({
    name: 'next_day',
    takes: [date, text],
    gives: dateType,
    strict: () => (days, name) => nextDay(days as number, name as string),
  }),
  simple({
    name: 'trunc',
    takes: [date, text],
    gives: dateType,
    strict: () => (days, unit) => truncDate(days as number, unit as string),
  }),
  simple({
    name: 'date_trunc',
    takes: [text, timestamp],
    gives: timestampType,
    zoned: true,
    strict:
      ({ zone }) =>
      (unit, micros) =>
        truncInstant(unit as string, micros as bigint, zone),
  }),
]
