/** Dates and times written by a pattern. */
import { civilFromDays, splitMicros } from '../../support/index.ts'
import { unsupported } from '../unsupported.ts'
import { toWall } from './calendar-steps.ts'
import { DAY_NAMES, dayOfYear, MONTH_NAMES, quarterOf, weekday } from './fields.ts'
import { type PatternPart, parsePattern } from './pattern.ts'
import type { Zone } from './zone.ts'

interface Moment {
  readonly days: number
  readonly micros: number
  readonly offset: number
  readonly zone: string
  readonly hasEra: boolean
}

/** The text of an instant in a zone. */
export function patternFormatter(pattern: string, zone: Zone): (micros: bigint) => string {
  const parts = parsePattern(pattern)
  const hasEra = parts.some((part) => part.letter === 'G')
  return (instant) => {
    const { days, microsOfDay } = splitMicros(toWall(instant, zone))
    const moment = { days, micros: microsOfDay, offset: zone.offsetAt(instant), zone: zone.name, hasEra }
    return parts.map((part) => (part.kind === 'field' ? writeField(part, moment) : part.text)).join('')
  }
}

function padded(value: number, count: number): string {
  return String(value).padStart(count, '0')
}

function writeField({ letter, count }: PatternPart, moment: Moment): string {
  const { days, micros } = moment
  const seconds = Math.floor(micros / 1_000_000)
  const hour = Math.floor(seconds / 3600)
  switch (letter) {
    case 'H':
      return padded(hour, count)
    case 'h':
      return padded(hour % 12 === 0 ? 12 : hour % 12, count)
    case 'k':
      return padded(hour === 0 ? 24 : hour, count)
    case 'K':
      return padded(hour % 12, count)
    case 'm':
      return padded(Math.floor(seconds / 60) % 60, count)
    case 's':
      return padded(seconds % 60, count)
    case 'S':
      return `${padded(micros % 1_000_000, 6)}000`.slice(0, count)
    case 'a':
      return hour < 12 ? 'AM' : 'PM'
    case 'X':
    case 'x':
    case 'Z':
    case 'O':
    case 'z':
    case 'V':
      return writeZone(letter, count, moment)
    default:
      return writeDateField(letter, count, days, moment.hasEra)
  }
}

function writeDateField(letter: string, count: number, days: number, hasEra: boolean): string {
  const { year, month, day } = civilFromDays(days)
  switch (letter) {
    case 'y':
      return writeYear(hasEra && year < 1 ? 1 - year : year, count)
    case 'G':
      return year < 1 ? 'BC' : 'AD'
    case 'M':
    case 'L':
      if (count === 3) return MONTH_NAMES[month - 1]!.slice(0, 3)
      return count === 4 ? MONTH_NAMES[month - 1]! : padded(month, count)
    case 'd':
      return padded(day, count)
    case 'D':
      return padded(dayOfYear(days), count)
    case 'E':
      return count === 4 ? DAY_NAMES[weekday(days)]! : DAY_NAMES[weekday(days)]!.slice(0, 3)
    default:
      return count === 3 ? `Q${quarterOf(days)}` : padded(quarterOf(days), count)
  }
}

function writeYear(year: number, count: number): string {
  if (count === 2) return padded(Math.abs(year) % 100, 2)
  const digits = padded(Math.abs(year), count)
  if (year < 0) return `-${digits}`
  return count >= 4 && digits.length > count ? `+${digits}` : digits
}

function writeZone(letter: string, count: number, { offset, zone }: Moment): string {
  if (letter === 'V') return zone
  if (letter === 'z') {
    if (zone === 'UTC') return 'UTC'
    throw unsupported(`'z' in a pattern in the time zone ${zone}`, "use 'XXX' for the offset")
  }
  const [hours, minutes, seconds] = [Math.abs(offset) / 3600, (Math.abs(offset) / 60) % 60, Math.abs(offset) % 60].map(
    Math.floor,
  ) as [number, number, number]
  if (seconds !== 0) throw unsupported('an offset with seconds in a pattern', 'leave the offset out')
  const sign = offset < 0 ? '-' : '+'
  if (letter === 'O') return offset === 0 ? 'GMT' : `GMT${sign}${hours}${minutes === 0 ? '' : `:${padded(minutes, 2)}`}`
  if (letter === 'X' && offset === 0) return 'Z'
  if (letter === 'Z' || count === 2) return `${sign}${padded(hours, 2)}${padded(minutes, 2)}`
  if (count === 3) return `${sign}${padded(hours, 2)}:${padded(minutes, 2)}`
  return `${sign}${padded(hours, 2)}${minutes === 0 ? '' : padded(minutes, 2)}`
}
