/** Parts of dates and times, and units of time by the names SQL gives them. */
import { civilFromDays, daysFromCivil, daysInMonth } from '../../support/index.ts'

export const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export const MONTH_NAMES = [
  ...(['January', 'February', 'March', 'April', 'May', 'June', 'July'] as const),
  ...(['August', 'September', 'October', 'November', 'December'] as const),
] as const

/** 0 on Mondays to 6 on Sundays. */
export function weekday(days: number): number {
  return (((days + 3) % 7) + 7) % 7
}

export function dayOfYear(days: number): number {
  return days - daysFromCivil({ year: civilFromDays(days).year, month: 1, day: 1 }) + 1
}

/** The ISO week and the year it belongs to. */
export function isoWeek(days: number): { week: number; year: number } {
  const thursday = days - weekday(days) + 3
  return { week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1, year: civilFromDays(thursday).year }
}

export function quarterOf(days: number): number {
  return Math.floor((civilFromDays(days).month - 1) / 3) + 1
}

export function lastDayOfMonth(days: number): number {
  const { year, month } = civilFromDays(days)
  return daysFromCivil({ year, month, day: daysInMonth(year, month) })
}

/** The parts EXTRACT knows, by every name they have. */
const PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    year: ['Y', 'YEARS', 'YR', 'YRS', 'YEAR'],
    yearofweek: ['YEAROFWEEK'],
    quarter: ['QUARTER', 'QTR'],
    month: ['MONTH', 'MON', 'MONS', 'MONTHS'],
    week: ['WEEK', 'W', 'WEEKS'],
    day: ['DAY', 'D', 'DAYS'],
    dayofweek: ['DAYOFWEEK', 'DOW'],
    dayofweek_iso: ['DAYOFWEEK_ISO', 'DOW_ISO'],
    dayofyear: ['DOY'],
    hour: ['HOUR', 'H', 'HOURS', 'HR', 'HRS'],
    minute: ['MINUTE', 'M', 'MIN', 'MINS', 'MINUTES'],
    second: ['SECOND', 'S', 'SEC', 'SECONDS', 'SECS'],
  }).flatMap(([part, names]) => names.map((name) => [name, part] as const)),
)

export function partNamed(name: string): string | undefined {
  return PARTS.get(name.toUpperCase())
}

export type TruncUnit =
  | 'year'
  | 'quarter'
  | 'month'
  | 'week'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'millisecond'
  | 'microsecond'

const TRUNC_UNITS: ReadonlyMap<string, TruncUnit> = new Map<string, TruncUnit>([
  ['YEAR', 'year'],
  ['YYYY', 'year'],
  ['YY', 'year'],
  ['QUARTER', 'quarter'],
  ['MONTH', 'month'],
  ['MM', 'month'],
  ['MON', 'month'],
  ['WEEK', 'week'],
  ['DAY', 'day'],
  ['DD', 'day'],
  ['HOUR', 'hour'],
  ['MINUTE', 'minute'],
  ['SECOND', 'second'],
  ['MILLISECOND', 'millisecond'],
  ['MICROSECOND', 'microsecond'],
])

export function truncUnit(name: string): TruncUnit | undefined {
  return TRUNC_UNITS.get(name.toUpperCase())
}

/** The first day of the year, quarter, month or week a day lies in. */
export function truncDay(days: number, unit: TruncUnit): number {
  const { year, month } = civilFromDays(days)
  if (unit === 'year') return daysFromCivil({ year, month: 1, day: 1 })
  if (unit === 'quarter') return daysFromCivil({ year, month: Math.floor((month - 1) / 3) * 3 + 1, day: 1 })
  if (unit === 'month') return daysFromCivil({ year, month, day: 1 })
  return unit === 'week' ? days - weekday(days) : days
}
