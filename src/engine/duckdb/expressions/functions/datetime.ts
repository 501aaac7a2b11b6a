/** Parts of dates and timestamps, in UTC, and arithmetic of days. */
import { notCompiled, raise } from '../fragment.ts'
import { type CallForm, type CompiledCall, checked, strict } from './call-form.ts'

function part(sql: (wall: string) => string): CallForm {
  return strict(([value], call) => {
    const kind = call.types[0]!.kind
    if (kind === 'timestamp') return `CAST(${sql(`(${value} AT TIME ZONE 'UTC')`)} AS INTEGER)`
    if (kind === 'date' || kind === 'timestamp_ntz') return `CAST(${sql(value!)} AS INTEGER)`
    throw notCompiled(`${call.name} of the type ${kind}`)
  })
}

/** Something added to a date or a timestamp; an interval is its months or its microseconds. */
function step(sign: '+' | '-'): CallForm {
  return checked(([base, interval], call) => {
    const amount = sign === '+' ? interval! : `(- ${interval})`
    if (call.types[1]!.kind === 'interval_year_month') return addMonths(base!, amount, call)
    if (call.type.kind === 'date') return addDays(base!, `(${amount} // 86400000000)`)
    return addMicros(base!, amount, call)
  })
}

/**
 * DuckDB refuses what lies outside its calendar; Spark's reaches further or wraps, and the evaluator knows how.
 *
 * @param range SQL that is TRUE where the result is well inside, NULL where an argument is NULL
 */
function within(range: string, sql: string): string {
  const outside = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a date or time outside the years 1 to 9999' })
  return `CASE ${range} WHEN true THEN ${sql} WHEN false THEN ${outside} END`
}

function addDays(date: string, days: string): string {
  const sum = `(CAST(${date} - DATE '1970-01-01' AS BIGINT) + ${days})`
  return within(`(${sum} BETWEEN -719162 AND 2932896)`, `(${date} + CAST(${days} AS INTEGER))`)
}

function addMonths(base: string, months: string, call: CompiledCall): string {
  const wall = call.type.kind === 'timestamp' ? `(${base} AT TIME ZONE 'UTC')` : base
  const range = `(year(${wall}) BETWEEN 1 AND 9999 AND year(${wall}) + ${months} // 12 BETWEEN 2 AND 9998)`
  const sum = `(${wall} + to_months(${months}))`
  if (call.type.kind === 'date') return within(range, `CAST(${sum} AS DATE)`)
  return within(range, call.type.kind === 'timestamp' ? `(${sum} AT TIME ZONE 'UTC')` : sum)
}

function addMicros(base: string, micros: string, call: CompiledCall): string {
  const sum = `(CAST(epoch_us(${base}) AS HUGEINT) + ${micros})`
  const make = call.type.kind === 'timestamp' ? 'make_timestamptz' : 'make_timestamp'
  return within(`(${sum} BETWEEN -62135596800000000 AND 253402300799999999)`, `${make}(CAST(${sum} AS BIGINT))`)
}

export const datetimeForms: readonly (readonly [string, CallForm])[] = [
  ['year', part((x) => `year(${x})`)],
  ['quarter', part((x) => `quarter(${x})`)],
  ['month', part((x) => `month(${x})`)],
  ['day', part((x) => `day(${x})`)],
  ['dayofmonth', part((x) => `day(${x})`)],
  ['dayofyear', part((x) => `dayofyear(${x})`)],
  ['dayofweek', part((x) => `(dayofweek(${x}) + 1)`)],
  ['weekday', part((x) => `((dayofweek(${x}) + 6) % 7)`)],
  ['hour', part((x) => `hour(${x})`)],
  ['minute', part((x) => `minute(${x})`)],
  ['second', part((x) => `second(${x})`)],
  ['add_interval', step('+')],
  ['subtract_interval', step('-')],
  ['subtract_dates', strict(([a, b]) => `(CAST(${a} - ${b} AS BIGINT) * 86400000000)`)],
  ['subtract_timestamps', strict(([a, b]) => `(epoch_us(${a}) - epoch_us(${b}))`)],
  ['date_add', checked(([date, days]) => addDays(date!, days!))],
  ['date_sub', checked(([date, days]) => addDays(date!, `(- CAST(${days} AS BIGINT))`))],
  ['add_months', checked(([date, months], call) => addMonths(date!, months!, call))],
  ['last_day', strict(([value]) => `last_day(${value})`)],
  ['unix_date', strict(([value]) => `CAST(${value} - DATE '1970-01-01' AS INTEGER)`)],
  ['datediff', strict(([end, start]) => `CAST(${end} - ${start} AS INTEGER)`)],
]
