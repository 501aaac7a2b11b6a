/** Parts of dates and timestamps, in UTC, and arithmetic of days. */
import { notCompiled } from '../fragment.ts'
import { type CallForm, strict } from './call-form.ts'

function part(sql: (wall: string) => string): CallForm {
  return strict(([value], call) => {
    const kind = call.types[0]!.kind
    if (kind === 'timestamp') return `CAST(${sql(`(${value} AT TIME ZONE 'UTC')`)} AS INTEGER)`
    if (kind === 'date' || kind === 'timestamp_ntz') return `CAST(${sql(value!)} AS INTEGER)`
    throw notCompiled(`${call.name} of the type ${kind}`)
  })
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
  ['last_day', strict(([value]) => `last_day(${value})`)],
  ['unix_date', strict(([value]) => `CAST(${value} - DATE '1970-01-01' AS INTEGER)`)],
  ['datediff', strict(([end, start]) => `CAST(${end} - ${start} AS INTEGER)`)],
]
