/**
 * CSV as records: fields in double quotes may hold the delimiter, newlines and doubled quotes.
 *
 * An empty field without quotes is null, and so is the null text. With a header columns are found by name, else by place.
 */
import { causeText, isDeltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import { decodeUtf8 } from '../../support/index.ts'
import type { CsvOptions, TextSource } from '../engine.ts'
import { castText, RecordFault, type TextRecord } from './text-record.ts'

interface CsvField {
  readonly text: string
  readonly quoted: boolean
}

interface CsvRecord {
  readonly text: string
  readonly fields: readonly CsvField[]
  readonly broken: boolean
}

export async function* csvRecords(source: TextSource): AsyncGenerator<readonly TextRecord[]> {
  const options = source.csv ?? { header: false, delimiter: ',' }
  let places: readonly number[] | undefined = options.header ? undefined : source.schema.fields.map((_, i) => i)
  for await (const chunk of source.chunks) {
    let records = splitRecords(decodeUtf8(chunk), options.delimiter)
    if (places === undefined && records.length > 0) {
      const names = records[0]!.fields.map((field) => field.text)
      places = source.schema.fields.map((field) => names.indexOf(field.name))
      records = records.slice(1)
    }
    const columns = places ?? []
    yield records.map((record) => readRecord(record, columns, source.schema, options))
  }
}

function readRecord(record: CsvRecord, places: readonly number[], schema: StructType, options: CsvOptions): TextRecord {
  const { text, fields } = record
  try {
    if (record.broken) throw new RecordFault('a quoted field does not end where it should')
    const row = schema.fields.map((column, i) => {
      if (places[i] === -1) return null
      const field = fields[places[i]!]
      if (field === undefined) throw new RecordFault(`the column ${column.name} has no field`)
      if (!field.quoted && (field.text === '' || field.text === options.nullText)) return null
      return column.type.kind === 'string' ? field.text : castText(field.text, column.type, [column.name])
    })
    if (fields.length > Math.max(...places) + 1 && !options.header) {
      throw new RecordFault(`it has ${fields.length} fields for ${schema.fields.length} columns`)
    }
    return { text, row }
  } catch (error) {
    if (error instanceof RecordFault || isDeltaError(error)) return { text, row: undefined, reason: causeText(error) }
    throw error
  }
}

function splitRecords(text: string, delimiter: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let at = 0
  while (at < text.length) {
    const { record, end } = readCsvRecord(text, at, delimiter)
    if (record.text !== '') records.push(record)
    at = end
  }
  return records
}

function readCsvRecord(text: string, start: number, delimiter: string): { record: CsvRecord; end: number } {
  const fields: CsvField[] = []
  let at = start
  let broken = false
  for (;;) {
    const { field, end, whole } = text[at] === '"' ? readQuoted(text, at) : readBare(text, at, delimiter)
    fields.push(field)
    broken ||= !whole
    at = end
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length
      continue
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    if (at < text.length && text[at] !== '\n') {
      // text behind a closing quote: the record is given up, the next line begins a new one
      broken = true
      at = endOfLine(text, at)
    }
    const record = { text: text.slice(start, at).replace(/\r$/, ''), fields, broken }
    return { record, end: at + 1 }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function readBare(text: string, start: number, delimiter: string): { field: CsvField; end: number; whole: boolean } {
  const lineEnd = endOfLine(text, start)
  const next = text.indexOf(delimiter, start)
  const end = next === -1 || next > lineEnd ? lineEnd : next
  const value = text.slice(start, end)
  const bare = end === lineEnd && value.endsWith('\r') ? value.slice(0, -1) : value
  return { field: { text: bare, quoted: false }, end: start + bare.length, whole: true }
}

function readQuoted(text: string, start: number): { field: CsvField; end: number; whole: boolean } {
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return { field: { text: value + text.slice(at), quoted: true }, end: text.length, whole: false }
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { field: { text: value, quoted: true }, end: quote + 1, whole: true }
    value += '"'
    at = quote + 2
  }
}
