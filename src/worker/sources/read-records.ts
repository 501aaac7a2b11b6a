/** A local file read as batches of whole records, from a byte position on. */
import { type FileHandle, open } from 'node:fs/promises'
import { causeText, deltaError } from '../../errors/index.ts'
import { decodeUtf8, delay } from '../../support/index.ts'
import { parseCsvRecord } from '../records/csv.ts'
import { endOfLastRecord, splitRecords } from '../records/split.ts'
import type { SourceBatch } from './source.ts'

const CHUNK_BYTES = 2 * 1024 * 1024
/** A record that is longer fails its source: it is no record, and must not take the memory of the worker. */
export const MAX_RECORD_BYTES = 64 * 1024 * 1024

export interface RecordFile {
  readonly source: string
  readonly path: string
  readonly partition: string
  readonly format: 'ndjson' | 'csv'
  readonly header: boolean
  readonly delimiter: string
  readonly nullText: string | undefined
}

export interface ReadUntil {
  /**
   * What the end of the file means: `stop` there, a last record without a newline being one too; `stop-whole`, leaving
   * such a record for later; `wait` for more.
   */
  readonly atEnd: 'stop' | 'stop-whole' | 'wait'
  readonly pollMs: number
  readonly signal: AbortSignal
}

/** @returns the position behind the last record given */
export async function* readRecords(
  file: RecordFile,
  start: bigint,
  until: ReadUntil,
): AsyncGenerator<SourceBatch, bigint> {
  const handle = await openFile(file)
  try {
    const header = file.format === 'csv' && file.header ? await readHeader(handle, file) : undefined
    await checkSize(handle, file, start)
    const from = header !== undefined && start < header.end ? header.end : start
    return yield* readBatches(handle, file, header?.columns, from, until)
  } finally {
    await handle.close()
  }
}

async function* readBatches(
  handle: FileHandle,
  file: RecordFile,
  columns: readonly string[] | undefined,
  from: bigint,
  until: ReadUntil,
): AsyncGenerator<SourceBatch, bigint> {
  let position = from
  let rest: Uint8Array = new Uint8Array(0)
  while (!until.signal.aborted) {
    const bytes = await readBehind(handle, file, position, rest)
    const isEnd = bytes.length === rest.length
    const length = isEnd && until.atEnd === 'stop' ? bytes.length : endOfLastRecord(bytes, file.format)
    rest = bytes.slice(length)
    if (rest.length > MAX_RECORD_BYTES) {
      throw failure(file, `the record at byte ${position} is longer than ${MAX_RECORD_BYTES} bytes`)
    }
    if (length > 0) {
      const end = position + BigInt(length)
      const placed = { partition: file.partition, start: position, end, unit: 'byte' as const }
      yield { ...placed, bytes: bytes.subarray(0, length), ...(columns === undefined ? {} : { columns }) }
      position = end
    }
    if (isEnd && until.atEnd !== 'wait') return position
    if (isEnd) {
      await delay(until.pollMs, until.signal)
      await checkSize(handle, file, position)
    }
  }
  return position
}

async function openFile(file: RecordFile): Promise<FileHandle> {
  try {
    const handle = await open(file.path, 'r')
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
  } catch (cause) {
    throw failure(file, causeText(cause), cause)
  }
  throw failure(file, `${file.path} is not a file`)
}

/** The bytes at a position, of which the first, `known`, were read before. */
async function readBehind(
  handle: FileHandle,
  file: RecordFile,
  position: bigint,
  known: Uint8Array,
): Promise<Uint8Array> {
  try {
    const buffer = new Uint8Array(known.length + CHUNK_BYTES)
    buffer.set(known)
    const { bytesRead } = await handle.read(buffer, known.length, CHUNK_BYTES, Number(position) + known.length)
    return buffer.subarray(0, known.length + bytesRead)
  } catch (cause) {
    throw failure(file, causeText(cause), cause)
  }
}

async function readHeader(handle: FileHandle, file: RecordFile): Promise<{ columns: readonly string[]; end: bigint }> {
  const chunk = await readBehind(handle, file, 0n, new Uint8Array(0))
  const [first] = splitRecords(chunk, 'csv')
  if (first === undefined) return { columns: [], end: BigInt(chunk.length) }
  const text = decodeUtf8(chunk.subarray(first.start, first.stop)).replace(/^\ufeff/, '')
  const names = parseCsvRecord(text, file)
  if (names === undefined) throw failure(file, `the first line of ${file.path} is no CSV header`)
  return { columns: names.map((name) => name ?? ''), end: BigInt(first.end) }
}

async function checkSize(handle: FileHandle, file: RecordFile, position: bigint): Promise<void> {
  const { size } = await handle.stat()
  if (BigInt(size) < position) {
    throw deltaError('WORKER_SOURCE_SHRANK', { source: file.source, path: file.path, size, position })
  }
}

function failure(file: RecordFile, text: string, cause?: unknown) {
  return deltaError('WORKER_SOURCE_FAILED', { source: file.source, cause: text }, { cause })
}
