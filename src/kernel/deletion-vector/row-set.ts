/**
 * Rows of a data file by their physical position, as bitmaps of 65,536 rows.
 *
 * A million positions are 128 kB and never a million values; a file of which one row is meant takes one bitmap.
 */

/** Rows of one block. */
export const BLOCK_ROWS = 65_536
export const BLOCK_BYTES = BLOCK_ROWS / 8

/** A bitmap of `BLOCK_BYTES` bytes: bit `i & 7` of byte `i >> 3` stands for row `i` of the block. */
export type RowBlock = Uint8Array<ArrayBuffer>

/** Immutable: whoever gives blocks away does not change them afterwards. */
export class RowSet {
  /** number of rows in it */
  readonly size: number
  /** by the number of the block: `position / BLOCK_ROWS`, rounded down; ascending, none empty */
  readonly blocks: ReadonlyMap<number, RowBlock>

  private constructor(blocks: ReadonlyMap<number, RowBlock>, size: number) {
    this.blocks = blocks
    this.size = size
  }

  /** @param blocks in any order */
  static ofBlocks(blocks: Iterable<readonly [number, RowBlock]>): RowSet {
    const kept: [number, RowBlock][] = []
    let size = 0
    for (const [number, block] of blocks) {
      const count = popCount(block)
      if (count > 0) kept.push([number, block])
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
    const block = this.blocks.get(Math.floor(position / BLOCK_ROWS))
    if (block === undefined) return false
    const row = position % BLOCK_ROWS
    return (block[row >> 3]! & (1 << (row & 7))) !== 0
  }

  union(other: RowSet): RowSet {
    const blocks = new Map(this.blocks)
    for (const [number, block] of other.blocks) {
      const own = blocks.get(number)
      blocks.set(number, own === undefined ? block : either(own, block))
    }
    return RowSet.ofBlocks(blocks)
  }

  /** Ascending, each once. */
  *positions(): Generator<number> {
    for (const [number, block] of this.blocks) {
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
    const row = position % BLOCK_ROWS
    block[row >> 3]! |= 1 << (row & 7)
  }

  /** Ends the collection: the builder is not used afterwards. */
  build(): RowSet {
    return RowSet.ofBlocks(this.blocks)
  }
}

/** Rows of a block, ascending. */
export function* rowsOf(block: RowBlock): Generator<number> {
  for (let byte = 0; byte < BLOCK_BYTES; byte++) {
    for (let bits = block[byte]!; bits !== 0; bits &= bits - 1) yield byte * 8 + (31 - Math.clz32(bits & -bits))
  }
}

function either(a: RowBlock, b: RowBlock): RowBlock {
  const both = a.slice()
  for (let i = 0; i < BLOCK_BYTES; i++) both[i]! |= b[i]!
  return both
}

const BITS_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0
  for (let bits = byte; bits !== 0; bits &= bits - 1) count++
  return count
})

export function popCount(block: RowBlock): number {
  let count = 0
  for (let i = 0; i < block.length; i++) count += BITS_OF_BYTE[block[i]!]!
  return count
}
