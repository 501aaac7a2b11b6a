/**
 * The two kinds of interval: months as a number, microseconds as bigint; and how they are written.
 *
 * A type knows its first and last field (`interval day to second`); values do not depend on them.
 */
import { deltaError } from '../../errors/index.ts'
import { MICROS_PER_SECOND } from '../../support/index.ts'
import type { IntervalType } from '../expression.ts'

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
type Field = (typeof FIELDS)[number]

const MICROS_OF: Readonly<Record<'day' | 'hour' | 'minute' | 'second', bigint>> = {
  day: 86_400n * MICROS_PER_SECOND,
  hour: 3600n * MICROS_PER_SECOND,
  minute: 60n * MICROS_PER_SECOND,
  second: MICROS_PER_SECOND,
}

/** units as written → the field they belong to and how many of its smallest steps (months, microseconds) they are */
const UNITS: ReadonlyMap<string, { readonly field: Field; readonly steps: bigint }> = new Map(
  (
    [
      ['year', 'year', 12n],
      ['month', 'month', 1n],
      ['week', 'day', MICROS_OF.day * 7n],
      ['day', 'day', MICROS_OF.day],
      ['hour', 'hour', MICROS_OF.hour],
      ['minute', 'minute', MICROS_OF.minute],
      ['second', 'second', MICROS_OF.second],
      ['millisecond', 'second', 1000n],
      ['microsecond', 'second', 1n],
    ] as const
  ).flatMap(([unit, field, steps]) => [
    [unit, { field, steps }],
    [`${unit}s`, { field, steps }],
  ]),
)

export interface IntervalValue {
  readonly type: IntervalType
  readonly value: number | bigint
}

export function intervalType(first: Field, last: Field): IntervalType {
  const kind = FIELDS.indexOf(last) < 2 ? 'interval_year_month' : 'interval_day_time'
  return { kind, text: first === last ? `interval ${first}` : `interval ${first} to ${last}` }
}

export const dayToSecond: IntervalType = intervalType('day', 'second')
export const yearToMonth: IntervalType = intervalType('year', 'month')

/** First and last field of an interval type. */
export function intervalFields(type: IntervalType): { first: Field; last: Field } {
  const [, first, last] = /^interval (\w+)(?: to (\w+))?$/.exec(type.text) ?? []
  return { first: first as Field, last: (last ?? first) as Field }
}

/** The type that holds the fields of both; undefined where one is of months and the other of days. */
export function commonInterval(a: IntervalType, b: IntervalType): IntervalType | undefined {
  if (a.kind !== b.kind) return undefined
  const [x, y] = [intervalFields(a), intervalFields(b)]
  const rank = (field: Field): number => FIELDS.indexOf(field)
  return intervalType(rank(x.first) < rank(y.first) ? x.first : y.first, rank(x.last) > rank(y.last) ? x.last : y.last)
}

export function isIntervalUnit(word: string): boolean {
  return UNITS.has(word.toLowerCase())
}

/** The interval type of `first TO last`; undefined where there is none. */
export function intervalTypeOf(first: string, last: string = first): IntervalType | undefined {
  const [from, to] = [FIELDS.indexOf(first.toLowerCase() as Field), FIELDS.indexOf(last.toLowerCase() as Field)]
  if (from === -1 || to === -1 || from > to || from < 2 !== to < 2) return undefined
  return intervalType(FIELDS[from]!, FIELDS[to]!)
}

/**
 * `1 YEAR 2 MONTHS`, `1.5 SECOND`: amounts as text with their units.
 *
 * @throws DeltaError `_LEGACY_ERROR_TEMP_0029`, `INVALID_INTERVAL_FORMAT.…`
 */
export function intervalOfUnits(parts: readonly { readonly amount: string; readonly unit: string }[]): IntervalValue {
  const input = parts.map(({ amount, unit }) => `${amount} ${unit}`).join(' ')
  const units = parts.map(({ unit }) => UNITS.get(unit.toLowerCase())!)
  const ranks = units.map(({ field }) => FIELDS.indexOf(field))
  const months = ranks.filter((rank) => rank < 2).length
  if (months !== 0 && months !== ranks.length) throw deltaError('_LEGACY_ERROR_TEMP_0029')
  const steps = parts.reduce((sum, { amount }, i) => sum + amountSteps(amount, units[i]!, input), 0n)
  const type = intervalType(FIELDS[Math.min(...ranks)]!, FIELDS[Math.max(...ranks)]!)
  return { type, value: fitSteps(steps, type, input) }
}

function amountSteps(amount: string, unit: { field: Field; steps: bigint }, input: string): bigint {
  const match = /^([+-]?)\s*(\d+|\d*\.\d+|\d+\.)$/.exec(amount.trim())
  const [whole = '', fraction = ''] = (match?.[2] ?? '').split('.')
  const fractional = match?.[2]?.includes('.') === true
  if (match === null || (fractional && (unit.field !== 'second' || unit.steps !== MICROS_PER_SECOND))) {
    // Spark tells a number that is none from a text that does not begin as one
    const code = /^[+-]?\s*\d\S*$/.test(amount.trim())
      ? 'INVALID_INTERVAL_FORMAT.INVALID_VALUE'
      : '_LEGACY_ERROR_TEMP_0026'
    throw deltaError(code, { input })
  }
  if (fraction.length > 9) throw deltaError('INVALID_INTERVAL_FORMAT.INTERVAL_PARSING', { input, units: 'in seconds' })
  const steps = BigInt(whole || '0') * unit.steps + BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return match[1] === '-' ? -steps : steps
}

