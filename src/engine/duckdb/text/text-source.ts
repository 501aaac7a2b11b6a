/**
 * Raw NDJSON and CSV into files.
 *
 * Bytes of plain NDJSON records go to a spool file (in memory where the system has room) and from there into DuckDB
 * without becoming objects, while the next bytes are looked at. A record the scanner does not vouch for is read exactly
 * in TypeScript: it is rejected, or goes on in a plain spelling. Where DuckDB stops at a segment, its records are read
 * and their steps evaluated one by one, so that only the faulty ones are rejected. CSV is read exactly throughout.
 */
import { causeText, deltaError, isDeltaError, UnsupportedError } from '../../../errors/index.ts'
import type { DataType, Row } from '../../../schema/index.ts'
import { decodeUtf8, decodeUtf8Strict, encodeUtf8, throwIfAborted } from '../../../support/index.ts'
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
} from '../../index.ts'
import { LOGICAL } from '../values/sql-type.ts'
import { type SourceCounts, tableColumns, type WriteJob } from '../write/job.ts'
import { RowStaging } from '../write/row-source.ts'
import { plainLine } from './plain-line.ts'
import { PlainLines } from './plain-lines.ts'
import { keyColumns, type RouteSql, type RouteSteps, routeSteps } from './route-steps.ts'
import { isBlank, Segment } from './segment.ts'
import { spoolSql } from './spool-sql.ts'

/** Bytes of text in a spool file. */
const SPOOL_BYTES = 16 * 1024 * 1024
/** Bytes of text that become a file at most; the next are looked at while DuckDB writes it. */
const MAX_SEGMENT_BYTES = 512 * 1024 * 1024
const NEWLINE = 0x0a
const LINE_END = Uint8Array.of(NEWLINE)
/** Less text is not worth a file of its own where the key of the partition changes. */
const MIN_CUT_BYTES = 1024 * 1024
/** How far text shrinks on its way into Parquet, before a file tells. */
const FIRST_RATIO = 0.1

export async function writeText(source: TextSource, job: WriteJob): Promise<SourceCounts> {
  refuseVariant(source)
  const intake = new TextIntake(source, job, await RowStaging.open(routeSteps(source).schema, job))
  try {
    if (source.format === 'ndjson') await intake.takeJson()
    else await intake.takeCsv()
    return await intake.finish()
  } catch (error) {
    await intake.abort()
    throw error
  }
}

function refuseVariant({ schema }: TextSource): void {
  for (const { name, type } of schema.fields) {
    if (!holdsVariant(type)) continue
    throw deltaError('DELTA_UNSUPPORTED_DATA_TYPE', { column: name, type: 'variant in a text source' })
  }
}

function holdsVariant(type: DataType): boolean {
  if (type.kind === 'array') return holdsVariant(type.element)
  if (type.kind === 'map') return holdsVariant(type.key) || holdsVariant(type.value)
  if (type.kind === 'struct') return type.fields.some((f) => holdsVariant(f.type))
  return type.kind === 'variant'
}

class TextIntake {
  private readonly source: TextSource
  private readonly job: WriteJob
  private readonly staging: RowStaging
  private readonly steps: RouteSteps
  private readonly lines: PlainLines
  /** keys of segments cut where the key changed */
  private readonly keys = new Set<string>()
  private segment: Segment
  private readonly relationOf: (select: string) => string
  private ratio = FIRST_RATIO
  /** the segment DuckDB is taking in */
  private running: Promise<void> = Promise.resolve()
  private readonly unknown: UnknownFields
  private index = 0
  private numRejected = 0
  private numFiltered = 0

  constructor(source: TextSource, job: WriteJob, staging: RowStaging) {
    this.source = source
    this.job = job
    this.staging = staging
    this.steps = routeSteps(source)
    this.unknown = new UnknownFields(source.unknownFields)
    this.lines = new PlainLines(source.schema, {
      keyColumns: keyColumns(source, job.plan.layout),
      rejectsUnknown: this.unknown.areRejected,
    })
    this.segment = new Segment(job.database, 0)
    const columns = tableColumns({ schema: this.steps.schema, naming: LOGICAL, columnSql: (i) => `s${i}` }, job.plan)
    this.relationOf = (select) => `SELECT ${columns} FROM (${select})`
  }

