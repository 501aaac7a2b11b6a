/**
 * Dates and timestamps written as text, read as Spark's casts read them.
 *
 * Looser than ISO: years of four digits and more with a sign, months and days of one digit, parts left out from the
 * right, anything behind `T` or a blank after a date. Fractions beyond microseconds are dropped.
 */
import { daysFromCivil, daysInMonth, MICROS_PER_DAY, MICROS_PER_SECOND } from '../../support/index.ts'
import { isZone } from './zone.ts'

const DATE_TEXT = /^([+-]?)(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?$/
const TIMESTAMP_TEXT =
  /^([+-]?)(\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?([^\d.][\s\S]*)?)?)?)?)?)?$/
const BARE_TIME = /^(?:T\d{1,2}(?::|$)|\d{1,2}:)/
const MIN_MICROS = -(2n ** 63n)
const MAX_MICROS = 2n ** 63n - 1n

/** Without the blanks and control characters at both ends, which Spark's casts do not see. */
export function trimControls(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function isBlank(unit: number): boolean {
  return unit <= 0x20 || unit === 0x7f
}

/** @returns days since 1970-01-01, or undefined when the text is no date */
export function textToDays(text: string): number | undefined {
  const match = DATE_TEXT.exec(trimControls(text))
  if (match === null) return undefined
  const days = daysOfParts(match[1]!, match[2]!, match[3], match[4])
  return days === undefined || days !== (days | 0) ? undefined : days
}

function daysOfParts(sign: string, yearText: string, monthText = '1', dayText = '1'): number | undefined {
  const year = Number(yearText) * (sign === '-' ? -1 : 1)
  const month = Number(monthText)
  const day = Number(dayText)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return daysFromCivil({ year, month, day })
}

export interface WrittenTimestamp {
  /** microseconds of the written wall clock since 1970-01-01T00:00:00 */
  readonly wall: bigint
  /** the zone written behind it */
  readonly zone: string | undefined
}

/** @returns undefined when the text is no timestamp, `time` where it is a time of day without a date */
export function parseWrittenTimestamp(text: string): WrittenTimestamp | 'time' | undefined {
  const trimmed = trimControls(text)
  const match = TIMESTAMP_TEXT.exec(trimmed)
  if (match === null) return BARE_TIME.test(trimmed) ? 'time' : undefined
  const [, sign, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zoneText] = match
  const days = daysOfParts(sign!, year!, month, day)
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const zone = zoneText === undefined ? undefined : trimControls(zoneText)
  if (zone !== undefined && !isZone(zone)) return undefined
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return { wall: BigInt(days) * MICROS_PER_DAY + BigInt(seconds) * MICROS_PER_SECOND + micros, zone }
}

/** Whether microseconds are within the range of a timestamp. */
export function isTimestampMicros(micros: bigint): boolean {
  return micros >= MIN_MICROS && micros <= MAX_MICROS
}
