/**
 * Reads of files, on this thread while the disk answers at once: handing a small read to another thread and back costs
 * more than twenty of them. Where a file system is slow, as over a network, all but a few probes go to other threads.
 */
import { closeSync, constants, fstatSync, open, openSync, read, readSync, type Stats } from 'node:fs'
import { deltaError } from '../../errors/index.ts'

/** Opens without waiting on a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
/** bytes that are read on this thread at most */
const SMALL = 256 * 1024
/** milliseconds that a call may take on average to be made on this thread */
const AT_ONCE_MS = 0.5

export class FileReader {
  private meanMs = 0

  /**
   * Works on an open file.
   *
   * @throws DeltaError `LAKE_OBJECT_NOT_FOUND` for what is no real file; what opening it fails with
   */
  async withFile<T>(path: string, work: (file: OpenFile) => T | Promise<T>): Promise<T> {
    const descriptor = this.isQuick() ? this.timed(() => openSync(path, FLAGS)) : await openAside(path)
    try {
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key: path })
      return await work({ stats, read: (start, end) => this.read(descriptor, { start, end }) })
    } finally {
      closeSync(descriptor)
    }
  }

  private async read(descriptor: number, { start, end }: ByteSpan): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.max(0, end - start))
    const onThread = bytes.length <= SMALL && this.isQuick()
    let filled = 0
    while (filled < bytes.length) {
      const piece = { descriptor, bytes, offset: filled, position: start + filled }
      const count = onThread ? this.timed(() => readHere(piece)) : await readAside(piece)
      if (count === 0) break // the file was cut short while it was read
      filled += count
    }
    return filled === bytes.length ? bytes : bytes.slice(0, filled)
  }

  /** Forgets a little with each question, so that a disk that was slow once is tried again. */
  private isQuick(): boolean {
    this.meanMs *= 0.99
    return this.meanMs < AT_ONCE_MS
  }

  private timed<T>(call: () => T): T {
    const began = performance.now()
    try {
      return call()
    } finally {
      this.meanMs += (performance.now() - began - this.meanMs) / 10
    }
  }
}

export interface OpenFile {
  readonly stats: Stats
  /** @returns the bytes from `start` up to `end`, fewer where the file ends before */
  read(start: number, end: number): Promise<Uint8Array>
}

interface ByteSpan {
  readonly start: number
  readonly end: number
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
