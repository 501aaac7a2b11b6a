/**
 * A large checkpoint that stays where it is: questions are answered from its Parquet files.
 *
 * Rows that commits behind it speak of are left out by the keys of those commits, so taking in a commit reads nothing of
 * the checkpoint. SQL brings most paths to their keys; a question that meets one of the others (a hard one), or a file
 * that is named twice, is answered after the checkpoint is loaded.
 */
import type { DuckDBListValue } from '@duckdb/node-api'
import type { CheckpointGroup } from '../checkpoint/checkpoint-files.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { checkpointAdds, checkpointRemoves } from './table-columns.ts'

export type ActionTable = 'files' | 'removes'

/** Files found at more places than this are read by one scan, not looked up again by place. */
const MANY_PLACES = 5000

/** Keys beyond this number are left out by a join. */
const MANY_KEYS = 1000

/** What a row's key is compared by, under names that are no other column's. */
export const KEY_COLUMNS = 'h AS key_h, coalesce(key, path) AS key_text, dv AS key_dv'

function withKeys(rows: string): string {
  return `SELECT *, ${KEY_COLUMNS} FROM (${rows})`
}

/** Whether there is a key of a row `c`. */
function matching(keys: string): string {
  return `SELECT 1 FROM (${keys}) AS k
    WHERE k.h = c.key_h AND k.canonical = c.key_text AND k.dv IS NOT DISTINCT FROM c.key_dv`
}

export class CheckpointInPlace {
  private readonly groups: readonly CheckpointGroup[]
  /** SQL of the keys that commits up to a version speak of; undefined: there is none */
  private readonly keysUntil: (version: number) => string | undefined
  /** whether every path has its key by SQL and no file is named twice, once that is known */
  private readonly sound = new Map<ActionTable, boolean>()
  private vectors: Promise<boolean> | undefined

  constructor(groups: readonly CheckpointGroup[], keysUntil: CheckpointInPlace['keysUntil']) {
    this.groups = groups
    this.keysUntil = keysUntil
  }

  /** All rows, whatever commits say of them, with the columns of the table and `place`. */
  rows(kind: ActionTable, only?: readonly bigint[]): string {
    return kind === 'files' ? checkpointAdds(this.groups, only) : checkpointRemoves(this.groups)
  }

  /** Of rows with the columns of `KEY_COLUMNS` those that still count at a version. */
  stillLive(rows: string, version: number): string {
    const keys = this.keysUntil(version)
    return keys === undefined ? rows : `SELECT * FROM (${rows}) AS c WHERE NOT EXISTS (${matching(keys)})`
  }

  /**
   * All rows that still count at a version; undefined where a path has no key by SQL or a file is named twice.
   *
   * The places of rows that commits have ended are looked up first, so that the list itself is read without its keys.
   */
  async allLive(
    kind: ActionTable,
    version: number,
    session: DuckSession,
    options: QueryOptions,
  ): Promise<string | undefined> {
    const rows = this.rows(kind)
    const keys = this.keysUntil(version)
    const hashes = keys === undefined ? [] : await session.query(`SELECT DISTINCT h FROM (${keys}) LIMIT ${MANY_KEYS}`)
    const isAsked = hashes.length > 0 && hashes.length < MANY_KEYS
    const sound = this.sound.get(kind)
    if (sound === undefined || isAsked) {
      const touched = isAsked ? `h IN (${hashes.map(([h]) => h).join(', ')})` : 'false'
      // two vectors of one path are two keys, rare enough to be loaded
      const [row] = await session.query(
        `SELECT count(*), count(h), ${sound === true ? 'count(h)' : 'count(DISTINCT h)'},
           list(place) FILTER (${touched}) FROM (${rows})`,
        options,
      )
      const [count, keyed, distinct, places] = row as [bigint, bigint, bigint, DuckDBListValue | null]
      this.sound.set(kind, count === keyed && count === distinct)
      if (isAsked && this.sound.get(kind) === true) {
        const ended = await this.ended(kind, keys!, (places?.items ?? []) as bigint[], session)
        return ended.length === 0 ? rows : `SELECT * FROM (${rows}) WHERE place NOT IN (${ended.join(', ')})`
      }
    }
    return this.sound.get(kind) === true ? this.stillLive(withKeys(rows), version) : undefined
  }

  /** Of rows whose hash is that of a key those that have the key. */
  private async ended(
    kind: ActionTable,
    keys: string,
    places: readonly bigint[],
    session: DuckSession,
  ): Promise<readonly bigint[]> {
    if (places.length === 0) return []
    const rows =
      kind === 'files' ? this.rows(kind, places) : `SELECT * FROM (${this.rows(kind)}) WHERE place IN (${places})`
    const found = await session.query(`SELECT place FROM (${withKeys(rows)}) AS c WHERE EXISTS (${matching(keys)})`)
    return found.map(([place]) => place as bigint)
  }

  /** Whether a live file of it may have a deletion vector, as far as footers tell. */
  mayHaveVectors(session: DuckSession, options: QueryOptions): Promise<boolean> {
    this.vectors ??= this.lookForVectors(session, options)
    this.vectors.catch(() => {
      this.vectors = undefined
    })
    return this.vectors
  }

  private async lookForVectors(session: DuckSession, options: QueryOptions): Promise<boolean> {
    for (const group of this.groups) {
      if (group.columns.get('add')?.has('deletionVector') !== true) continue
      const [row] = await session.query(
        `SELECT count(*), bool_and(coalesce(stats_null_count = num_values, false))
         FROM parquet_metadata(${group.paths}) WHERE path_in_schema = 'add, deletionVector, storageType'`,
        options,
      )
      if (row![0] === 0n || row![1] !== true) return true
    }
    return false
  }

  /**
   * The places of the rows a search finds, read from the columns it asks about; undefined: too many for a second look.
   *
   * @param search makes of rows the query of one of their columns, for those that are looked for; others may be left out
   */
  async findPlaces(
    session: DuckSession,
    search: (rows: string, column: string) => string,
    options: QueryOptions,
  ): Promise<readonly bigint[] | undefined> {
    const found = await session.query(`${search(this.rows('files'), 'place')} LIMIT ${MANY_PLACES + 1}`, options)
    return found.length > MANY_PLACES ? undefined : found.map(([place]) => place as bigint)
  }
}
