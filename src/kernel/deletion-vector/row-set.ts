/**
 * Rows of a data file by their physical position, in blocks of 65,536 rows.
 *
 * A block with many rows is a bitmap, one with few a list of them: a million positions of one file take 128 kB, and one
 * position in each of ten thousand files takes next to nothing. No position is a value of its own.
 */

/** Rows of one block. */
export const BLOCK_ROWS = 65_536
export const BLOCK_BYTES = BLOCK_ROWS / 8

/** A bitmap of `BLOCK_BYTES` bytes: bit `i & 7` of byte `i >> 3` stands for row `i` of the block. */
export type RowBlock = Uint8Array<ArrayBuffer>

/** A block as it is kept: a bitmap, or its rows, ascending. */
export type KeptBlock = RowBlock | Uint16Array<ArrayBuffer>

/** Rows of a block that is kept as a list, at most. */
export const LIST_MAX = 4096

/** Immutable: whoever gives blocks away does not change them afterwards. */
export class RowSet {
  /** number of rows in it */
  readonly size: number
  /** by the number of the block: `position / BLOCK_ROWS`, rounded down; ascending, none empty */
  readonly kept: ReadonlyMap<number, KeptBlock>

  private constructor(kept: ReadonlyMap<number, KeptBlock>, size: number) {
    this.kept = kept
    this.size = size
  }

  /** @param blocks in any order, each number once */
  static ofBlocks(blocks: Iterable<readonly [number, RowBlock]>): RowSet {
    const kept: [number, KeptBlock][] = []
    let size = 0
    for (const [number, block] of blocks) {
      const count = popCount(block)
      if (count > 0) kept.push([number, count > LIST_MAX ? block : Uint16Array.from(rowsOf(block))])
      size += count
    }
    return new RowSet(new Map(kept.sort(([a], [b]) => a - b)), size)
  }

  /** @param positions 0-based, in any order, repeated or not */
  static of(positions: Iterable<number>): RowSet {
    const builder = new RowSetBuilder()
    for (const position of positions) builder.add(position)
    return builder.build()
  }

  /** @param positions as `loadDeletionVector` gives them */
  static ofWords(positions: BigUint64Array<ArrayBuffer>): RowSet {
    const builder = new RowSetBuilder()
    // pairs of low and high word: no position is made a bigint
    const words = new Uint32Array(positions.buffer, positions.byteOffset, positions.length * 2)
    for (let at = 0; at < words.length; at += 2) builder.add(words[at + 1]! * 2 ** 32 + words[at]!)
    return builder.build()
  }

  has(position: number): boolean {
    const block = this.kept.get(Math.floor(position / BLOCK_ROWS))
    if (block === undefined) return false
    const row = position % BLOCK_ROWS
    return block instanceof Uint16Array ? block.includes(row) : (block[row >> 3]! & (1 << (row & 7))) !== 0
  }

  union(other: RowSet): RowSet {
    if (other.size === 0) return this
    if (this.size === 0) return other
    const blocks = new Map<number, RowBlock>(this.bitmaps())
    for (const [number, block] of other.bitmaps()) {
      const own = blocks.get(number)
      if (own === undefined) blocks.set(number, block)
      else for (let i = 0; i < BLOCK_BYTES; i++) own[i]! |= block[i]!
    }
    return RowSet.ofBlocks(blocks)
  }

  /** Every block as a bitmap of the caller's own, ascending by number. */
  *bitmaps(): Generator<[number, RowBlock]> {
    for (const [number, block] of this.kept) yield [number, bitmapOf(block)]
  }

  /** Ascending, each once. */
  *positions(): Generator<number> {
    for (const [number, block] of this.kept) {
      for (const row of rowsOf(block)) yield number * BLOCK_ROWS + row
    }
  }
}

/** Collects positions. */
export class RowSetBuilder {
  private readonly blocks = new Map<number, RowBlock>()

  add(position: number): void {
    const number = Math.floor(position / BLOCK_ROWS)
    let block = this.blocks.get(number)
    if (block === undefined) {
      block = new Uint8Array(BLOCK_BYTES)
      this.blocks.set(number, block)
    }
    mark(block, position % BLOCK_ROWS)
  }

  /** Ends the collection: the builder is not used afterwards. */
  build(): RowSet {
    return RowSet.ofBlocks(this.blocks)
  }
}

function mark(block: RowBlock, row: number): void {
  block[row >> 3]! |= 1 << (row & 7)
}

/** Rows of a block, ascending. */
export function rowsOf(block: KeptBlock): Iterable<number> {
  return block instanceof Uint16Array ? block : rowsOfBitmap(block)
}

function* rowsOfBitmap(block: RowBlock): Generator<number> {
  for (let byte = 0; byte < BLOCK_BYTES; byte++) {
    for (let bits = block[byte]!; bits !== 0; bits &= bits - 1) yield byte * 8 + (31 - Math.clz32(bits & -bits))
  }
}

function bitmapOf(block: KeptBlock): RowBlock {
  if (!(block instanceof Uint16Array)) return block.slice()
  const bitmap = new Uint8Array(BLOCK_BYTES)
  for (const row of block) mark(bitmap, row)
  return bitmap
}

const BITS_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0
  for (let bits = byte; bits !== 0; bits &= bits - 1) count++
  return count
})

/** Number of rows of a block. */
export function popCount(block: KeptBlock): number {
  if (block instanceof Uint16Array) return block.length
  let count = 0
  for (let i = 0; i < block.length; i++) count += BITS_OF_BYTE[block[i]!]!
  return count
}