  async takeJson(): Promise<void> {
    for await (const chunk of this.source.chunks) {
      throwIfAborted(this.job.options.signal, 'the write')
      await this.scanChunk(this.index === 0 ? withoutMark(chunk) : chunk)
      if (this.segment.pendingBytes >= SPOOL_BYTES) await this.segment.spool()
      if (this.segment.bytes * this.ratio >= this.job.plan.targetFileSize || this.segment.bytes >= MAX_SEGMENT_BYTES) {
        await this.handOver()
      }
    }
    await this.handOver()
    await this.running
  }

  /** Deletes what is spooled; the write has failed. */
  async abort(): Promise<void> {
    await this.running.catch(() => undefined)
    await this.segment.delete()
  }

  async takeCsv(): Promise<void> {
    const options = this.source.csv ?? { header: false, delimiter: ',' }
    const { schema } = this.source
    const apply = this.steps.compile()
    let isFirst = true
    let records: CsvRows | undefined
    const nameFields = (names: readonly (string | null)[]) => csvRows(names, schema, this.unknown)
    if (!options.header) records = nameFields(schema.fields.map(({ name }) => name))
    for await (const chunk of this.source.chunks) {
      throwIfAborted(this.job.options.signal, 'the write')
      const bytes = isFirst ? withoutMark(chunk) : chunk
      isFirst = false
      const rows: Row[] = []
      const rejected: RejectedRecord[] = []
      for (const { start, end } of splitCsv(bytes, options.delimiter)) {
        const record = bytes.subarray(start, bytes[end - 1] === 0x0d ? end - 1 : end)
        if (isBlank(record)) continue
        const named = records
        if (named === undefined) records = nameFields(csvFields(decodeUtf8(record), options))
        else this.takeRecord(record, { rows, rejected, apply }, (text) => named.row(csvFields(text, options)))
      }
      this.reject(rejected)
      await this.staging.add(rows)
    }
  }

  async finish(): Promise<SourceCounts> {
    await this.staging.finish()
    return { numFiltered: this.numFiltered, numRejected: this.numRejected, numIgnoredFields: this.unknown.count }
  }

  /** Splits a chunk into stretches of plain records and records for the exact reader. */
  private async scanChunk(bytes: Uint8Array): Promise<void> {
    const { lines } = this
    const rejected: RejectedRecord[] = []
    for (let start = 0; start < bytes.length; ) {
      const end = lines.take(bytes, start)
      if (lines.records > 0) {
        this.segment.add(bytes.subarray(start, end), lines.records, lines.longest)
        this.index += lines.records
        this.unknown.count += lines.unknown
      }
      start = end
      if (start >= bytes.length) break
      if (lines.nextKey !== undefined) {
        if (this.isWorthCutting(lines.nextKey)) await this.handOver()
        else lines.mixKeys()
        continue
      }
      const found = bytes.indexOf(NEWLINE, start)
      const line = bytes.subarray(start, found < 0 ? bytes.length : found)
      if (!isBlank(line)) this.takeUnusual(line, rejected)
      start += line.length + 1
    }
    if (bytes.at(-1) !== NEWLINE && this.segment.records > 0) this.segment.add(LINE_END, 0, 0)
    this.reject(rejected)
  }

  /**
   * Records in the order of the table's partitions become files without waiting in a table, where one segment ends with
   * the partition. Each partition is ended so once: those that come back make no more files than they would.
   */
  private isWorthCutting(nextKey: string): boolean {
    const { segment, keys, lines } = this
    if (segment.bytes < MIN_CUT_BYTES || segment.originals.size > 0 || keys.has(nextKey)) return false
    if (lines.key !== undefined) keys.add(lines.key)
    return true
  }

  private takeUnusual(line: Uint8Array, rejected: RejectedRecord[]): void {
    const index = this.index++
    const text = decodeUtf8Strict(line)
    try {
      if (text === undefined) throw new RecordFault('the record is not UTF-8')
      const spelt = encodeUtf8(
        `${plainLine(readJsonRecord(text, this.source.schema, this.unknown), this.source.schema)}\n`,
      )
      this.segment.originals.set(index, text)
      this.segment.add(spelt, 1, spelt.length)
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error
      this.segment.gaps.add(index)
      rejected.push({ text: text ?? decodeUtf8(line), index, reason: error.message })
    }
  }

