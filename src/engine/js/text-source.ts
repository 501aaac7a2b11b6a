/**
 * Records of raw NDJSON or CSV as rows, the steps of a route applied.
 *
 * Records are read exactly by `engine/record`, as every engine reads those it is in doubt about. One that is not of the
 * record type, or on which a step fails, is rejected with its text and the reason; it never stops the write.
 */
import { causeText, isDeltaError } from '../../errors/index.ts'
import { compileEvaluator } from '../../expressions/index.ts'
import { type DataType, field, type Row, type StructType, structType, type Value } from '../../schema/index.ts'
import { decodeUtf8, decodeUtf8Strict } from '../../support/index.ts'
import {
  type CsvRows,
  csvFields,
  csvRows,
  RecordFault,
  type RejectedRecord,
  readJsonRecord,
  splitCsv,
  type TextSource,
  UnknownFields,
} from '../index.ts'

export interface TextCounts {
  numFiltered: number
  numRejected: number
  numIgnoredFields?: number
}

/** The columns the source gives, behind its steps. */
export function textSchema(source: TextSource): StructType {
  if (source.select === undefined) return source.schema
  // an interval has no column type and is refused where the columns are adapted
  return structType(source.select.map(({ name, expression }) => field(name, expression.type as DataType)))
}

/** Rows behind the steps; `counts` grows as they are read. */
export async function* textRows(source: TextSource, counts: TextCounts): AsyncGenerator<readonly Row[]> {
  const intake = new TextIntake(source, counts)
  for await (const chunk of source.chunks) {
    const rows = intake.take(chunk)
    if (rows.length > 0) yield rows
  }
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const MARK = [0xef, 0xbb, 0xbf]

class TextIntake {
  private readonly source: TextSource
  private readonly counts: TextCounts
  private readonly matches: ((row: Row) => Value) | undefined
  private readonly select: readonly ((row: Row) => Value)[] | undefined
  private index = 0
  private isFirst = true
  private readonly unknown: UnknownFields
  /** undefined until the header is read */
  private csvRows: CsvRows | undefined

  constructor(source: TextSource, counts: TextCounts) {
    this.source = source
    this.counts = counts
    this.matches = source.filter && compileEvaluator(source.filter)
    this.select = source.select?.map(({ expression }) => compileEvaluator(expression))
    this.unknown = new UnknownFields(source.unknownFields)
    if (source.csv?.header !== true) this.nameFields(source.schema.fields.map(({ name }) => name))
  }

  /** The rows of a chunk of whole records. */
  take(chunk: Uint8Array): Row[] {
    const rows: Row[] = []
    const rejected: RejectedRecord[] = []
    for (const record of this.records(chunk)) {
      const text = decodeUtf8Strict(record)
      try {
        if (text === undefined) throw new RecordFault('the record is not UTF-8')
        if (this.csvRows === undefined) {
          this.nameFields(csvFields(text, this.csv))
          continue
        }
        const row = this.applySteps(this.read(text))
        if (row === undefined) this.counts.numFiltered++
        else rows.push(row)
      } catch (error) {
        if (!isFaultOfRecord(error)) throw error
        rejected.push({ text: text ?? decodeUtf8(record), index: this.index, reason: causeText(error) })
      }
      this.index++
    }
    this.counts.numRejected += rejected.length
    this.counts.numIgnoredFields = this.unknown.count
    if (rejected.length > 0) this.source.onReject(rejected)
    return rows
  }

  private nameFields(names: readonly (string | null)[]): void {
    this.csvRows = csvRows(names, this.source.schema, this.unknown)
  }

  private get csv() {
    return this.source.csv ?? { header: false, delimiter: ',' }
  }

  private *records(chunk: Uint8Array): Generator<Uint8Array> {
    const marked = this.isFirst && MARK.every((byte, i) => chunk[i] === byte)
    this.isFirst = false
    const bytes = marked ? chunk.subarray(MARK.length) : chunk
    const spans = this.source.format === 'csv' ? splitCsv(bytes, this.csv.delimiter) : splitLines(bytes)
    for (const { start, end } of spans) {
      const record = bytes.subarray(start, bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end)
      if (!record.every((byte) => byte === 0x20 || byte === 0x09)) yield record
    }
  }

  private read(text: string): Row {
    const { schema, format } = this.source
    if (format === 'ndjson') return readJsonRecord(text, schema, this.unknown)
    return this.csvRows!.row(csvFields(text, this.csv))
  }

  /** The row behind the steps, or undefined where the filter leaves it out. */
  private applySteps(row: Row): Row | undefined {
    if (this.matches !== undefined && this.matches(row) !== true) return undefined
    return this.select === undefined ? row : this.select.map((evaluate) => evaluate(row))
  }
}

function* splitLines(bytes: Uint8Array): Generator<{ start: number; end: number }> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    yield { start, end }
    start = end + 1
  }
}

/** What an expression says of a value is about the record; what the package says of itself is not. */
function isFaultOfRecord(error: unknown): boolean {
  return error instanceof RecordFault || (isDeltaError(error) && error.code !== 'LAKE_INTERNAL')
}
