/** Where a value stands, and the refusals that name it. */
import { type DeltaError, deltaError } from '../../errors/index.ts'
import { type DataType, formatType } from '../../schema/index.ts'
import { JsonNumber } from '../../support/index.ts'
import { columnPathText } from './column-path.ts'

/** Where values come from: a program, NDJSON, or cells of CSV. */
export type Form = 'js' | 'json' | 'text'

/** The row under way. */
export interface Place {
  /** counted from 1, as a person counts the lines of a file */
  readonly row: number
  /** the record it is made of */
  readonly record: unknown
  /** `row 3`, or where the record came from: `orders.ndjson, line 12` */
  readonly name: (record: unknown, row: number) => string
}

export function placeText({ row, record, name }: Place): string {
  return name(record, row)
}

export interface Column {
  readonly type: DataType
  readonly path: readonly string[]
  readonly form: Form
}

/** A value that stands for null. */
export function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

/** An object whose own keys are names: no array, date, bytes, map or number kept as text. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date || value instanceof Map || value instanceof JsonNumber || ArrayBuffer.isView(value))
  )
}

/** What a value is, in the words of messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date) return 'a Date'
  if (value instanceof Map) return 'a Map'
  if (ArrayBuffer.isView(value)) return 'bytes'
  if (value instanceof JsonNumber) return `the number ${value.text}`
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return `the text ${quote(value)}`
  return typeof value === 'bigint' || typeof value === 'number' ? `the number ${value}` : `a ${typeof value}`
}

/** The value as a message shows it, short. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof JsonNumber) return value.text
  return value instanceof Date ? value.toISOString() : String(value)
}

function quote(text: string): string {
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 57))}…` : JSON.stringify(text)
}

/** A value of a kind its column does not take. */
export function refuseKind(value: unknown, column: Column, place: Place, cause?: unknown): DeltaError {
  const details = {
    column: columnPathText(column.path),
    type: formatType(column.type),
    found: kindOf(value),
    row: place.row,
    place: placeText(place),
  }
  return deltaError('DELTA_FAILED_TO_MERGE_FIELDS', details, { cause })
}

/** A value of the right kind that is no value of its type, or is one only after rounding or cutting. */
export function refuseValue(value: unknown, reason: string, column: Column, place: Place): DeltaError {
  return deltaError('LAKE_INVALID_VALUE', { ...valueDetails(value, column, place), reason })
}

/** A number or text that is too large for its column. */
export function refuseOverflow(value: unknown, column: Column, place: Place): DeltaError {
  return deltaError('CAST_OVERFLOW_IN_TABLE_INSERT', valueDetails(value, column, place))
}

function valueDetails(value: unknown, column: Column, place: Place) {
  return {
    value: showValue(value),
    type: formatType(column.type),
    column: columnPathText(column.path),
    row: place.row,
    place: placeText(place),
  }
}
