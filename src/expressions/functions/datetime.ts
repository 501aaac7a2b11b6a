/** Parts of dates and times, steps on the calendar, conversions to and from numbers and text. */
import { deltaError } from '../../errors/index.ts'
import {
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  integerType,
  longType,
  stringType,
  timestampNtzType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import {
  civilFromDays,
  Decimal,
  daysFromCivil,
  daysInMonth,
  floorDiv,
  MICROS_PER_DAY,
  rescale,
  splitMicros,
} from '../../support/index.ts'
import { coerce } from '../bind/coercion.ts'
import { anyTimestamp, type Expected, oneOf, only, strictly } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import {
  addMonths,
  addMonthsToInstant,
  addTimeToInstant,
  checkInstant,
  dayOf,
  toWall,
} from '../datetime/calendar-steps.ts'
import {
  DAY_NAMES,
  dayOfYear,
  isoWeek,
  lastDayOfMonth,
  MONTH_NAMES,
  partNamed,
  quarterOf,
  truncDay,
  truncUnit,
  weekday,
} from '../datetime/fields.ts'
import { patternFormatter } from '../datetime/format-pattern.ts'
import { patternParser } from '../datetime/parse-pattern.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import { type BoundExpression, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { addDays } from './datetime-arithmetic.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

const date = only(dateType)
const timestamp = only(timestampType)
const text = only(stringType)
const whole = only(integerType)
const long = only(longType)
const UTC = zoneOf('UTC')
const secondsType = decimalType(8, 6)
/** Numbers of days are no wider than int, and are not cast. */
const smallWhole = oneOf(strictly(integerType), strictly({ kind: 'short' }), strictly({ kind: 'byte' }))

function datePart(
  name: string,
  part: (days: number) => Value,
  aliases: readonly string[] = [],
  gives: DataType = integerType,
): FunctionEntry {
  return simple({ name, aliases, takes: [date], gives, strict: () => (days) => part(days as number) })
}

/** The clock that the wall of a value is read by: the session's for instants, none for wall clocks. */
function clockOf({ types, zone }: CallShape, index = 0): Zone {
  return types[index]!.kind === 'timestamp' ? zone : UTC
}

function timePart(name: string, part: (microsOfDay: number) => Value, gives: DataType = integerType): FunctionEntry {
  return simple({
    name,
    takes: [anyTimestamp],
    gives,
    zoned: true,
    strict: (shape) => {
      const clock = clockOf(shape)
      return (micros) => part(splitMicros(toWall(micros as bigint, clock)).microsOfDay)
    },
  })
}

const PART_FUNCTIONS: Readonly<Record<string, string>> = {
  yearofweek: 'extract_yearofweek',
  week: 'weekofyear',
  dayofweek_iso: 'extract_dayofweek_iso',
  second: 'extract_second',
}

function bindDatePart(find: (name: string) => FunctionEntry): FunctionEntry['bind'] {
  return ([field, source], site) => {
    const name = field!.kind === 'literal' && typeof field!.value === 'string' ? field!.value : undefined
    if (name === undefined) throw unsupported('date_part with a computed field', 'name the field')
    const part = partNamed(name)
    const refuse = (): Error => deltaError('INVALID_EXTRACT_FIELD', { field: name, expression: typeText(source!.type) })
    if (part === undefined) throw refuse()
    if (isInterval(source!.type)) return bindIntervalPart(part, source!, refuse)
    return find(PART_FUNCTIONS[part] ?? part).bind([source!], site)
  }
}

const INTERVAL_PARTS: Readonly<Record<string, readonly [string, DataType]>> = {
  year: ['interval_year_month', integerType],
  month: ['interval_year_month', { kind: 'byte' }],
  day: ['interval_day_time', integerType],
  hour: ['interval_day_time', { kind: 'byte' }],
  minute: ['interval_day_time', { kind: 'byte' }],
  second: ['interval_day_time', secondsType],
}

function bindIntervalPart(part: string, source: BoundExpression, refuse: () => Error): BoundExpression {
  const [kind, type] = INTERVAL_PARTS[part] ?? []
  if (kind !== source.type.kind || type === undefined) throw refuse()
  return callOf(`interval_${part}`, [source], type)
}

function intervalPart(part: string, read: (steps: bigint) => Value): FunctionEntry {
  return {
    name: `interval_${part}`,
    arity: [1, 1],
    bind: ([source]) => callOf(`interval_${part}`, [source!], INTERVAL_PARTS[part]![1]),
    strict: () => (steps) => read(BigInt(steps as number | bigint)),
  }
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

function outOfBounds(reason: string): Error {
  return deltaError('DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION', { reason })
}

function makeDays(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) throw outOfBounds(`${year}-${month}-${day}`)
  const days = daysFromCivil({ year, month, day })
  if (days !== (days | 0)) throw outOfBounds(`${year}-${month}-${day}`)
  return days
}

function makeWall(parts: readonly NotNull[]): bigint {
  const [year, month, day, hour, minute] = parts as readonly number[]
  const { unscaled } = rescale(parts[5] as Decimal, 6)
  if (hour! < 0 || hour! > 23 || minute! < 0 || minute! > 59) throw outOfBounds(`${hour}:${minute}`)
  if (unscaled > 60_000_000n || unscaled < 0n) {
    const seconds = new Decimal(unscaled, 6)
    if (unscaled > 60_000_000n && unscaled < 61_000_000n) throw deltaError('INVALID_FRACTION_OF_SECOND', { seconds })
    throw outOfBounds(`${seconds} seconds`)
  }
  return (
    BigInt(makeDays(year!, month!, day!)) * MICROS_PER_DAY + BigInt((hour! * 60 + minute!) * 60) * 1_000_000n + unscaled
  )
}

const TIMESTAMP_PARTS: readonly Expected[] = [whole, whole, whole, whole, whole, only(decimalType(16, 6)), text]

function makeTimestamp(name: string, aliases: readonly string[] = []): FunctionEntry {
  return simple({
    name,
    aliases,
    takes: TIMESTAMP_PARTS,
    least: 6,
    gives: timestampType,
    zoned: true,
    strict:
      ({ zone }) =>
      (...parts) =>
        checkInstant((parts[6] === undefined ? zone : zoneOf(parts[6] as string)).toInstant(makeWall(parts))),
  })
}

/** Texts by a pattern that is mostly the same: the last reader is kept. */
function cachedParser(zone: Zone): (value: string, pattern: string) => bigint | undefined {
  let known: string | undefined
  let parse: (value: string) => bigint | undefined = () => undefined
  return (value, pattern) => {
    if (pattern !== known) {
      parse = patternParser(pattern, zone)
      known = pattern
    }
    return parse(value)
  }
}

function cachedFormatter(zone: Zone): (micros: bigint, pattern: string) => string {
  let known: string | undefined
  let format: (micros: bigint) => string = () => ''
  return (micros, pattern) => {
    if (pattern !== known) {
      format = patternFormatter(pattern, zone)
      known = pattern
    }
    return format(micros)
  }
}

const DEFAULT_PATTERN = 'yyyy-MM-dd HH:mm:ss'

/** `to_date`, `to_timestamp` and their `try_` forms: a cast, or a reading by a pattern. */
function conversion(name: string, type: DataType, safe: boolean): FunctionEntry {
  return {
    name,
    arity: [1, 2],
    bind(args, site) {
      const [value, pattern] = args
      const given = value!.type.kind
      if (pattern === undefined || ['date', 'timestamp', 'timestamp_ntz'].includes(given)) {
        const [arg] = castArguments(
          [value!],
          [oneOf(only(stringType), date, timestamp, only(timestampNtzType))],
          site.name,
        )
        return given === type.kind ? value! : { kind: 'cast', child: arg!, type, safe }
      }
      if (type.kind === 'timestamp_ntz') throw unsupported('to_timestamp_ntz with a pattern', 'use to_timestamp')
      const [arg, form] = castArguments([value!, pattern], [text], site.name)
      const parsed = callOf(safe ? 'try_parse_timestamp' : 'parse_timestamp', [arg!, form!], timestampType)
      return type.kind === 'date' ? { kind: 'cast', child: parsed, type, safe: false } : parsed
    },
  }
}

function parseEntry(name: string, safe: boolean): FunctionEntry {
  return simple({
    name,
    takes: [text, text],
    gives: timestampType,
    zoned: true,
    strict: ({ zone }) => {
      const parse = cachedParser(zone)
      return (value, pattern) => {
        const micros = parse(value as string, pattern as string)
        if (micros !== undefined) return micros
        if (safe) return null
        throw deltaError('CANNOT_PARSE_TIMESTAMP', { value, pattern })
      }
    },
  })
}

function unixTimestamp(name: string): FunctionEntry {
  return {
    name,
    arity: [1, 2],
    bind([value, pattern], site) {
      if (value!.type.kind === 'string' || value!.type.kind === 'void') {
        const form: BoundExpression = pattern ?? { kind: 'literal', value: DEFAULT_PATTERN, type: stringType }
        const [arg, by] = castArguments([value!, form], [text], site.name)
        return callOf('unix_timestamp', [callOf('parse_timestamp', [arg!, by!], timestampType)], longType)
      }
      const [arg] = castArguments([value!], [timestamp], site.name)
      return callOf('unix_timestamp', [arg!], longType)
    },
    strict: () => (micros) => (micros as bigint) / 1_000_000n,
  }
}

function secondsToInstant({ types }: CallShape): (value: NotNull) => Value {
  if (types[0]!.kind === 'decimal') {
    return (value) => {
      const { unscaled, scale } = value as Decimal
      const scaled = unscaled * 1_000_000n
      const micros = scaled / 10n ** BigInt(scale)
      if (micros * 10n ** BigInt(scale) !== scaled)
        throw deltaError('DATETIME_OVERFLOW', { operation: 'timestamp_seconds' })
      return checkInstant(micros)
    }
  }
  if (types[0]!.kind === 'double' || types[0]!.kind === 'float') {
    return (value) => {
      const micros = (value as number) * 1e6
      if (!Number.isFinite(micros)) return null
      if (Math.abs(micros) >= 2 ** 63) throw deltaError('DATETIME_OVERFLOW', { operation: 'timestamp_seconds' })
      return BigInt(Math.trunc(micros))
    }
  }
  return (value) => checkInstant(BigInt(value as number | bigint) * 1_000_000n)
}

const number: Expected = {
  text: 'a number',
  nothing: doubleType,
  accepts: (type) => ['byte', 'short', 'integer', 'long', 'float', 'double', 'decimal'].includes(type.kind),
  castFrom: (type) => (type.kind === 'string' ? doubleType : undefined),
}

const secondOfMinute = (micros: number): Decimal => new Decimal(BigInt(micros % 60_000_000), 6)

const own: readonly FunctionEntry[] = [
  datePart('year', (days) => civilFromDays(days).year),
  datePart('quarter', quarterOf),
  datePart('month', (days) => civilFromDays(days).month),
  datePart('day', (days) => civilFromDays(days).day, ['dayofmonth']),
  datePart('dayofyear', dayOfYear),
  datePart('dayofweek', (days) => ((weekday(days) + 1) % 7) + 1),
  datePart('weekday', weekday),
  datePart('weekofyear', (days) => isoWeek(days).week),
  datePart('extract_yearofweek', (days) => isoWeek(days).year),
  datePart('extract_dayofweek_iso', (days) => weekday(days) + 1),
  datePart('dayname', (days) => DAY_NAMES[weekday(days)]!.slice(0, 3), [], stringType),
  datePart('monthname', (days) => MONTH_NAMES[civilFromDays(days).month - 1]!.slice(0, 3), [], stringType),
  datePart('last_day', lastDayOfMonth, [], dateType),
  datePart('unix_date', (days) => days),
  timePart('hour', (micros) => Math.floor(micros / 3_600_000_000)),
  timePart('minute', (micros) => Math.floor(micros / 60_000_000) % 60),
  timePart('second', (micros) => Math.floor(micros / 1_000_000) % 60),
  timePart('extract_second', secondOfMinute, secondsType),
  intervalPart('year', (months) => Number(months / 12n)),
  intervalPart('month', (months) => Number(months % 12n)),
  intervalPart('day', (micros) => Number(micros / MICROS_PER_DAY)),
  intervalPart('hour', (micros) => Number((micros / 3_600_000_000n) % 24n)),
  intervalPart('minute', (micros) => Number((micros / 60_000_000n) % 60n)),
  intervalPart('second', (micros) => new Decimal(micros % 60_000_000n, 6)),
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
  simple({
    name: 'make_date',
    takes: [whole, whole, whole],
    gives: dateType,
    strict: () => (year, month, day) => makeDays(year as number, month as number, day as number),
  }),
  makeTimestamp('make_timestamp', ['make_timestamp_ltz']),
  simple({
    name: 'make_timestamp_ntz',
    takes: TIMESTAMP_PARTS.slice(0, 6),
    gives: timestampNtzType,
    strict:
      () =>
      (...parts) =>
        checkInstant(makeWall(parts)),
  }),
  simple({
    name: 'date_format',
    takes: [timestamp, text],
    gives: stringType,
    zoned: true,
    strict: ({ zone }) => {
      const format = cachedFormatter(zone)
      return (micros, pattern) => format(micros as bigint, pattern as string)
    },
  }),
  simple({
    name: 'from_unixtime',
    takes: [long, text],
    least: 1,
    gives: stringType,
    zoned: true,
    strict: ({ zone }) => {
      const format = cachedFormatter(zone)
      return (seconds, pattern: NotNull = DEFAULT_PATTERN) =>
        format(checkInstant((seconds as bigint) * 1_000_000n), pattern as string)
    },
  }),
  conversion('to_date', dateType, false),
  conversion('try_to_date', dateType, true),
  conversion('to_timestamp', timestampType, false),
  conversion('to_timestamp_ltz', timestampType, false),
  conversion('try_to_timestamp', timestampType, true),
  conversion('to_timestamp_ntz', timestampNtzType, false),
  parseEntry('parse_timestamp', false),
  parseEntry('try_parse_timestamp', true),
  unixTimestamp('unix_timestamp'),
  { ...unixTimestamp('to_unix_timestamp'), name: 'to_unix_timestamp' },
  simple({ name: 'timestamp_seconds', takes: [number], gives: timestampType, strict: secondsToInstant }),
  simple({
    name: 'timestamp_millis',
    takes: [long],
    gives: timestampType,
    strict: () => (value) => checkInstant((value as bigint) * 1000n),
  }),
  simple({ name: 'timestamp_micros', takes: [long], gives: timestampType, strict: () => (value) => value }),
  simple({
    name: 'unix_seconds',
    takes: [timestamp],
    gives: longType,
    strict: () => (micros) => floorDiv(micros as bigint, 1_000_000n),
  }),
  simple({
    name: 'unix_millis',
    takes: [timestamp],
    gives: longType,
    strict: () => (micros) => floorDiv(micros as bigint, 1000n),
  }),
  simple({ name: 'unix_micros', takes: [timestamp], gives: longType, strict: () => (micros) => micros }),
  simple({ name: 'date_from_unix_date', takes: [whole], gives: dateType, strict: () => (days) => days }),
  simple({
    name: 'from_utc_timestamp',
    takes: [timestamp, text],
    gives: timestampType,
    strict: () => (micros, zone) => toWall(micros as bigint, zoneOf(zone as string)),
  }),
  simple({
    name: 'to_utc_timestamp',
    takes: [timestamp, text],
    gives: timestampType,
    strict: () => (micros, zone) => zoneOf(zone as string).toInstant(micros as bigint),
  }),
  {
    name: 'convert_timezone',
    arity: [2, 3],
    zoned: true,
    bind(args, site) {
      const from: BoundExpression = { kind: 'literal', value: site.timeZone, type: stringType }
      const all = args.length === 2 ? [from, ...args] : args
      return callOf(
        'convert_timezone',
        castArguments(all, [text, text, only(timestampNtzType)], site.name),
        timestampNtzType,
      )
    },
    strict: () => (from, to, wall) => toWall(zoneOf(from as string).toInstant(wall as bigint), zoneOf(to as string)),
  },
]

export const datetimeFunctions: readonly FunctionEntry[] = [
  ...own,
  {
    name: 'date_part',
    aliases: ['datepart', 'extract'],
    arity: [2, 2],
    bind: bindDatePart((name) => own.find((entry) => entry.name === name)!),
  },
]
