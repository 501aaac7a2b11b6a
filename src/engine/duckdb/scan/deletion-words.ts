/**
 * Deleted rows as bits, so that a scan drops them without a join, which would give up the order of rows.
 *
 * The bits of all files of a query are one constant of it, testing a row is one look into it. The constant is copied for
 * every 2,048 rows, so a query is given few bits (`MAX_WORDS`) unless one file alone has more.
 */
import type { DuckSession } from '../instance.ts'

/** Words of all files of one query: 64 rows each. */
export const MAX_WORDS = 64 * 1024

/**
 * @param positions 0-based, ascending
 * @returns bit `p & 63` of word `p >> 6` is set for every position p
 */
export function deletionWords(positions: BigUint64Array): BigUint64Array {
  const last = positions.at(-1)
  const words = new BigUint64Array(last === undefined ? 0 : Number(last >> 6n) + 1)
  const bytes = new Uint8Array(words.buffer)
  // by halves and bytes, the lowest first: a bigint would be an object a row
  const halves = new Uint32Array(positions.buffer, positions.byteOffset, positions.length * 2)
  for (let i = 0; i < halves.length; i += 2) {
    const low = halves[i]!
    const byte = halves[i + 1]! * 2 ** 29 + (low >>> 3)
    bytes[byte]! |= 1 << (low & 7)
  }
  return words
}

/** The bits of the files of a query, as variables of its session and the condition that uses them. */
export class DeletionFilter {
  private readonly name: string
  private readonly words: readonly (BigUint64Array | undefined)[]
  /** words of each file where all are given the same room: that of the longest, and one that is never set */
  private readonly stride: number
  /** whether room for the longest is a waste for the others */
  private readonly isUneven: boolean

  /**
   * @param name of the session's variables; one per query of the session that is open at a time
   * @param words of each file, in the order of the query's files
   */
  constructor(name: string, words: readonly (BigUint64Array | undefined)[]) {
    this.name = name
    this.words = words
    this.stride = 1 + words.reduce((most, w) => Math.max(most, w?.length ?? 0), 0)
    const needed = words.reduce((sum, w) => sum + (w?.length ?? 0) + 1, 0)
    this.isUneven = this.stride * words.length > Math.max(2 * needed, MAX_WORDS)
  }

  /**
   * SQL that is true for rows that live, or undefined where no file has deleted rows. It counts in 32 bits: the sum of
   * DuckDB's own two types would have 128.
   */
  get condition(): string | undefined {
    if (this.words.every((w) => w === undefined)) return undefined
    const bits = `getvariable('${this.name}w')`
    if (!this.isUneven) {
      const rows = this.stride * 64
      return `get_bit(${bits}, t.file_index::INTEGER * ${rows} + least(t.file_row_number, ${rows - 1})::INTEGER) = 0`
    }
    const of = (what: string) => `getvariable('${this.name}${what}')[t.file_index::BIGINT + 1]`
    return `get_bit(${bits}, ${of('s')} + least(t.file_row_number, ${of('n')})::INTEGER) = 0`
  }

  async define(session: DuckSession): Promise<void> {
    if (this.condition === undefined) return
    const starts = this.starts()
    const lengths = this.words.map((w) => w?.length ?? 0)
    const bytes = new Uint8Array(((starts.at(-1) ?? 0) + (this.isUneven ? (lengths.at(-1) ?? 0) + 1 : this.stride)) * 8)
    for (const [i, words] of this.words.entries()) {
      if (words !== undefined) copyReversed(words, bytes, starts[i]! * 8)
    }
    if (this.isUneven) {
      const bits = (list: readonly number[]) => `[${list.map((words) => words * 64).join(',')}]::INTEGER[]`
      await session.run(`SET VARIABLE ${this.name}s = ${bits(starts)}; SET VARIABLE ${this.name}n = ${bits(lengths)}`)
    }
    const { blobValue } = await import('@duckdb/node-api')
    await session.connection.run(`SET VARIABLE ${this.name}w = ($1::BLOB)::BIT`, [blobValue(bytes)])
  }

  /** The word each file begins with. */
  private starts(): number[] {
    if (!this.isUneven) return this.words.map((_, i) => i * this.stride)
    let next = 0
    return this.words.map((words) => {
      const start = next
      next += (words?.length ?? 0) + 1
      return start
    })
  }
}

/** DuckDB counts the bits of a byte from the highest. */
const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) reversed |= 0x80 >> bit
  return reversed
})

function copyReversed(words: BigUint64Array, to: Uint8Array, at: number): void {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
  for (let i = 0; i < bytes.length; i++) to[at + i] = REVERSED[bytes[i]!]!
}
