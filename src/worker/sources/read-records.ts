/** A local file read as batches of whole records, from a byte position on. */
import { type FileHandle, open } from 'node:fs/promises'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { delay } from '../../support/index.ts'
import { endOfLastRecord } from '../records/split.ts'
import { ChunkBuffers } from './chunk-buffers.ts'
import { type Compression, compressionOf, decompress, MAGIC_BYTES } from './compression.ts'
import { readCsvHeader } from './csv-header.ts'
import type { SourceBatch } from './source.ts'
import { MAX_RECORD_BYTES, streamRecords } from './stream-records.ts'

const CHUNK_BYTES = 2 * 1024 * 1024
/** Batches up to this size are copied out of their buffer: many of them may wait for their round. */
const SMALL_BYTES = CHUNK_BYTES / 8

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
   *
   * A compressed file is not waited for. One that ends inside of its stream is `WORKER_SOURCE_CUT`, behind what it holds;
   * for `stop-whole` that is a warning.
   */
  readonly atEnd: 'stop' | 'stop-whole' | 'wait'
  readonly pollMs: number
  readonly signal: AbortSignal
  readonly onWarning?: ((text: string) => void) | undefined
  /** asked when bytes were read, before they are given: false where they may be of another file in the same place */
  readonly isSame?: () => Promise<boolean>
}

/**
 * Positions in a compressed file count the bytes it holds.
 *
 * @returns the position behind the last record given
 */
export async function* readRecords(
  file: RecordFile,
  start: bigint,
  until: ReadUntil,
): AsyncGenerator<SourceBatch, bigint> {
  const handle = await openFile(file)
  try {
    return yield* readOpened(handle, file, start, until)
  } finally {
    await handle.close()
  }
}

/** As `readRecords`, of a file that is open; one that may be replaced in its place (`isSame`) may be shorter, too. */
export async function* readOpened(
  handle: FileHandle,
  file: RecordFile,
  start: bigint,
  until: ReadUntil,
): AsyncGenerator<SourceBatch, bigint> {
  const compression = compressionOf(await readStart(handle, file))
  if (compression !== undefined) return yield* readCompressed(handle, file, compression, { ...until, start })
  const header = file.format === 'csv' && file.header ? await readHeader(handle, file) : undefined
  if (until.isSame === undefined) await checkSize(handle, file, start)
  const from = header !== undefined && start < header.end ? header.end : start
  return yield* readBatches(handle, file, header?.columns, from, until)
}

async function* readCompressed(
  handle: FileHandle,
  file: RecordFile,
  compression: Compression,
  { start, atEnd, signal, onWarning }: ReadUntil & { readonly start: bigint },
): AsyncGenerator<SourceBatch, bigint> {
  if (atEnd === 'wait') {
    const reason = 'a compressed file is not tailed: read it without tail, or follow its folder'
    throw deltaError('WORKER_SOURCE_COMPRESSED', { ...file, compression, reason })
  }
  let isWhole = true
  const untilCut = async function* () {
    try {
      yield* decompress(handle.createReadStream({ autoClose: false, start: 0 }), compression, file)
    } catch (error) {
      if (atEnd === 'stop' || !isDeltaError(error, 'WORKER_SOURCE_CUT')) throw error
      isWhole = false
      onWarning?.(`${error.message}; it is read on when it changes`)
    }
  }
  return yield* streamRecords(untilCut(), file, { start, isWhole: () => isWhole, signal })
}

async function* readBatches(
  handle: FileHandle,
  file: RecordFile,
  columns: readonly string[] | undefined,
  from: bigint,
  until: ReadUntil,
): AsyncGenerator<SourceBatch, bigint> {
  const buffers = new ChunkBuffers(CHUNK_BYTES)
  let position = from
  let rest: Uint8Array = new Uint8Array(0)
  while (!until.signal.aborted) {
    const buffer = buffers.take(rest.length)
    const bytes = await readBehind(handle, file, { position, known: rest, buffer })
    if (until.isSame !== undefined && !(await until.isSame())) return position
    const isEnd = bytes.length === rest.length
    const length = isEnd && until.atEnd === 'stop' ? bytes.length : endOfLastRecord(bytes, file.format)
    rest = bytes.slice(length)
    if (rest.length > MAX_RECORD_BYTES) {
      throw failure(file, `the record at byte ${position} is longer than ${MAX_RECORD_BYTES} bytes`)
    }
    if (length > 0) {
      const end = position + BigInt(length)
      const placed = { partition: file.partition, start: position, end, unit: 'byte' as const }
      const named = columns === undefined ? placed : { ...placed, columns }
      if (length > SMALL_BYTES) yield { ...named, bytes: bytes.subarray(0, length), settle: buffers.settle(buffer) }
      else yield { ...named, bytes: bytes.slice(0, length) }
      position = end
    }
    if (length <= SMALL_BYTES) buffers.giveBack(buffer)
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

interface Reading {
  readonly position: bigint
  /** the first bytes there, which were read before */
  readonly known: Uint8Array
  /** room for them and a chunk */
  readonly buffer: Uint8Array
}

/** The bytes at a position, in the buffer. */
async function readBehind(
  handle: FileHandle,
  file: RecordFile,
  { position, known, buffer }: Reading,
): Promise<Uint8Array> {
  try {
    buffer.set(known)
    const { bytesRead } = await handle.read(buffer, known.length, CHUNK_BYTES, Number(position) + known.length)
    return buffer.subarray(0, known.length + bytesRead)
  } catch (cause) {
    throw failure(file, causeText(cause), cause)
  }
}

async function readStart(handle: FileHandle, file: RecordFile): Promise<Uint8Array> {
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(MAGIC_BYTES), 0, MAGIC_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (cause) {
    throw failure(file, causeText(cause), cause)
  }
}

async function readHeader(handle: FileHandle, file: RecordFile): Promise<{ columns: readonly string[]; end: bigint }> {
  const known = new Uint8Array(0)
  const chunk = await readBehind(handle, file, { position: 0n, known, buffer: new Uint8Array(CHUNK_BYTES) })
  const header = readCsvHeader(chunk, file)
  if (header === 'none') return { columns: [], end: BigInt(chunk.length) }
  if (header === 'malformed') throw failure(file, `the first line of ${file.path} is no CSV header`)
  return { columns: header.columns, end: BigInt(header.end) }
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
