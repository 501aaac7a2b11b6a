/**
 * A large checkpoint that stays where it is: questions are answered from its Parquet files.
 *
 * Rows that commits behind it speak of are left out by the keys of those commits, so taking in a commit reads nothing of
 * the checkpoint. SQL brings most paths to their keys; a question that meets one of the others (a hard one), or a file
 * that is named twice, is answered after the checkpoint is loaded.
 */
import type { CheckpointGroup } from '../checkpoint/checkpoint-files.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { checkpointAdds, checkpointRemoves } from './table-columns.ts'

export type ActionTable = 'files' | 'removes'

/** Files found at more places than this are read by one scan, not looked up again by place. */
const MANY_PLACES = 5000

export class CheckpointInPlace {
  private readonly groups: readonly CheckpointGroup[]
  /** SQL of the keys that commits up to a version speak of; undefined: there is none */
  private readonly keysUntil: (version: number) => string | undefined
  private readonly sound = new Map<ActionTable, Promise<boolean>>()
  private vectors: Promise<boolean> | undefined

  constructor(groups: readonly CheckpointGroup[], keysUntil: CheckpointInPlace['keysUntil']) {
    this.groups = groups
    this.keysUntil = keysUntil
  }

  /** All rows, whatever commits say of them, with the columns of the table and `place`. */
  rows(kind: ActionTable, only?: readonly bigint[]): string {
    return kind === 'files' ? checkpointAdds(this.groups, only) : checkpointRemoves(this.groups)
  }

  /** The rows that still count at a version. */
  liveRows(kind: ActionTable, version: number, only?: readonly bigint[]): string {
    const rows = this.rows(kind, only)
    const keys = this.keysUntil(version)
    if (keys === undefined) return rows
    return `SELECT * FROM (${rows}) AS c WHERE NOT EXISTS (SELECT 1 FROM (${keys}) AS k
      WHERE k.h = c.h AND k.canonical = coalesce(c.key, c.path) AND k.dv IS NOT DISTINCT FROM c.dv)`
  }

  /** Whether every path has its key by SQL and no file is named twice; found out once. */
  isSound(kind: ActionTable, session: DuckSession, options: QueryOptions): Promise<boolean> {
    const known = this.sound.get(kind)
    if (known !== undefined) return known
    // two vectors of one path are two keys, rare enough to be loaded
    const asked = session
      .query(`SELECT count(*), count(h), count(DISTINCT h) FROM (${this.rows(kind)})`, options)
      .then(([row]) => row![0] === row![1] && row![0] === row![2])
    this.sound.set(kind, asked)
    asked.catch(() => this.sound.delete(kind))
    return asked
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
