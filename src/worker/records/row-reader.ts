/** Bytes of a batch as the rows a route makes of them, one record at a time, in TypeScript. */
import { RecordFault as EngineFault, UnknownFields } from '../../engine/index.ts'
import { causeText, isDeltaError } from '../../errors/index.ts'
import { compileEvaluator } from '../../expressions/index.ts'
import { foldCase, type Row, type Value } from '../../schema/index.ts'
import { decodeUtf8Strict, type JsonValue, parseJson } from '../../support/index.ts'
import type { Route } from '../routes/route.ts'
import { type CsvShape, parseCsvRecord } from './csv.ts'
import { decodeRecord, decodeText, decodeValue, RecordFault } from './decode.ts'
import { type StructRecord, tableTypeOf } from './record-type.ts'
import { splitRecords } from './split.ts'

export interface RefusedRecord {
  readonly text: string
  /** 0-based place among the records of the bytes */
  readonly index: number
  /** of its first byte in the bytes */
  readonly offset: number
  readonly reason: string
}

export interface ReadRows {
  readonly rows: readonly Row[]
  readonly refused: readonly RefusedRecord[]
  readonly numFiltered: number
  /** fields that the record type does not have and were passed over */
  readonly numIgnoredFields: number
}

export interface RecordFormat extends CsvShape {
  readonly format: 'ndjson' | 'csv'
}

export interface RowReader {
  /**
   * @param columns CSV: the names of the columns, where they are not the record's own
   * @param check refuses a row of the route for a reason of the destination's
   */
  read(bytes: Uint8Array, columns?: readonly string[], check?: (row: Row) => string | undefined): ReadRows
}

/**
 * Reads records for a route: decoded by the source's record type, filtered, computed.
 *
 * A record whose expressions fail is refused with their error; no row of it goes on.
 */
export function rowReader(route: Route, format: RecordFormat): RowReader {
  const toRow = rowMaker(route)
  return {
    read(bytes, columns, check) {
      const rows: Row[] = []
      const refused: RefusedRecord[] = []
      let index = 0
      let numFiltered = 0
      const unknown = new UnknownFields(route.unknownFields)
      for (const { start, stop } of splitRecords(bytes, format.format)) {
        const record = bytes.subarray(start, stop)
        try {
          const row = toRow(decodeBytes(record, route.input, { format, columns, unknown }))
          const reason = row === undefined ? undefined : check?.(row)
          if (reason !== undefined) throw new RecordFault(reason)
          if (row === undefined) numFiltered++
          else rows.push(row)
        } catch (error) {
          refused.push({ text: textOf(record), index, offset: start, reason: reasonOf(error) })
        }
        index++
      }
      return { rows, refused, numFiltered, numIgnoredFields: unknown.count }
    },
  }
}

/** @returns for a decoded record the row of the route, or undefined when its filter leaves it out */
function rowMaker(route: Route): (record: Row) => Row | undefined {
  // Expressions know only the fields that have columns.
  const held = route.input.fields.flatMap(({ type }, i) => (tableTypeOf(type) === undefined ? [] : [i]))
  const isAllHeld = held.length === route.input.fields.length
  const columnsOf = (record: Row): Row => (isAllHeld ? record : held.map((i) => record[i] ?? null))
  if (route.isIdentity) return columnsOf
  const filter = route.filter === undefined ? undefined : compileEvaluator(route.filter)
  const select = route.select.map(({ expression }) => compileEvaluator(expression))
  return (record) => {
    const columns = columnsOf(record)
    if (filter !== undefined && filter(columns) !== true) return undefined
    return select.map((evaluate) => evaluate(columns))
  }
}

interface Decoding {
  readonly format: RecordFormat
  /** CSV: the names of the columns, where they are not the record's own */
  readonly columns: readonly string[] | undefined
  readonly unknown: UnknownFields
}

function decodeBytes(bytes: Uint8Array, record: StructRecord, decoding: Decoding): Row {
  const text = decodeUtf8Strict(bytes)
  if (text === undefined) throw new RecordFault('the record is not UTF-8')
  if (decoding.format.format === 'csv') return decodeCsv(text, record, decoding)
  return decodeRecord(parseLine(text), record, decoding.unknown)
}

function parseLine(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch (error) {
    throw new RecordFault(`the record is ${causeText(error)}`)
  }
}

function decodeCsv(text: string, record: StructRecord, { format, columns, unknown }: Decoding): Row {
  const fields = parseCsvRecord(text, format)
  if (fields === undefined) throw new RecordFault('the record is not CSV: a quote is not closed where its field ends')
  const names = columns ?? record.fields.map((f) => f.name)
  if (fields.length !== names.length) {
    throw new RecordFault(`the record has ${fields.length} fields, and there are ${names.length} columns`)
  }
  const places = record.fields.map(({ name }) => placeOf(name, names))
  for (const [place, name] of names.entries()) if (!places.includes(place)) unknown.meet(name)
  return record.fields.map(({ name, type }, i): Value => {
    const at = places[i]!
    const value = fields[at] ?? null
    const isNested = type.kind === 'struct' || type.kind === 'list' || type.kind === 'map' || type.kind === 'json'
    if (value === null) return null
    return isNested ? decodeValue(parseLine(value), type, name, unknown) : decodeText(value, type, name)
  })
}

function placeOf(name: string, names: readonly string[]): number {
  const exact = names.indexOf(name)
  return exact >= 0 ? exact : names.findIndex((candidate) => foldCase(candidate) === foldCase(name))
}

function textOf(record: Uint8Array): string {
  return new TextDecoder().decode(record).replace(/\r$/, '')
}

function reasonOf(error: unknown): string {
  if (error instanceof RecordFault || error instanceof EngineFault) return error.message
  if (isDeltaError(error) && error.code !== 'LAKE_INTERNAL') return error.message
  throw error
}
