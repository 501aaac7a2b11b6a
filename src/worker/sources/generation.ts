/** One file of those that lie at a path one after the other, told from the others by what it begins with. */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { compareBytes } from '../../support/index.ts'
import { splitRecords } from '../records/split.ts'
import type { RecordFile } from './read-records.ts'

/** Bytes of a beginning that are looked at. */
const MARK_BYTES = 4096
/** Bytes before the position that are looked at. */
const TAIL_BYTES = 256

export interface Generation {
  readonly handle: FileHandle
  readonly path: string
  readonly inode: bigint
  /** what it begins with; undefined until its first record is whole */
  mark: Uint8Array | undefined
  /** known with the mark */
  partition: string | undefined
  position: bigint
  /** the bytes before the position, where they were read in this run */
  tail: Uint8Array
}

/** @returns undefined where there is no file */
export async function openGeneration(path: string): Promise<Generation | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const opened = await handle.stat({ bigint: true })
  if (!opened.isFile()) {
    await handle.close()
    throw new Error(`${path} is not a file`)
  }
  const tail = new Uint8Array(0)
  return { handle, path, inode: opened.ino, mark: undefined, partition: undefined, position: 0n, tail }
}

/**
 * The first record, and with a header of CSV the one behind it, for headers are the same everywhere; of a long one the
 * first bytes. Undefined until there is that much.
 */
export async function readMark(handle: FileHandle, { format, header }: RecordFile): Promise<Uint8Array | undefined> {
  const bytes = await bytesAt(handle, 0n, MARK_BYTES)
  const spans = [...splitRecords(bytes, format)]
  const span = spans[format === 'csv' && header ? 1 : 0]
  if (span !== undefined && bytes[span.end - 1] === 0x0a) return bytes.subarray(0, span.end)
  return bytes.length === MARK_BYTES ? bytes : undefined
}

/** What its positions are kept under. */
export function markName(mark: Uint8Array): string {
  return createHash('sha256').update(mark).digest('hex').slice(0, 16)
}

/** Whether the open file still holds what was read of it. */
export async function isUnchanged({ handle, mark, position, tail }: Generation): Promise<boolean> {
  if (mark === undefined) return true
  if ((await sizeOf(handle)) < position) return false
  const before = await bytesAt(handle, position - BigInt(tail.length), tail.length)
  return compareBytes(before, tail) === 0 && compareBytes(await bytesAt(handle, 0n, mark.length), mark) === 0
}

export function tailOf(bytes: Uint8Array): Uint8Array {
  return bytes.slice(Math.max(0, bytes.length - TAIL_BYTES))
}

/** Whether a file holds nothing but the first bytes of another, as one does that is being copied. */
export async function isBeginningOf(part: FileHandle, whole: FileHandle): Promise<boolean> {
  const size = await sizeOf(part)
  if (size > (await sizeOf(whole))) return false
  const isAlike = async (at: bigint, length: number) =>
    compareBytes(await bytesAt(part, at, length), await bytesAt(whole, at, length)) === 0
  const tail = size > BigInt(TAIL_BYTES) ? TAIL_BYTES : Number(size)
  return (await isAlike(0n, Math.min(MARK_BYTES, Number(size)))) && (await isAlike(size - BigInt(tail), tail))
}

export async function sizeOf(handle: FileHandle): Promise<bigint> {
  return (await handle.stat({ bigint: true })).size
}

async function bytesAt(handle: FileHandle, position: bigint, length: number): Promise<Uint8Array> {
  if (length === 0) return new Uint8Array(0)
  const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, Number(position))
  return buffer.subarray(0, bytesRead)
}

/**
 * The files that rotation made of one, the newest first: `app.log.1`, `app.log-20260102`, `app.1.log`.
 *
 * Those that were compressed are none of them.
 */
export async function rotatedFiles(path: string): Promise<Generation[]> {
  const folder = dirname(path)
  const name = basename(path)
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  const isDate = (text: string) => /^[.-]\d[\dT:_.-]*$/.test(text)
  const isRotated = (other: string) =>
    (other.startsWith(name) && isDate(other.slice(name.length))) ||
    (extension !== '' &&
      other.startsWith(stem) &&
      other.endsWith(extension) &&
      isDate(other.slice(stem.length, other.length - extension.length)))
  for (;;) {
    const found: Generation[] = []
    for (const other of (await readdir(folder)).filter(isRotated)) {
      const generation = await openGeneration(join(folder, other))
      if (generation !== undefined) found.push(generation)
    }
    // files that were renamed meanwhile may have been met twice, or not at all
    if (await areStillThere(found)) return newestFirst(found)
    for (const { handle } of found) await handle.close()
  }
}

async function areStillThere(found: readonly Generation[]): Promise<boolean> {
  for (const { path, inode } of found) {
    const there = await stat(path, { bigint: true }).catch(() => undefined)
    if (there?.ino !== inode) return false
  }
  return new Set(found.map(({ inode }) => inode)).size === found.length
}

async function newestFirst(found: readonly Generation[]): Promise<Generation[]> {
  const dated = []
  for (const generation of found) dated.push({ generation, stat: await generation.handle.stat({ bigint: true }) })
  const later = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0)
  dated.sort((a, b) => later(a.stat.mtimeNs, b.stat.mtimeNs) || later(a.stat.birthtimeNs, b.stat.birthtimeNs))
  return dated.map(({ generation }) => generation)
}

/** When it was last written, nanoseconds since 1970. */
export async function writtenAt({ handle }: Generation): Promise<bigint> {
  return (await handle.stat({ bigint: true })).mtimeNs
}
