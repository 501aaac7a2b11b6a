/** Records on their way into the engine: bytes for spool files, and which records they are. */
import { open, readFile, rm } from 'node:fs/promises'
import type { DuckDatabase } from '../instance.ts'

/** Bytes of text kept in memory-backed files at a time; what is beyond lies on disk. */
const MAX_SCRATCH_BYTES = 128 * 1024 * 1024

/** Records that become one file, in order, in spool files of their own. */
export class Segment {
  /** place of the first record among those of the source */
  readonly firstIndex: number
  /** places from `firstIndex` on whose records were rejected and are not here */
  readonly gaps = new Set<number>()
  /** records as they came, where the spool holds another spelling, by place */
  readonly originals = new Map<number, string>()
  readonly paths: string[] = []
  records = 0
  bytes = 0
  /** all its rows are of one partition of the table */
  hasOnePartition = false
  /** bytes of the longest record */
  longest = 0
  private readonly database: DuckDatabase
  private pieces: Uint8Array[] = []
  private pending = 0

  constructor(database: DuckDatabase, firstIndex: number) {
    this.database = database
    this.firstIndex = firstIndex
  }

  /** Bytes not yet in a spool file. */
  get pendingBytes(): number {
    return this.pending
  }

  /**
   * @param records how many lines the bytes are
   * @param longest bytes of the longest of them
   */
  add(bytes: Uint8Array, records: number, longest: number): void {
    this.longest = Math.max(this.longest, longest)
    this.pieces.push(bytes)
    this.pending += bytes.length
    this.bytes += bytes.length
    this.records += records
  }

  /** Moves the pending bytes into a spool file. */
  async spool(): Promise<void> {
    if (this.pending === 0) return
    const inMemory = this.bytes <= MAX_SCRATCH_BYTES
    const path = inMemory ? this.database.scratchFile('.ndjson') : this.database.tempFile('.ndjson')
    this.paths.push(path)
    const file = await open(path, 'w')
    try {
      await file.writev(this.pieces)
    } finally {
      await file.close()
    }
    this.pieces = []
    this.pending = 0
  }

  /** The lines of the spool files and the places of their records. */
  async *lines(): AsyncGenerator<{ line: Uint8Array; index: number }[]> {
    let index = this.firstIndex
    for (const path of this.paths) {
      const bytes = await readFile(path)
      const lines: { line: Uint8Array; index: number }[] = []
      for (const line of splitLines(bytes)) {
        while (this.gaps.has(index)) index++
        lines.push({ line, index })
        index++
      }
      yield lines
    }
  }

  async delete(): Promise<void> {
    for (const path of this.paths) await rm(path, { force: true })
  }
}

const NEWLINE = 0x0a

/** Lines that are not blank, without their newlines. */
function* splitLines(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0
  while (start < bytes.length) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(start, end)
    if (!isBlank(line)) yield line
    start = end + 1
  }
}

export function isBlank(line: Uint8Array): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false
  return true
}
