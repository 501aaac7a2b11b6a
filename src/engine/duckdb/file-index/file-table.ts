/**
 * The tables behind a chain of indexes: where live files and tombstones of every open version are kept.
 *
 * A small checkpoint is loaded into them at once. A large one is at first left where it is: one question is answered
 * faster and in less memory from the Parquet file; the second question, or the first commit, loads it.
 */
import { type FileActions, type FileIndexSource, readJsonCheckpoint } from '../../../kernel/index.ts'
import { type CheckpointGroup, groupByShape, LocalFiles, unreadable } from '../checkpoint/checkpoint-files.ts'
import type { DuckDatabase, DuckSession } from '../instance.ts'
import { stageCommits } from './staged-commits.ts'
import { endStaged, FROM_CHECKPOINT, insertStaged, keepNewest, keyHardPaths, placesOfStaged } from './table-changes.ts'
import {
  checkpointAdds,
  checkpointRemoves,
  columnNames,
  FILE_COLUMNS,
  FOREVER,
  LIFE_COLUMNS,
  REMOVE_COLUMNS,
} from './table-columns.ts'

/** Checkpoints of more bytes are read in place at first; about 100,000 files. */
const LARGE_CHECKPOINT_BYTES = 8 * 1024 * 1024
/** More actions after a large checkpoint than this, and it is loaded at once. */
const MANY_ACTIONS = 20_000

export interface Totals {
  readonly numFiles: number
  readonly sizeInBytes: number
}

/** A checkpoint that is not loaded, and the places of its rows that commits after it have ended. */
interface CheckpointInPlace {
  readonly groups: readonly CheckpointGroup[]
  readonly endedAdds: readonly bigint[]
  readonly endedRemoves: readonly bigint[]
}

function withoutPlaces(rows: string, places: readonly bigint[]): string {
  return places.length === 0 ? rows : `SELECT * FROM (${rows}) WHERE place NOT IN (${places.join(', ')})`
}

/** Files found at more places than this are read by one scan, not looked up again by place. */
const MANY_PLACES = 5000

let tableCount = 0

export class FileTable {
  readonly database: DuckDatabase
  readonly files: string
  readonly removes: string
  private readonly local: LocalFiles
  private readonly openVersions: number[] = []
  private checkpoint: CheckpointInPlace | undefined
  private checkpointKey = 'the checkpoint'
  private loading: Promise<void> | undefined
  private questions = 0

  constructor(database: DuckDatabase) {
    const id = tableCount++
    this.database = database
    this.files = `bayou_files_${id}`
    this.removes = `bayou_removes_${id}`
    this.local = new LocalFiles(database)
  }

  /** Fills the tables; gives what is live at the source's version. */
  async open(source: FileIndexSource): Promise<Totals> {
    this.openVersions.push(source.version)
    return this.database.withSession(async (session) => {
      await session.run(`CREATE TABLE ${this.files} (${FILE_COLUMNS}, ${LIFE_COLUMNS})`)
      await session.run(`CREATE TABLE ${this.removes} (${REMOVE_COLUMNS}, ${LIFE_COLUMNS})`)
      const groups = await this.openCheckpoint(session, source)
      const staged = await stageCommits(session, replayed(source))
      await insertStaged(session, this, source.version)
      this.checkpoint = { groups, endedAdds: [], endedRemoves: [] }
      const bytes = source.checkpoint.reduce((sum, file) => sum + file.size, 0)
      const inPlace = bytes > LARGE_CHECKPOINT_BYTES && staged <= MANY_ACTIONS
      const totals = inPlace ? await this.totalsInPlace(session, source.version, staged > 0) : undefined
      if (totals !== undefined) return totals
      await this.load(session)
      return this.totals(session, source.version)
    })
  }

  private async openCheckpoint(session: DuckSession, source: FileIndexSource): Promise<CheckpointGroup[]> {
    this.checkpointKey = source.checkpoint[0]?.key ?? this.checkpointKey
    const parquet = source.checkpoint.filter((file) => file.format === 'parquet')
    const opened = []
    for (const { key } of parquet) opened.push({ key, path: await this.local.open(source.store, key, true) })
    return groupByShape(session, opened)
  }

  /**
   * SQL of the rows that live at a version, with the columns of a file or of a remove.
   *
   * @param search makes of rows the query of one of their columns, for those that are looked for; others may be left out
   */
  async liveRows(
    kind: 'files' | 'removes',
    version: number,
    search?: (rows: string, column: string) => string,
  ): Promise<string> {
    if (this.checkpoint !== undefined && this.questions++ > 0) await this.load()
    return this.liveSql(kind, version, search && (await this.findPlaces(search)))
  }

  /** Reads only what the search asks about, then only the row groups of what it found. */
  private async findPlaces(search: (rows: string, column: string) => string): Promise<readonly bigint[] | undefined> {
    const rows = this.rowsInPlace('files')
    if (rows === undefined) return undefined
    try {
      const sql = `${search(rows, 'place')} LIMIT ${MANY_PLACES + 1}`
      const found = await this.database.withSession((session) => session.query(sql))
      return found.length > MANY_PLACES ? undefined : found.map(([place]) => place as bigint)
    } catch (cause) {
      throw this.explain(cause)
    }
  }

  /** Whether a failed question is the fault of a checkpoint read in place. */
  explain(cause: unknown): unknown {
    return this.checkpoint === undefined ? cause : unreadable(this.checkpointKey, cause)
  }

