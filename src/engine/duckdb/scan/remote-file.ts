/**
 * A data file behind a network as a local one that holds only what a query reads.
 *
 * The footer comes first; then the chunks of the columns and row groups that are wanted, at their true offsets in a
 * sparse file. A hole would be read as zeros, so only chunks that no query over the need can touch are left out: columns
 * it does not name, and row groups that the written footer does not name any more.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { deltaError, isDeltaError } from '../../../errors/index.ts'
import type { BoundExpression } from '../../../expressions/index.ts'
import { hiddenSource, physicalName, type ScanFile, type TableLayout } from '../../../kernel/index.ts'
import {
  type ByteRange,
  openParquet,
  type ParquetReader,
  type PartialFile,
  partialFile,
  type SchemaNode,
} from '../../../parquet/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { decodeUtf8, mapParallel } from '../../../support/index.ts'
import { mayMatch } from '../../pruning/index.ts'
import type { BlockCache } from './block-cache.ts'
import { cachedRange } from './cached-range.ts'

/** What a query can touch of a file. */
export interface ReadNeed {
  readonly layout: TableLayout
  /** of top-level columns */
  readonly ordinals: readonly number[]
  /** rows for which it is not TRUE are not given; absent: every row is wanted */
  readonly filter?: BoundExpression | undefined
}

export interface RemoteFile {
  readonly store: ObjectStore
  readonly key: string
  readonly add: ScanFile
  readonly signal: AbortSignal | undefined
  readonly cache?: BlockCache | undefined
  readonly tuning?: FetchTuning | undefined
}

export interface FetchTuning {
  /** a smaller file comes whole by one request; bytes */
  readonly wholeBytes?: number
  /** where more of a file is wanted, it comes whole, for few large requests beat many small ones; 0 to 1 */
  readonly wholeShare?: number
  /** tests fill what will be holes with garbage, to see that none of it reaches a result */
  readonly fillHoles?: (file: FileHandle, size: number) => Promise<void>
}

const WHOLE_BYTES = 256 * 1024
const WHOLE_SHARE = 0.5
/** Nearer ranges are fetched together: a request costs more than some bytes in between. */
const GAP_BYTES = 256 * 1024
/** One request asks for no more. */
const PIECE_BYTES = 8 * 1024 * 1024
const PARALLEL = 4
/** Source: Delta protocol, "Column Mapping". */
const COLUMN_ID = 'delta.columnMapping.id'

/**
 * Writes the file to a local path.
 *
 * @param need absent: all of it
 * @throws DeltaError `FAILED_READ_FILE.FILE_NOT_EXIST`, and the store's own
 */
export async function fetchDataFile(remote: RemoteFile, path: string, need: ReadNeed | undefined): Promise<void> {
  const file = await open(path, 'w+')
  try {
    const isSmall = remote.add.size <= (remote.tuning?.wholeBytes ?? WHOLE_BYTES)
    const part = need === undefined || isSmall ? undefined : await findPart(remote, need)
    if (part === undefined) await fetchWhole(remote, file)
    else await fetchPart(remote, file, part)
  } catch (cause) {
    if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
    throw deltaError('FAILED_READ_FILE.FILE_NOT_EXIST', { file: remote.add.path }, { cause })
  } finally {
    await file.close()
  }
}

interface FoundPart {
  readonly size: number
  readonly part: PartialFile
  /** pieces that came with the footer */
  readonly have: readonly Piece[]
}

interface Piece {
  readonly start: number
  readonly bytes: Uint8Array
}

