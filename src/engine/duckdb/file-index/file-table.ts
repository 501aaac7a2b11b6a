/**
 * The tables behind a chain of indexes: where live files and tombstones of every open version are kept.
 *
 * A small checkpoint is loaded into them at once. A large one is left where it is: a question is answered faster and in
 * less memory from the Parquet file. Only when it has been asked several is it loaded.
 */
import { isDeltaError } from '../../../errors/index.ts'
import { type FileActions, type FileIndexSource, type FileTotals, readJsonCheckpoint } from '../../../kernel/index.ts'
import { type CheckpointGroup, groupByShape, LocalFiles, unreadable } from '../checkpoint/checkpoint-files.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { type ActionTable, CheckpointInPlace, KEY_COLUMNS } from './checkpoint-in-place.ts'
import { stageCommits } from './staged-commits.ts'
import { endByKeys, endStaged, FROM_CHECKPOINT, insertStaged, keepLast, keyHardPaths } from './table-changes.ts'
import { columnNames, FILE_COLUMNS, FOREVER, LIFE_COLUMNS, REMOVE_COLUMNS } from './table-columns.ts'

/** Checkpoints of more bytes are read in place at first; about 12,000 files. */
const LARGE_CHECKPOINT_BYTES = 1_000_000
/** More actions after a large checkpoint than this, and it is loaded. */
const MANY_ACTIONS = 20_000
/** Questions after which loading a checkpoint has paid off. */
const MANY_QUESTIONS = 6

