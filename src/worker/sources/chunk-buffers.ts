/**
 * Buffers that are filled again once what they held is in every table.
 *
 * Fresh memory for each chunk costs a page fault for every few kilobytes, and makes the garbage collector look at the
 * whole heap again and again.
 */
import type { BatchOutcome } from './source.ts'

/** Bytes of a buffer kept for the beginning of a record that the last chunk ended in. */
const HEAD_ROOM = 64 * 1024
/** Buffers kept free: about what the rounds of a table hold. */
const MAX_FREE = 48

export class ChunkBuffers {
  private readonly chunkBytes: number
  private readonly free: Uint8Array[] = []

  constructor(chunkBytes: number) {
    this.chunkBytes = chunkBytes
  }

  /** A buffer for `known` bytes and a chunk; its content is anything. */
  take(known: number): Uint8Array {
    if (known > HEAD_ROOM) return new Uint8Array(known + this.chunkBytes)
    return this.free.pop() ?? new Uint8Array(HEAD_ROOM + this.chunkBytes)
  }

  /** Gives a buffer back at once: nothing refers to it. */
  giveBack(buffer: Uint8Array): void {
    if (buffer.length === HEAD_ROOM + this.chunkBytes && this.free.length < MAX_FREE) this.free.push(buffer)
  }

  /**
   * What a batch whose bytes lie in the buffer is settled with: after a failure it stays as it is, for somebody may
   * still look at the bytes.
   */
  settle(buffer: Uint8Array): (outcome: BatchOutcome) => void {
    return ({ kind }) => {
      if (kind === 'committed') this.giveBack(buffer)
    }
  }
}