  /** Waits for DuckDB to have written the segment before, and gives it this one. */
  private async handOver(): Promise<void> {
    await this.segment.spool()
    await this.running
    const segment = this.segment
    segment.hasOnePartition = this.lines.hasOneKey && segment.originals.size === 0
    this.lines.beginKey()
    this.segment = new Segment(this.job.database, this.index)
    if (segment.records === 0) return
    this.running = this.takeIn(segment).finally(() => segment.delete())
    // observed when it is awaited; until then it must not count as unhandled
    this.running.catch(() => undefined)
  }

  private async takeIn(segment: Segment): Promise<void> {
    const { writer } = this.job
    const { sql } = this.steps
    const filesBefore = writer.files.length
    const rowsBefore = writer.numRows
    const written = sql !== undefined && (await this.writeSegment(segment, sql))
    if (!written) return this.takeInExactly(segment)
    this.numFiltered += segment.records - (writer.numRows - rowsBefore)
    const bytes = writer.files.slice(filesBefore).reduce((sum, file) => sum + file.size, 0)
    if (bytes > 0) this.ratio = bytes / segment.bytes
    this.job.report()
  }

  /** @returns false when a record stops the engine: nothing is written then */
  private async writeSegment(segment: Segment, { columns, filter }: RouteSql): Promise<boolean> {
    const records = spoolSql(segment.paths, this.source.schema, segment.longest)
    const where = filter === undefined ? '' : ` WHERE ${filter}`
    try {
      const relation = this.relationOf(`SELECT ${columns.join(', ')} FROM (${records})${where}`)
      await this.job.writer.write(relation, segment)
      return true
    } catch (error) {
      if (isDeltaError(error) || /^Out of Memory/.test(causeText(error))) throw error
      return false
    }
  }

  /** Record by record, in TypeScript. */
  private async takeInExactly(segment: Segment): Promise<void> {
    const { schema } = this.source
    const apply = this.steps.compile()
    for await (const lines of segment.lines()) {
      const rows: Row[] = []
      const rejected: RejectedRecord[] = []
      for (const { line, index } of lines) {
        const text = segment.originals.get(index) ?? decodeUtf8Strict(line)
        const shown = text ?? decodeUtf8(line)
        this.takeText({ text, shown, index }, { rows, rejected, apply }, (json) => readJsonRecord(json, schema))
      }
      this.reject(rejected)
      await this.staging.add(rows)
    }
    await this.staging.finish()
  }

  private takeRecord(record: Uint8Array, into: Outcome, read: (text: string) => Row): void {
    const text = decodeUtf8Strict(record)
    this.takeText({ text, shown: text ?? decodeUtf8(record), index: this.index++ }, into, read)
  }

  private takeText(
    { text, shown, index }: { text: string | undefined; shown: string; index: number },
    { rows, rejected, apply }: Outcome,
    read: (text: string) => Row,
  ): void {
    try {
      if (text === undefined) throw new RecordFault('the record is not UTF-8')
      const row = apply(read(text))
      if (row === undefined) this.numFiltered++
      else rows.push(row)
    } catch (error) {
      if (!isFaultOfRecord(error)) throw error
      rejected.push({ text: shown, index, reason: causeText(error) })
    }
  }

  private reject(rejected: readonly RejectedRecord[]): void {
    if (rejected.length === 0) return
    this.numRejected += rejected.length
    this.source.onReject(rejected)
  }
}

interface Outcome {
  readonly apply: (row: Row) => Row | undefined
  readonly rows: Row[]
  readonly rejected: RejectedRecord[]
}

/** What an expression says of a value is about the record; that it is not supported is about the route. */
function isFaultOfRecord(error: unknown): boolean {
  if (error instanceof RecordFault) return true
  return isDeltaError(error) && error.code !== 'LAKE_INTERNAL' && !(error instanceof UnsupportedError)
}

/** The bytes without a leading byte order mark. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
