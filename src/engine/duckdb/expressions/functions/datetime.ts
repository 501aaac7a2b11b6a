/** Parts of dates and timestamps, in UTC, and arithmetic of days. */
import { notCompiled } from '../fragment.ts'
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
    const months = call.types[1]!.kind === 'interval_year_month'
    const amount = sign === '+' ? interval! : `(- ${interval})`
    return months ? addMonths(base!, amount, call) : addMicros(base!, amount, call)
  })
}

function addMonths(base: string, months: string, call: CompiledCall): string {
  switch (call.type.kind) {
    case 'date':
      return `CAST(${base} + to_months(${months}) AS DATE)`
    case 'timestamp':
      return `(((${base} AT TIME ZONE 'UTC') + to_months(${months})) AT TIME ZONE 'UTC')`
    default:
      return `(${base} + to_months(${months}))`
  }
}

function addMicros(base: string, micros: string, call: CompiledCall): string {
  switch (call.type.kind) {
    case 'date':
      return `(${base} + CAST(${micros} // 86400000000 AS INTEGER))`
    case 'timestamp':
      return `make_timestamptz(epoch_us(${base}) + ${micros})`
    default:
      return `make_timestamp(epoch_us(${base}) + ${micros})`
  }
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
  ['date_add', checked(([date, days]) => `(${date} + ${days})`)],
  ['date_sub', checked(([date, days]) => `(${date} - ${days})`)],
  ['last_day', strict(([value]) => `last_day(${value})`)],
  ['unix_date', strict(([value]) => `CAST(${value} - DATE '1970-01-01' AS INTEGER)`)],
  ['datediff', strict(([end, start]) => `CAST(${end} - ${start} AS INTEGER)`)],
]