/** @returns undefined where the file is better fetched whole: DuckDB will say what is wrong with it, if anything is */
async function findPart(remote: RemoteFile, need: ReadNeed): Promise<FoundPart | undefined> {
  const { size } = remote.add
  const have: Piece[] = []
  const read = async (start: number, end: number) => {
    const bytes = await getRange(remote, { start, end })
    have.push({ start, bytes })
    return bytes
  }
  try {
    const reader = await openParquet({ name: remote.add.path, size, read })
    const part = partialFile(reader, wantedOf(reader, need, remote.add))
    if (part === undefined) return undefined
    const missing = bytesIn(without(part.ranges, have))
    return missing > size * (remote.tuning?.wholeShare ?? WHOLE_SHARE) ? undefined : { size, part, have }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

function isUnreadable(error: unknown): boolean {
  const isNoParquet = isDeltaError(error, 'FAILED_READ_FILE.NO_HINT') || isDeltaError(error, 'LAKE_PARQUET_UNSUPPORTED')
  return isNoParquet || error instanceof RangeError
}

/** Row groups are left out only where positions of rows in the file do not matter. */
function wantedOf(reader: ParquetReader, need: ReadNeed, add: ScanFile) {
  const { filter, layout } = need
  const column = columnTest(need)
  const isByPosition = add.deletionVector !== undefined || add.hiddenBy !== undefined || needsPositions(need)
  if (filter === undefined || isByPosition) return { column, rowGroup: () => true }
  const { rowGroups } = reader.footer
  return { column, rowGroup: (index: number) => mayMatch(filter, reader, rowGroups[index]!, layout) }
}

function needsPositions({ layout, ordinals }: ReadNeed): boolean {
  return ordinals.some((ordinal) => layout.hidden?.has(ordinal) && hiddenSource(ordinal, layout).addsRowIndex)
}

/** Names in whatever case, and ids: more than is wanted does no harm. */
function columnTest({ layout, ordinals }: ReadNeed): (node: SchemaNode) => boolean {
  const isHidden = (ordinal: number) => layout.hidden?.has(ordinal) === true
  const fields = ordinals.filter((ordinal) => !isHidden(ordinal)).map((ordinal) => layout.schema.fields[ordinal]!)
  const kept = ordinals.filter(isHidden).flatMap((ordinal) => hiddenSource(ordinal, layout).stored ?? [])
  const names = new Set([...fields.map((field) => physicalName(field, layout)), ...kept].map((n) => n.toLowerCase()))
  const ids = new Set(fields.map((field) => field.metadata[COLUMN_ID]))
  return ({ name, fieldId }) => names.has(name.toLowerCase()) || (fieldId !== undefined && ids.has(fieldId))
}

async function fetchWhole(remote: RemoteFile, file: FileHandle): Promise<void> {
  const { size } = remote.add
  await fetchRanges(remote, file, [{ start: 0, end: size }])
  const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, Math.max(0, size - 4))
  if (decodeUtf8(buffer.subarray(0, bytesRead)) === 'PAR1') return
  // some writers get the size in the log wrong, and the footer stands at the true end
  const { size: trueSize } = await remote.store.head(remote.key, remote.signal && { signal: remote.signal })
  if (trueSize > size) await fetchRanges(remote, file, [{ start: size, end: trueSize }])
  await file.truncate(trueSize)
}

async function fetchPart(remote: RemoteFile, file: FileHandle, { size, part, have }: FoundPart): Promise<void> {
  await remote.tuning?.fillHoles?.(file, size)
  await file.truncate(size)
  for (const { start, bytes } of have) await writeAll(file, bytes, start)
  await fetchRanges(remote, file, coalesced(without(part.ranges, have)))
  for (const { at, bytes } of part.given) await writeAll(file, bytes, at)
  await file.truncate(part.size)
}

async function fetchRanges(remote: RemoteFile, file: FileHandle, ranges: readonly ByteRange[]): Promise<void> {
  await mapParallel(ranges.flatMap(inPieces), PARALLEL, async (range) => {
    const bytes = await getRange(remote, range)
    await writeAll(file, bytes, range.start)
  })
}

async function getRange({ store, key, add, signal, cache }: RemoteFile, range: ByteRange): Promise<Uint8Array> {
  const fetchRange = (range: ByteRange) => store.getRange(key, range, signal && { signal })
  if (cache === undefined || range.end > add.size) return await fetchRange(range)
  const file = { location: store.location, key, size: add.size, modifiedMs: add.modificationTime }
  return await cachedRange(cache, file, range, fetchRange)
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

function inPieces({ start, end }: ByteRange): ByteRange[] {
  const pieces: ByteRange[] = []
  for (let at = start; at < end; at += PIECE_BYTES) pieces.push({ start: at, end: Math.min(at + PIECE_BYTES, end) })
  return pieces
}

function coalesced(ranges: readonly ByteRange[]): ByteRange[] {
  const result: { start: number; end: number }[] = []
  for (const { start, end } of ranges) {
    const last = result.at(-1)
    if (last !== undefined && start - last.end <= GAP_BYTES) last.end = end
    else result.push({ start, end })
  }
  return result
}

/** What of the ranges is not in the pieces. */
function without(ranges: readonly ByteRange[], pieces: readonly Piece[]): ByteRange[] {
  return pieces.reduce<ByteRange[]>(
    (left, { start, bytes }) =>
      left.flatMap((range) => [
        ...(range.start < start ? [{ start: range.start, end: Math.min(range.end, start) }] : []),
        ...(range.end > start + bytes.length
          ? [{ start: Math.max(range.start, start + bytes.length), end: range.end }]
          : []),
      ]),
    [...ranges],
  )
}

function bytesIn(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0)
}
