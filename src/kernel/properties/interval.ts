/** Intervals as table properties spell them: `interval 30 days`, `2 days 3 hours`. Source: `CalendarInterval` of Spark. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../support/index.ts'

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['week', 7 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
  ['millisecond', 1],
  ['microsecond', 0.001],
])

const PART = /([-+]?\d{1,15})\s+([a-z]+)\s*/gy

/**
 * Milliseconds of an interval without months or years.
 *
 * @returns undefined where the text is no interval, is negative, or has a part of no fixed length
 */
export function parseIntervalMs(text: string): number | undefined {
  const body = text
    .trim()
    .toLowerCase()
    .replace(/^interval\s+/, '')
  let total = 0
  let end = 0
  PART.lastIndex = 0
  for (let match = PART.exec(body); match !== null; match = PART.exec(body)) {
    const unit = UNIT_MS.get(match[2]!.replace(/s$/, ''))
    if (unit === undefined) return undefined
    total += Number(match[1]) * unit
    end = PART.lastIndex
  }
  return end === body.length && end > 0 && total >= 0 && Number.isSafeInteger(Math.floor(total)) ? total : undefined
}
