/**
 * CSV as rows: fields in double quotes may hold the delimiter, line ends and doubled quotes.
 *
 * An empty field without quotes is null, and so is the null text; a quoted empty field is the empty text.
 */
import type { Row, StructType, Value } from '../../schema/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import type { CsvOptions } from '../engine.ts'
import { misfit, RecordFault } from './record-fault.ts'
import { scalarFromText } from './scalar-text.ts'
import type { UnknownFields } from './unknown-fields.ts'

const QUOTE = 0x22
const NEWLINE = 0x0a

/**
 * Where the records of a chunk begin and end, newlines left out.
 *
 * A quote opens a field only at its start; a newline in a quoted field is part of the record. A quoted field that never
 * ends costs its first line, and the next line begins a record again.
 */
export function* splitCsv(bytes: Uint8Array, delimiter: string): Generator<{ start: number; end: number }> {
  const separator = encodeUtf8(delimiter)
  for (let start = 0; start < bytes.length; ) {
    const end = endOfRecord(bytes, start, separator) ?? endOfLine(bytes, start)
    yield { start, end }
    start = end + 1
  }
}

/** The place of the newline behind a record, or undefined when a quoted field does not end. */
function endOfRecord(bytes: Uint8Array, start: number, separator: Uint8Array): number | undefined {
  let atField = true
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === NEWLINE) return i
    if (byte === QUOTE && atField) {
      const close = closingQuote(bytes, i + 1)
      if (close === undefined) return undefined
      i = close
      atField = false
    } else {
      atField = separator.every((expected, n) => bytes[i + n] === expected)
      if (atField) i += separator.length - 1
    }
  }
  return bytes.length
}

function closingQuote(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 2)) {
    if (bytes[at + 1] !== QUOTE) return at
  }
  return undefined
}

function endOfLine(bytes: Uint8Array, start: number): number {
  const found = bytes.indexOf(NEWLINE, start)
  return found < 0 ? bytes.length : found
}

/**
 * The fields of a record; null where the field is one.
 *
 * @throws RecordFault when a quoted field does not end, or text follows it
 */
export function csvFields(record: string, { delimiter, nullText }: CsvOptions): (string | null)[] {
  const fields: (string | null)[] = []
  let at = 0
  for (;;) {
    if (record[at] === '"') {
      const { value, end } = quotedField(record, at)
      fields.push(value)
      at = end
    } else {
      const found = record.indexOf(delimiter, at)
      const end = found < 0 ? record.length : found
      const text = record.slice(at, end)
      fields.push(text === '' || text === nullText ? null : text)
      at = end
    }
    if (at === record.length) return fields
    if (!record.startsWith(delimiter, at)) throw new RecordFault(`text follows the quoted field ${fields.length}`)
    at += delimiter.length
  }
}

function quotedField(record: string, start: number): { value: string; end: number } {
  for (let at = start + 1; at < record.length; at++) {
    if (record[at] !== '"') continue
    if (record[at + 1] === '"') at++
    else return { value: record.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
  }
  throw new RecordFault('a quoted field does not end')
}

/** Makes rows of the fields of records. */
export interface CsvRows {
  /** @throws RecordFault */
  row(fields: readonly (string | null)[]): Row
}

/**
 * @param names what the fields of every record are, in order
 * @param unknown told, with every record, of the fields that are no columns
 */
export function csvRows(names: readonly (string | null)[], schema: StructType, unknown: UnknownFields): CsvRows {
  const places = schema.fields.map(({ name }) => names.indexOf(name))
  const others = names.filter((_, place) => !places.includes(place))
  return {
    row(fields) {
      if (fields.length !== names.length) {
        throw new RecordFault(`it has ${fields.length} fields where there are ${names.length} columns`)
      }
      for (const name of others) unknown.meet(name ?? '')
      return schema.fields.map((column, i): Value => {
        const text = fields[places[i]!] ?? null
        if (text === null) {
          if (!column.nullable) throw new RecordFault(`the column ${column.name} is NOT NULL, and null is there`)
          return null
        }
        if (column.type.kind === 'string') return text
        return scalarFromText(text, column.type) ?? misfit(column.name, text, column.type)
      })
    },
  }
}
