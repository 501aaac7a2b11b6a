/**
 * Records of a file, one after the other, each with the place it stands at.
 *
 * NDJSON and CSV become objects whose values are still as written: numbers with all their digits, cells as text.
 */
import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { causeText, deltaError } from '../../errors/index.ts'
import { isJsonObject, parseStrictJson, throwIfAborted } from '../../support/index.ts'
import type { Terminal } from '../terminal.ts'
import { CsvReader } from './csv.ts'

export type RecordFormat = 'ndjson' | 'csv'

/** Where a record came from. */
export interface RecordPlace {
  readonly file: string
  readonly line: number
}

/** Remembers where records came from, for as long as somebody holds them. */
export class RecordPlaces {
  private readonly places = new WeakMap<object, RecordPlace>()

  set(record: object, place: RecordPlace): void {
    this.places.set(record, place)
  }

  /** `orders.ndjson, line 12` */
  readonly name = (record: unknown, row: number): string => {
    const place = typeof record === 'object' && record !== null ? this.places.get(record) : undefined
    return place === undefined ? `row ${row}` : placeText(place)
  }
}

function placeText({ file, line }: RecordPlace): string {
  return `${file}, line ${line}`
}

export interface RecordFile {
  /** `-` is standard input */
  readonly file: string
  readonly format: RecordFormat
}

interface ReadOptions {
  readonly terminal: Terminal
  /** ends the reading at once, also while nothing comes */
  readonly signal: AbortSignal
  readonly places: RecordPlaces
}

/**
 * The records of a file in batches, as they are read.
 *
 * @throws DeltaError `LAKE_FILE_NOT_READABLE`, `LAKE_BAD_RECORD` naming the line
 */
export async function* readRecords(
  { file, format }: RecordFile,
  { terminal, places, signal }: ReadOptions,
): AsyncGenerator<object[], void, undefined> {
  const name = file === '-' ? 'standard input' : file
  const stream = file === '-' ? terminal.stdin : createReadStream(file)
  const pieces = textPieces(addAbortSignal(signal, stream as Readable), { file: name, signal })
  const batches = format === 'csv' ? csvRecords(pieces, name) : jsonRecords(pieces, name)
  for await (const batch of batches) {
    for (const { record, line } of batch) places.set(record, { file: name, line })
    yield batch.map(({ record }) => record)
  }
}

interface LocatedRecord {
  readonly record: object
  readonly line: number
}

async function* textPieces(
  stream: NodeJS.ReadableStream,
  { file, signal }: { file: string; signal: AbortSignal },
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of stream) {
      yield decoder.decode(chunk as Buffer, { stream: true })
    }
    yield decoder.decode()
  } catch (cause) {
    throwIfAborted(signal, `the reading of ${file}`)
    const reason = cause instanceof TypeError ? 'it is not UTF-8 text' : causeText(cause)
    throw deltaError('LAKE_FILE_NOT_READABLE', { file, cause: reason }, { cause })
  }
}

async function* jsonRecords(pieces: AsyncIterable<string>, file: string): AsyncGenerator<LocatedRecord[]> {
  let rest = ''
  let line = 0
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    yield lines.flatMap((text) => jsonRecord(text, { file, line: ++line }))
  }
  yield jsonRecord(rest, { file, line: line + 1 })
}

/** Blank lines are no records. */
function jsonRecord(text: string, place: RecordPlace): LocatedRecord[] {
  if (text.trim() === '') return []
  const record = parseLine(text, place)
  if (isJsonObject(record)) return [{ record, line: place.line }]
  throw deltaError('LAKE_BAD_RECORD', { place: placeText(place), ...place, reason: 'it is not a JSON object' })
}

function parseLine(text: string, place: RecordPlace) {
  try {
    return parseStrictJson(text)
  } catch (cause) {
    throw deltaError('LAKE_BAD_RECORD', { place: placeText(place), ...place, reason: causeText(cause) }, { cause })
  }
}

async function* csvRecords(pieces: AsyncIterable<string>, file: string): AsyncGenerator<LocatedRecord[]> {
  const reader = new CsvReader(file)
  for await (const piece of pieces) yield reader.take(piece)
  yield reader.end()
}