/** What a question asks of rows: `columns` of those it wants. */
export type Question = (rows: string, columns: string) => string

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
  /** actions of commits taken in */
  private actions = 0

  constructor(database: DuckDatabase) {
    const id = tableCount++
    this.database = database
    this.files = `bayou_files_${id}`
    this.removes = `bayou_removes_${id}`
    this.local = new LocalFiles(database)
  }

  /** Fills the tables for the source's version. */
  async open(source: FileIndexSource): Promise<void> {
    this.openVersions.push(source.version)
    const options = { signal: source.signal, what: 'opening the list of files' }
    await this.database.withSession(async (session) => {
      await session.run(`CREATE TABLE ${this.files} (${FILE_COLUMNS}, ${LIFE_COLUMNS})`)
      await session.run(`CREATE TABLE ${this.removes} (${REMOVE_COLUMNS}, ${LIFE_COLUMNS})`)
      const groups = await this.openCheckpoint(session, source)
      this.actions = await stageCommits(session, replayed(source))
      if (this.actions > 0) await insertStaged(session, this, source.version)
      this.checkpoint = new CheckpointInPlace(groups, (version) => this.keysUntil(version))
      const bytes = source.checkpoint.reduce((sum, file) => sum + file.size, 0)
      if (bytes <= LARGE_CHECKPOINT_BYTES || this.actions > MANY_ACTIONS) await this.load(session, options)
    })
  }

  private async openCheckpoint(session: DuckSession, source: FileIndexSource): Promise<CheckpointGroup[]> {
    this.checkpointKey = source.checkpoint[0]?.key ?? this.checkpointKey
    const parquet = source.checkpoint.filter((file) => file.format === 'parquet')
    const opened = []
    for (const { key } of parquet) opened.push({ key, path: await this.local.open(source.store, key, true) })
    return groupByShape(session, opened)
  }

  /** SQL of the keys that commits up to a version speak of: the newest action of each is in one of the tables. */
  private keysUntil(version: number): string | undefined {
    if (this.actions === 0) return undefined
    const keys = (table: string) =>
      `SELECT h, coalesce(key, path) AS canonical, dv, from_version FROM ${table}
       WHERE from_version <> ${FROM_CHECKPOINT} AND from_version <= ${version}`
    return `${keys(this.files)} UNION ALL ${keys(this.removes)}`
  }

  /**
   * Asks something of the rows that live at a version.
   *
   * @param narrow whether what is asked for is found by few columns and is few rows, worth a second look for the rest
   * @returns SQL whose rows are the answer; it may name a temporary table of the session
   */
  async ask(
    session: DuckSession,
    kind: ActionTable,
    version: number,
    { question, columns, narrow }: { readonly question: Question; readonly columns: string; readonly narrow?: boolean },
    options: QueryOptions,
  ): Promise<string> {
    const own = question(this.ownRows(kind, version), columns)
    if (this.checkpoint !== undefined && this.questions++ >= MANY_QUESTIONS) await this.load(session, options)
    try {
      const { checkpoint } = this
      if (checkpoint === undefined) return own
      const places = narrow && kind === 'files' ? await checkpoint.findPlaces(session, question, options) : undefined
      // what the rule finds first, then what of it commits have ended
      const keyed = question(checkpoint.rows(kind, places), `${columns}, ${KEY_COLUMNS}`)
      const found = `SELECT * EXCLUDE (key_text, key_dv) FROM (${checkpoint.stillLive(keyed, version)})`
      await session.run(`CREATE OR REPLACE TEMP TABLE found AS ${found}`, options)
      const [row] = await session.query('SELECT count(*), count(key_h), count(DISTINCT key_h) FROM found')
      if (row![0] === row![1] && row![0] === row![2]) return `${own} UNION ALL SELECT * EXCLUDE (key_h) FROM found`
    } catch (cause) {
      throw this.explain(cause)
    }
    await this.load(session, options)
    return own
  }

  /** The same of every row that lives at a version, without a table between. */
  async askAll(
    session: DuckSession,
    kind: ActionTable,
    version: number,
    columns: string,
    options: QueryOptions,
  ): Promise<string> {
    const all = (rows: string) => `SELECT ${columns} FROM (${rows})`
    const own = all(this.ownRows(kind, version))
    if (this.checkpoint === undefined) return own
    try {
      const live = await this.checkpoint.allLive(kind, version, session, options)
      if (live !== undefined) return `${own} UNION ALL ${all(live)}`
    } catch (cause) {
      throw this.explain(cause)
    }
    await this.load(session, options)
    return own
  }

  /**
   * What commits say of a path at a version, where that settles the matter: the rows of a file that lives, or none.
   *
   * @returns undefined where the checkpoint has to be asked
   */
  async askCommits(
    session: DuckSession,
    version: number,
    question: Question,
    columns: string,
  ): Promise<string | undefined> {
    if (this.checkpoint === undefined) return undefined
    const own = question(this.ownRows('files', version), columns)
    const [live] = await session.query(`SELECT count(*) FROM (${own})`)
    if (live![0] !== 0n) return own
    const [gone] = await session.query(`SELECT count(*) FROM (${question(this.ownRows('removes', version), 'dv')})`)
    if (gone![0] === 0n || (await this.checkpoint.mayHaveVectors(session, {}))) return undefined
    return own
  }

  /** Whether a failed question is the fault of a checkpoint read in place. */
  explain(cause: unknown): unknown {
    if (this.checkpoint === undefined || isDeltaError(cause)) return cause
    return unreadable(this.checkpointKey, cause)
  }

  /** SQL of the rows of the tables that live at a version, with the columns of a file or of a remove. */
  private ownRows(kind: ActionTable, version: number): string {
    const names = columnNames(kind === 'files' ? FILE_COLUMNS : REMOVE_COLUMNS)
    const table = kind === 'files' ? this.files : this.removes
    return `SELECT ${names} FROM ${table} WHERE from_version <= ${version} AND to_version > ${version}`
  }

  async totals(session: DuckSession, version: number, options: QueryOptions): Promise<FileTotals> {
    const rows = await this.askAll(session, 'files', version, 'size', options)
    try {
      const [row] = await session.query(`SELECT count(*), coalesce(sum(size), 0)::BIGINT FROM (${rows})`, options)
      return { numFiles: Number(row![0]), sizeInBytes: Number(row![1]) }
    } catch (cause) {
      throw this.explain(cause)
    }
  }

  /** Takes the checkpoint into the tables. Indexes opened before see the same rows. */
  private async load(session: DuckSession, options: QueryOptions): Promise<void> {
    while (this.checkpoint !== undefined) {
      const mine = this.loading === undefined
      this.loading ??= this.loadCheckpoint(session, options).finally(() => {
        this.loading = undefined
      })
      try {
        await this.loading
      } catch (error) {
        // one loads for all; where that one was cancelled, the next does it
        if (mine || !isDeltaError(error, 'LAKE_CANCELLED')) throw error
      }
    }
  }

  private async loadCheckpoint(session: DuckSession, options: QueryOptions): Promise<void> {
    const { checkpoint } = this
    if (checkpoint === undefined) return
    const keys = this.keysUntil(Number.MAX_SAFE_INTEGER)
    try {
      await session.run('BEGIN TRANSACTION')
      for (const kind of ['files', 'removes'] as const) {
        const table = this[kind]
        await session.run(
          `INSERT INTO ${table} SELECT * EXCLUDE (place), ${FROM_CHECKPOINT}, ${FOREVER} FROM (${checkpoint.rows(kind)})`,
          options,
        )
        await keyHardPaths(session, table)
        await keepLast(session, table)
        if (keys !== undefined) await endByKeys(session, table, keys)
      }
      await session.run('COMMIT')
    } catch (cause) {
      await session.run('ROLLBACK').catch(() => undefined)
      throw this.explain(cause)
    }
    this.checkpoint = undefined
    await this.dropEnded(session)
  }

  /** Takes in a commit: what it costs does not grow with a checkpoint in place. */
  async advance(commit: FileActions): Promise<void> {
    await this.database.withSession(async (session) => {
      const staged = await stageCommits(session, [commit])
      await this.loading?.catch(() => undefined)
      await session.run('BEGIN TRANSACTION')
      try {
        await endStaged(session, this, commit.version)
        await insertStaged(session, this, commit.version)
        await session.run('COMMIT')
      } catch (cause) {
        await session.run('ROLLBACK').catch(() => undefined)
        throw cause
      }
      this.actions += staged
      this.openVersions.push(commit.version)
    })
  }

  /** One index of the chain is closed; rows that no open one sees are dropped, with the last the tables. */
  async release(version: number): Promise<void> {
    this.openVersions.splice(this.openVersions.indexOf(version), 1)
    await this.loading?.catch(() => undefined)
    if (this.openVersions.length > 0) return this.database.withSession((session) => this.dropEnded(session))
    this.local.release()
    await this.database.withSession(async (session) => {
      for (const table of [this.files, this.removes]) await session.run(`DROP TABLE IF EXISTS ${table}`)
    })
  }

  private async dropEnded(session: DuckSession): Promise<void> {
    const oldest = Math.min(...this.openVersions)
    for (const table of [this.files, this.removes]) {
      await session.run(`DELETE FROM ${table} WHERE to_version <= ${oldest}`)
    }
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
