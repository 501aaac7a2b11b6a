/**
 * Deleted rows as 64-bit words, so that a scan drops them without a join.
 *
 * A hash join would give up the order of rows. A list of words is a constant of the query: testing a row is one list
 * access. The constant is copied for every 2,048 rows, so a query is given few words (`MAX_WORDS`) unless one file alone
 * has more.
 */
import type { DuckSession } from '../instance.ts'

/** Words of all files of one query: 64 rows each. */
export const MAX_WORDS = 16_384

/**
 * @param positions 0-based, ascending
 * @returns bit `p & 63` of word `p >> 6` is set for every position p
 */
export function deletionWords(positions: BigUint64Array): BigUint64Array {
  const last = positions.at(-1)
  const words = new BigUint64Array(last === undefined ? 0 : Number(last >> 6n) + 1)
  for (const position of positions) words[Number(position >> 6n)]! |= 1n << (position & 63n)
  return words
}

/** The words of the files of a query, as variables of its session and the condition that uses them. */
export class DeletionFilter {
  private readonly name: string
  private readonly words: readonly (BigUint64Array | undefined)[]

  /**
   * @param name of the session's variables; one per query of the session that is open at a time
   * @param words of each file, in the order of the query's files
   */
  constructor(name: string, words: readonly (BigUint64Array | undefined)[]) {
    this.name = name
    this.words = words
  }

  /** SQL that is true for rows that live, or undefined where no file has deleted rows. */
  get condition(): string | undefined {
    if (this.words.every((w) => w === undefined)) return undefined
    const file = `[t.file_index::BIGINT + 1]`
    const word = `getvariable('${this.name}w')[getvariable('${this.name}s')${file} + (t.file_row_number >> 6) + 1]`
    return `NOT coalesce(CASE WHEN (t.file_row_number >> 6) < getvariable('${this.name}n')${file}
      THEN (${word} >> (t.file_row_number & 63)::UBIGINT) & 1 = 1 END, false)`
  }

  async define(session: DuckSession): Promise<void> {
    if (this.condition === undefined) return
    let start = 0
    const starts: string[] = []
    const lengths: string[] = []
    for (const words of this.words) {
      starts.push(words === undefined ? 'NULL' : String(start))
      lengths.push(words === undefined ? 'NULL' : String(words.length))
      start += words?.length ?? 0
    }
    await session.run(`SET VARIABLE ${this.name}s = [${starts.join(',')}]::BIGINT[];
      SET VARIABLE ${this.name}n = [${lengths.join(',')}]::BIGINT[]`)
    const all = this.words.flatMap((words) => (words === undefined ? [] : [...words]))
    await session.run(`SET VARIABLE ${this.name}w = [${all.join(',')}]::UBIGINT[]`)
  }
}