function fitSteps(steps: bigint, type: IntervalType, input: string): number | bigint {
  const bits = type.kind === 'interval_year_month' ? 32 : 64
  if (BigInt.asIntN(bits, steps) !== steps) throw deltaError('INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION', { input })
  return bits === 32 ? Number(steps) : steps
}

/** `1 year 2 months` as one text. */
export function intervalOfText(text: string): IntervalValue {
  const words = text.trim().replace(/^interval\s+/i, '')
  const pattern = /([+-]?\s*[\d.]+)\s+([a-zA-Z]+)(?:\s+|$)/y
  const parts: { amount: string; unit: string }[] = []
  while (pattern.lastIndex < words.length) {
    const match = pattern.exec(words)
    if (match === null || !isIntervalUnit(match[2]!)) {
      throw deltaError('INVALID_TYPED_LITERAL', { type: 'INTERVAL', value: text })
    }
    parts.push({ amount: match[1]!, unit: match[2]! })
  }
  if (parts.length === 0) {
    throw deltaError('INVALID_TYPED_LITERAL', { type: 'INTERVAL', value: text })
  }
  return intervalOfUnits(parts)
}

const SEPARATED: ReadonlyMap<string, RegExp> = new Map([
  ['year to month', /^([+-]?)(\d+)-(\d+)$/],
  ['day to hour', /^([+-]?)(\d+) (\d{1,2})$/],
  ['day to minute', /^([+-]?)(\d+) (\d{1,2}):(\d{1,2})$/],
  ['day to second', /^([+-]?)(\d+) (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?$/],
  ['hour to minute', /^([+-]?)(\d{1,10}):(\d{1,2})$/],
  ['hour to second', /^([+-]?)(\d{1,10}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?$/],
  ['minute to second', /^([+-]?)(\d{1,12}):(\d{1,2})(?:\.(\d{1,9}))?$/],
])
const LIMITS: Readonly<Record<Field, number>> = {
  year: Number.POSITIVE_INFINITY,
  month: 11,
  day: Number.POSITIVE_INFINITY,
  hour: 23,
  minute: 59,
  second: 59,
}

/**
 * `'1-2' YEAR TO MONTH`, `'1 02:03:04.5' DAY TO SECOND`; a single field goes through `intervalOfUnits`.
 *
 * @throws DeltaError `INVALID_INTERVAL_FORMAT.…`, `_LEGACY_ERROR_TEMP_0063` for a part out of range
 */
export function intervalOfRange(text: string, type: IntervalType): IntervalValue {
  const { first, last } = intervalFields(type)
  const match = SEPARATED.get(`${first} to ${last}`)?.exec(text.trim())
  if (match === null || match === undefined) {
    const suffix = type.kind === 'interval_day_time' ? '_WITH_NOTICE' : ''
    throw deltaError(`INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING${suffix}`, { input: text, type: type.text })
  }
  const fields = FIELDS.slice(FIELDS.indexOf(first), FIELDS.indexOf(last) + 1)
  const steps = fields.reduce((sum, field, i) => sum + fieldSteps(field, match[i + 2]!, i === 0, text, type), 0n)
  const fraction = last === 'second' ? BigInt((match[fields.length + 2] ?? '').padEnd(6, '0').slice(0, 6)) : 0n
  const total = steps + fraction
  return { type, value: fitSteps(match[1] === '-' ? -total : total, type, text) }
}

function fieldSteps(field: Field, digits: string, leading: boolean, input: string, type: IntervalType): bigint {
  if (!leading && Number(digits) > LIMITS[field]) {
    if (type.kind === 'interval_day_time') throw deltaError('_LEGACY_ERROR_TEMP_0063', { input })
    throw deltaError('INVALID_INTERVAL_FORMAT.INTERVAL_PARSING', { input, units: type.text.slice(9) })
  }
  return BigInt(digits) * UNITS.get(field)!.steps
}

/** `INTERVAL '1 02:03:04.5' DAY TO SECOND`, the text Spark's cast to string gives. */
export function formatInterval(value: number | bigint, type: IntervalType): string {
  const { first, last } = intervalFields(type)
  const name = type.text.slice('interval '.length).toUpperCase()
  const magnitude = BigInt(value) < 0n ? -BigInt(value) : BigInt(value)
  const body =
    type.kind === 'interval_year_month' ? formatMonths(magnitude, first, last) : formatDayTime(magnitude, first, last)
  return `INTERVAL '${BigInt(value) < 0n ? '-' : ''}${body}' ${name}`
}

function formatMonths(months: bigint, first: Field, last: Field): string {
  if (first === 'month') return String(months)
  return last === 'year' ? String(months / 12n) : `${months / 12n}-${months % 12n}`
}

function formatDayTime(micros: bigint, first: Field, last: Field): string {
  const fields = (['day', 'hour', 'minute', 'second'] as const).slice(
    FIELDS.indexOf(first) - 2,
    FIELDS.indexOf(last) - 1,
  )
  let rest = micros
  let text = ''
  fields.forEach((field, i) => {
    const count = rest / MICROS_OF[field]
    rest -= count * MICROS_OF[field]
    const digits = field === 'day' ? String(count) : String(count).padStart(2, '0')
    text += i === 0 ? digits : `${fields[i - 1] === 'day' ? ' ' : ':'}${digits}`
  })
  if (last === 'second' && rest !== 0n) text += `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`
  return text
}
