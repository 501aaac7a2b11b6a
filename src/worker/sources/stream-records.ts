/** Bytes that come one behind the other as batches of whole records, from a position on. */
import { deltaError } from '../../errors/index.ts'
import { concatBytes } from '../../support/index.ts'
import { endOfLastRecord } from '../records/split.ts'
import { readCsvHeader } from './csv-header.ts'
import type { RecordFile } from './read-records.ts'
import type { SourceBatch } from './source.ts'

/** Bytes gathered for a batch. */
const GATHER_BYTES = 1024 * 1024
/** A record that is longer fails its source: it is no record, and must not take the memory of the worker. */
export const MAX_RECORD_BYTES = 64 * 1024 * 1024

/** What has a name and a form, wherever its bytes come from. */
export type RecordStream = RecordFile

export interface StreamOptions {
  /** everything before it is passed over */
  readonly start: bigint
  /** asked at the end: whether a last record without a newline is one */
  readonly isWhole: () => boolean
  readonly signal: AbortSignal
}

/**
 * Whole records of the bytes, gathered to about a megabyte.
 *
 * @throws what `onTooLong` makes of a record that is longer than `MAX_RECORD_BYTES`
 */
export async function* wholeRecords(
  chunks: AsyncIterable<Uint8Array>,
  format: 'ndjson' | 'csv',
  isWhole: () => boolean,
  onTooLong: () => Error,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let held = 0
  let wanted = GATHER_BYTES
  for await (const chunk of chunks) {
    parts.push(chunk)
    held += chunk.length
    if (held < wanted) continue
    const bytes = concatBytes(parts)
    const length = endOfLastRecord(bytes, format)
    const rest = bytes.slice(length)
    if (rest.length > MAX_RECORD_BYTES) throw onTooLong()
    parts = [rest]
    held = rest.length
    // a record that is longer than a batch is not looked through at every chunk
    wanted = Math.max(GATHER_BYTES, 2 * rest.length)
    if (length > 0) yield bytes.subarray(0, length)
  }
  const bytes = concatBytes(parts)
  const length = isWhole() ? bytes.length : endOfLastRecord(bytes, format)
  if (bytes.length - endOfLastRecord(bytes, format) > MAX_RECORD_BYTES) throw onTooLong()
  if (length > 0) yield bytes.subarray(0, length)
}

/**
 * @returns the position behind the last record given
 * @throws DeltaError `WORKER_SOURCE_FAILED`, `WORKER_SOURCE_SHRANK` where the bytes end before the start
 */
export async function* streamRecords(
  chunks: AsyncIterable<Uint8Array>,
  stream: RecordStream,
  { start, isWhole, signal }: StreamOptions,
): AsyncGenerator<SourceBatch, bigint> {
  const failed = (cause: string) => deltaError('WORKER_SOURCE_FAILED', { source: stream.source, cause })
  const onTooLong = () => failed(`a record of ${stream.path} is longer than ${MAX_RECORD_BYTES} bytes`)
  let needsHeader = stream.format === 'csv' && stream.header
  let columns: readonly string[] | undefined
  let position = 0n
  for await (let bytes of wholeRecords(chunks, stream.format, isWhole, onTooLong)) {
    if (signal.aborted) return position < start ? start : position
    const end = position + BigInt(bytes.length)
    if (needsHeader) {
      const header = readCsvHeader(bytes, stream)
      if (header === 'malformed') throw failed(`the first line of ${stream.path} is no CSV header`)
      if (header !== 'none') {
        needsHeader = false
        columns = header.columns
        bytes = bytes.subarray(header.end)
      }
    }
    const from = end - BigInt(bytes.length)
    const skipped = start > from ? start - from : 0n
    if (skipped < BigInt(bytes.length)) {
      const placed = { partition: stream.partition, start: from + skipped, end, unit: 'byte' as const }
      yield { ...placed, bytes: bytes.subarray(Number(skipped)), ...(columns !== undefined && { columns }) }
    }
    position = end
  }
  if (position < start && isWhole()) {
    throw deltaError('WORKER_SOURCE_SHRANK', { ...stream, size: position, position: start })
  }
  return position < start ? start : position
}
