/** Records on their way into the engine: bytes for a spool file, and which records they are. */
import { open, rm } from 'node:fs/promises'

/** Records of one spool file, in order. */
export class Segment {
  /** place of the first record among those of the source */
  readonly firstIndex: number
  /** places from `firstIndex` on whose records were rejected and are not here */
  readonly gaps = new Set<number>()
  /** records as they came, where the spool holds another spelling, by place */
  readonly originals = new Map<number, string>()
  records = 0
  bytes = 0
  /** bytes of the longest record */
  longest = 0
  private readonly pieces: Uint8Array[] = []

  constructor(firstIndex: number) {
    this.firstIndex = firstIndex
  }

  /** @param records how many lines the bytes are; the last may lack its newline only at the end of the source */
  add(bytes: Uint8Array, records: number): void {
    this.pieces.push(bytes)
    this.bytes += bytes.length
    this.records += records
  }

  async spool(path: string): Promise<void> {
    const file = await open(path, 'w')
    try {
      await file.writev(this.pieces)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
  }

  /** The lines and the places of their records. */
  *lines(): Generator<{ line: Uint8Array; index: number }> {
    let index = this.firstIndex
    for (const piece of this.pieces) {
      for (const line of splitLines(piece)) {
        while (this.gaps.has(index)) index++
        yield { line, index }
        index++
      }
    }
  }
}

const NEWLINE = 0x0a

/** Lines that are not blank, without their newlines. */
export function* splitLines(bytes: Uint8Array): Generator<Uint8Array> {
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
