/** Reads of files: small ones where `DiskPace` says, the others on other threads. */
import { closeSync, constants, fstatSync, open, openSync, read, readSync, type Stats } from 'node:fs'
import { deltaError } from '../../errors/index.ts'
import type { DiskPace } from './disk-pace.ts'

/** Opens without waiting on a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
/** bytes that are read on this thread at most */
const SMALL = 256 * 1024

export interface OpenFile {
  readonly stats: Stats
  /** @returns the bytes from `start` up to `end`, fewer where the file ends before */
  read(start: number, end: number): Promise<Uint8Array>
}

/**
 * Works on an open file.
 *
 * @throws DeltaError `LAKE_OBJECT_NOT_FOUND` for what is no real file; what opening it fails with
 */
export async function withFile<T>(pace: DiskPace, path: string, work: (file: OpenFile) => T | Promise<T>): Promise<T> {
  const descriptor = await pace.call(
    () => openSync(path, FLAGS),
    () => openAside(path),
  )
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key: path })
    return await work({ stats, read: (start, end) => readSpan(pace, descriptor, { start, end }) })
  } finally {
    closeSync(descriptor)
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

async function readSpan(pace: DiskPace, descriptor: number, { start, end }: Span): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, end - start))
  let filled = 0
  while (filled < bytes.length) {
    const piece = { descriptor, bytes, offset: filled, position: start + filled }
    const count =
      bytes.length > SMALL
        ? await readAside(piece)
        : await pace.call(
            () => readHere(piece),
            () => readAside(piece),
          )
    if (count === 0) break // the file was cut short while it was read
    filled += count
  }
  return filled === bytes.length ? bytes : bytes.slice(0, filled)
}

interface Piece {
  readonly descriptor: number
  readonly bytes: Uint8Array
  readonly offset: number
  readonly position: number
}

function readHere({ descriptor, bytes, offset, position }: Piece): number {
  return readSync(descriptor, bytes, offset, bytes.length - offset, position)
}

function readAside({ descriptor, bytes, offset, position }: Piece): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, bytes, offset, bytes.length - offset, position, (error, count) =>
      error ? reject(error) : resolve(count),
    )
  })
}

function openAside(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, FLAGS, (error, descriptor) => (error ? reject(error) : resolve(descriptor)))
  })
}
