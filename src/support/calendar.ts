/**
 * Days and microseconds since 1970-01-01 UTC on the proleptic Gregorian calendar, and their texts.
 *
 * `Date` is not used: it holds milliseconds, ends at ±8.64e15 and reads small years as 19xx. Days are numbers,
 * microseconds are bigint.
 */

export const MICROS_PER_SECOND = 1_000_000n
export const MICROS_PER_DAY = 86_400_000_000n

export interface CivilDate {
  readonly year: number
  /** 1 to 12 */
  readonly month: number
  /** 1 to 31 */
  readonly day: number
}

/** Days since the epoch of a date; the date must exist. */
export function daysFromCivil({ year, month, day }: CivilDate): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** The date of a day number. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

export function daysInMonth(year: number, month: number): number {
  return month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** `2024-02-29`; years beyond four digits are printed whole with a sign (`+12345-01-01`), negative ones with `-`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days)
  return `${formatYear(year)}-${pad2(month)}-${pad2(day)}`
}

/**
 * The text of a date `Y…-M-D` with one or two digits for month and day, nothing else around it.
 *
 * @returns days since the epoch, or undefined when the text is no date or the date does not exist
 */
export function parseDate(text: string): number | undefined {
  const match = /^([-+]?\d{4,7})-(\d{1,2})-(\d{1,2})$/.exec(text)
  if (match === null) return undefined
  return daysOf(Number(match[1]), Number(match[2]), Number(match[3]))
}

function daysOf(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return daysFromCivil({ year, month, day })
}

/** `2024-02-29T12:00:00.000001`, the fraction only as long as needed; no zone. */
export function formatTimestamp(micros: bigint, separator: 'T' | ' ' = 'T'): string {
  const { days, microsOfDay } = splitMicros(micros)
  return `${formatDate(days)}${separator}${formatTimeOfDay(microsOfDay)}`
}

/** `12:00:00.5`, the fraction only as long as needed. */
export function formatTimeOfDay(microsOfDay: number): string {
  const seconds = Math.floor(microsOfDay / 1_000_000)
  const fraction = microsOfDay % 1_000_000
  const time = `${pad2(Math.floor(seconds / 3600))}:${pad2(Math.floor(seconds / 60) % 60)}:${pad2(seconds % 60)}`
  return fraction === 0 ? time : `${time}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`
}

export function splitMicros(micros: bigint): { days: number; microsOfDay: number } {
  const days = floorDiv(micros, MICROS_PER_DAY)
  return { days: Number(days), microsOfDay: Number(micros - days * MICROS_PER_DAY) }
}

export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

const TIMESTAMP_TEXT =
  /^([-+]?\d{4,7})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[-+]\d{1,2}(?::?\d{2})?)?$/

/**
 * The text of a timestamp: a date, then `T` or a space and a time, then `Z` or an offset, the last two optional.
 *
 * Digits beyond microseconds are dropped. Zone names are not read here.
 *
 * @returns microseconds of the written wall clock, and the offset in minutes where one is given
 */
export function parseTimestamp(text: string): { micros: bigint; offsetMinutes: number | undefined } | undefined {
  const match = TIMESTAMP_TEXT.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match
  const days = daysOf(Number(year), Number(month), Number(day))
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  const micros = BigInt(days) * MICROS_PER_DAY + BigInt(seconds) * MICROS_PER_SECOND
  return { micros: micros + BigInt(fraction.padEnd(6, '0').slice(0, 6)), offsetMinutes: offsetOf(zone) }
}

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined
  if (zone === 'Z' || zone === 'UTC') return 0
  const [, sign, hours, minutes = '0'] = /^([-+])(\d{1,2})(?::?(\d{2}))?$/.exec(zone) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function formatYear(year: number): string {
  if (year > 9999) return `+${year}`
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0')
}

function pad2(value: number): string {
  return String(value).padStart(2, '0')
}