  /** SQL of a checkpoint's rows that still count; undefined when it is loaded. */
  private rowsInPlace(kind: 'files' | 'removes', only?: readonly bigint[]): string | undefined {
    if (this.checkpoint === undefined) return undefined
    const { groups, endedAdds, endedRemoves } = this.checkpoint
    if (kind === 'removes') return withoutPlaces(checkpointRemoves(groups), endedRemoves)
    return withoutPlaces(checkpointAdds(groups, only), endedAdds)
  }

  private liveSql(kind: 'files' | 'removes', version: number, only?: readonly bigint[]): string {
    const names = columnNames(kind === 'files' ? FILE_COLUMNS : REMOVE_COLUMNS)
    const table = kind === 'files' ? this.files : this.removes
    const own = `SELECT ${names} FROM ${table} WHERE from_version <= ${version} AND to_version > ${version}`
    const inPlace = this.rowsInPlace(kind, only)
    return inPlace === undefined ? own : `${own} UNION ALL SELECT ${names} FROM (${inPlace})`
  }

  private async totals(session: DuckSession, version: number): Promise<Totals> {
    const sql = `SELECT count(*), coalesce(sum(size), 0)::BIGINT FROM (${this.liveSql('files', version)})`
    const [row] = await session.query(sql)
    return { numFiles: Number(row![0]), sizeInBytes: Number(row![1]) }
  }

  /**
   * Leaves the checkpoint in place, without the rows that staged actions speak of.
   *
   * @returns undefined where it has to be loaded: a path only JavaScript can bring to its key, or a file named twice
   */
  private async totalsInPlace(session: DuckSession, version: number, isChanged: boolean): Promise<Totals | undefined> {
    const { groups } = this.checkpoint!
    const adds = checkpointAdds(groups)
    const removes = checkpointRemoves(groups)
    try {
      const counts = `SELECT count(*), count(h), count(DISTINCT h) FROM`
      const [row] = await session.query(`${counts} (${adds})`)
      const [other] = await session.query(`${counts} (${removes})`)
      if (row![0] !== row![1] || row![0] !== row![2] || other![0] !== other![1] || other![0] !== other![2])
        return undefined
      if (isChanged) {
        const endedAdds = await placesOfStaged(session, adds)
        this.checkpoint = { groups, endedAdds, endedRemoves: await placesOfStaged(session, removes) }
      }
      return await this.totals(session, version)
    } catch (cause) {
      throw this.explain(cause)
    }
  }

  /** Takes the checkpoint into the tables. Indexes opened before see the same rows. */
  private load(session?: DuckSession): Promise<void> {
    this.loading ??= session
      ? this.loadCheckpoint(session, true)
      : this.database.withSession((other) => this.loadCheckpoint(other, false))
    return this.loading
  }

  /** @param isStaged whether actions after the checkpoint lie in `staged` and are not yet left out of its rows */
  private async loadCheckpoint(session: DuckSession, isStaged: boolean): Promise<void> {
    const adds = this.rowsInPlace('files')!
    const removes = this.rowsInPlace('removes')!
    try {
      await session.run('BEGIN TRANSACTION')
      for (const [table, rows] of [
        [this.files, adds],
        [this.removes, removes],
      ] as const) {
        await session.run(
          `INSERT INTO ${table} SELECT * EXCLUDE (place), ${FROM_CHECKPOINT}, ${FOREVER} FROM (${rows})`,
        )
        await keyHardPaths(session, table)
        await keepNewest(session, table, isStaged)
      }
      await session.run('COMMIT')
    } catch (cause) {
      await session.run('ROLLBACK').catch(() => undefined)
      throw this.explain(cause)
    }
    this.checkpoint = undefined
  }

  /** Takes in a commit; gives how the totals change. */
  async advance(commit: FileActions): Promise<Totals> {
    if (this.checkpoint !== undefined) await this.load()
    return this.database.withSession(async (session) => {
      await stageCommits(session, [commit])
      await session.run('BEGIN TRANSACTION')
      try {
        const ended = await endStaged(session, this, commit.version)
        const begun = await insertStaged(session, this, commit.version)
        await session.run('COMMIT')
        this.openVersions.push(commit.version)
        return { numFiles: begun.numFiles - ended.numFiles, sizeInBytes: begun.sizeInBytes - ended.sizeInBytes }
      } catch (cause) {
        await session.run('ROLLBACK').catch(() => undefined)
        throw cause
      }
    })
  }

  /** One index of the chain is closed; rows that no open one sees are dropped, with the last the tables. */
  async release(version: number): Promise<void> {
    this.openVersions.splice(this.openVersions.indexOf(version), 1)
    await this.loading?.catch(() => undefined)
    if (this.openVersions.length > 0) return this.dropEnded()
    this.local.release()
    await this.database.withSession(async (session) => {
      for (const table of [this.files, this.removes]) await session.run(`DROP TABLE IF EXISTS ${table}`)
    })
  }

  private async dropEnded(): Promise<void> {
    const oldest = Math.min(...this.openVersions)
    await this.database.withSession(async (session) => {
      for (const table of [this.files, this.removes]) {
        await session.run(`DELETE FROM ${table} WHERE to_version <= ${oldest}`)
      }
    })
  }
}

/** The commits, with the actions of a checkpoint's JSON file before them. */
async function* replayed(source: FileIndexSource): AsyncGenerator<FileActions> {
  for (const file of source.checkpoint.filter((one) => one.format === 'json')) {
    const actions = await readJsonCheckpoint(source.store, file, ['add', 'remove'])
    const adds = actions.flatMap((action) => ('add' in action ? [action.add] : []))
    const removes = actions.flatMap((action) => ('remove' in action ? [action.remove] : []))
    yield { version: -1, adds, removes }
  }
  yield* source.commits
}
