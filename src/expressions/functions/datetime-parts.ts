/** Parts of dates, times and intervals: `year`, `hour`, `EXTRACT(… FROM …)`. */
import { deltaError } from '../../errors/index.ts'
import { type DataType, dateType, decimalType, integerType, stringType, type Value } from '../../schema/index.ts'
import { civilFromDays, Decimal, MICROS_PER_DAY, splitMicros } from '../../support/index.ts'
import { anyTimestamp } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { toWall } from '../datetime/calendar-steps.ts'
import {
  DAY_NAMES,
  dayOfYear,
  isoWeek,
  lastDayOfMonth,
  MONTH_NAMES,
  partNamed,
  quarterOf,
  weekday,
} from '../datetime/fields.ts'
import { type BoundExpression, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { clockOf, date } from './datetime.ts'
import { callOf, type FunctionEntry, simple } from './entry.ts'

const secondsType = decimalType(8, 6)

function datePart(
  name: string,
  part: (days: number) => Value,
  aliases: readonly string[] = [],
  gives: DataType = integerType,
): FunctionEntry {
  return simple({ name, aliases, takes: [date], gives, strict: () => (days) => part(days as number) })
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

const secondOfMinute = (micros: number): Decimal => new Decimal(BigInt(micros % 60_000_000), 6)

export const parts: readonly FunctionEntry[] = [
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
]

export const datetimeParts: readonly FunctionEntry[] = [
  ...parts,
  {
    name: 'date_part',
    aliases: ['datepart', 'extract'],
    arity: [2, 2],
    bind: bindDatePart((name) => parts.find((entry) => entry.name === name)!),
  },
]
