/** Steps on the calendar: months added to dates and instants, days added to instants in their zone. */
import { deltaError } from '../../errors/index.ts'
import {
  civilFromDays,
  daysFromCivil,
  daysInMonth,
  floorDiv,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
} from '../../support/index.ts'
import type { Zone } from './zone.ts'

const INT_LIMIT = 2 ** 31

/** Microseconds of the wall clock of an instant. */
export function toWall(micros: bigint, zone: Zone): bigint {
  return micros + BigInt(zone.offsetAt(micros)) * MICROS_PER_SECOND
}

/** The day of an instant in its zone. */
export function dayOf(micros: bigint, zone: Zone): number {
  return Number(floorDiv(toWall(micros, zone), MICROS_PER_DAY))
}

/** A date some months on; a day the month lacks becomes its last. */
export function addMonths(days: number, months: number): number {
  const { year, month, day } = civilFromDays(days)
  const count = year * 12 + (month - 1) + months
  const newYear = Math.floor(count / 12)
  const newMonth = count - newYear * 12 + 1
  const result = daysFromCivil({ year: newYear, month: newMonth, day: Math.min(day, daysInMonth(newYear, newMonth)) })
  if (result < -INT_LIMIT || result >= INT_LIMIT)
    throw deltaError('ARITHMETIC_OVERFLOW', { operation: 'add_months', type: 'date' })
  return result
}

/** An instant some months on, by the wall clock of its zone. */
export function addMonthsToInstant(micros: bigint, months: number, zone: Zone): bigint {
  const wall = toWall(micros, zone)
  const days = floorDiv(wall, MICROS_PER_DAY)
  const moved = BigInt(addMonths(Number(days), months)) * MICROS_PER_DAY + (wall - days * MICROS_PER_DAY)
  return checkInstant(zone.toInstant(moved))
}

/** An instant some time on: whole days by the wall clock of its zone, the rest by the clock that never changes. */
export function addTimeToInstant(micros: bigint, step: bigint, zone: Zone): bigint {
  const days = step / MICROS_PER_DAY
  const rest = step - days * MICROS_PER_DAY
  if (days === 0n) return checkInstant(micros + rest)
  return checkInstant(zone.toInstant(toWall(micros, zone) + days * MICROS_PER_DAY) + rest)
}

export function checkInstant(micros: bigint): bigint {
  if (BigInt.asIntN(64, micros) !== micros) throw deltaError('DATETIME_OVERFLOW', { operation: 'the addition' })
  return micros
}
