/**
 * The tables behind a chain of indexes: where live files and tombstones of every open version are kept.
 *
 * A small checkpoint is loaded into them at once. A large one is at first left where it is: one question is answered
 * faster and in less memory from the Parquet file; the second question, or the first commit, loads it.
 */
import { canonicalPath, type FileActions, type FileIndexSource } from '../../../kernel/index.ts'
import { printJson } from '../../../support/index.ts'
import {
  type CheckpointGroup,
  groupByShape,
  LocalFiles,
  readJsonCheckpoint,
  unreadable,
} from '../checkpoint/checkpoint-files.ts'
import type { DuckDatabase, DuckSession } from '../instance.ts'
import { NEWEST_STAGED, stageCommits } from './staged-commits.ts'
import {
  checkpointAdds,
  checkpointRemoves,
  FILE_COLUMNS,
  FOREVER,
  LIFE_COLUMNS,
  REMOVE_COLUMNS,
} from './table-columns.ts'

/** Checkpoints of more bytes are read in place at first; about 100,000 files. */
const LARGE_CHECKPOINT_BYTES = 8 * 1024 * 1024
/** Paths given to JavaScript at once. */
const HARD_PATHS_PAGE = 10_000

export interface Totals {
  readonly numFiles: number
  readonly sizeInBytes: number
}

let tableCount = 0

export class FileTable {
  readonly database: DuckDatabase
  private readonly files: string
  private readonly removes: string
  /** keys that commits after the checkpoint say something about; only while the checkpoint is read in place */
  private readonly gone: string
  private readonly local: LocalFiles
  private readonly openVersions: number[] = []
  private checkpoint: { readonly adds: string; readonly removes: string } | undefined
  private checkpointKey = 'the checkpoint'
  private loading: Promise<void> | undefined
  private questions = 0

  constructor(database: DuckDatabase) {
    const id = tableCount++
    this.database = database
    this.files = `bayou_files_${id}`
    this.removes = `bayou_removes_${id}`
    this.gone = `bayou_gone_${id}`
    this.local = new LocalFiles(database)
  }

  /** Fills the tables; gives what is live at the source's version. */
  async open(source: FileIndexSource): Promise<Totals> {
    this.openVersions.push(source.version)
    return this.database.withSession(async (session) => {
      await session.run(`CREATE TABLE ${this.files} (${FILE_COLUMNS}, ${LIFE_COLUMNS})`)
      await session.run(`CREATE TABLE ${this.removes} (${REMOVE_COLUMNS}, ${LIFE_COLUMNS})`)
      const groups = await this.openCheckpoint(session, source)
      await stageCommits(session, replayed(source))
      await session.run(`CREATE TABLE ${this.gone} AS SELECT canonical, dv FROM (${NEWEST_STAGED})`)
      await this.insertStaged(session, source.version)
      this.checkpoint = {
        adds: this.unlessGone(checkpointAdds(groups)),
        removes: this.unlessGone(checkpointRemoves(groups)),
      }
      const bytes = source.checkpoint.reduce((sum, file) => sum + file.size, 0)
      const inPlace = bytes > LARGE_CHECKPOINT_BYTES ? await this.totalsInPlace(session, source.version) : undefined
      if (inPlace !== undefined) return inPlace
      await this.load()
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

  /** SQL of the rows that live at a version, with the columns of a file or of a remove. */
  async liveRows(kind: 'files' | 'removes', version: number): Promise<string> {
    if (this.checkpoint !== undefined && this.questions++ > 0) await this.load()
    return this.liveSql(kind, version)
  }

  /** Whether a failed question is the fault of a checkpoint read in place. */
  explain(cause: unknown): unknown {
    return this.checkpoint === undefined ? cause : unreadable(this.checkpointKey, cause)
  }

  private liveSql(kind: 'files' | 'removes', version: number): string {
    const columns = kind === 'files' ? FILE_COLUMNS : REMOVE_COLUMNS
    const names = [...columns.matchAll(/(?:^|, )(\w+) (?!VARCHAR\))/g)].map((match) => match[1]).join(', ')
    const table = kind === 'files' ? this.files : this.removes
    const own = `SELECT ${names} FROM ${table} WHERE from_version <= ${version} AND to_version > ${version}`
    const inPlace = kind === 'files' ? this.checkpoint?.adds : this.checkpoint?.removes
    return inPlace === undefined ? own : `${own} UNION ALL SELECT ${names} FROM (${inPlace})`
  }

  private unlessGone(rows: string): string {
    return `SELECT * FROM (${rows}) AS c WHERE NOT EXISTS (
      SELECT 1 FROM ${this.gone} AS g WHERE g.canonical = coalesce(c.key, c.path) AND g.dv IS NOT DISTINCT FROM c.dv)`
  }

  private async totals(session: DuckSession, version: number): Promise<Totals> {
    const sql = `SELECT count(*), coalesce(sum(size), 0)::BIGINT FROM (${this.liveSql('files', version)})`
    const [row] = await session.query(sql)
    return { numFiles: Number(row![0]), sizeInBytes: Number(row![1]) }
  }

  /** Undefined where the checkpoint has to be loaded: a path only JavaScript can bring to its key, or a file named twice. */
  private async totalsInPlace(session: DuckSession, version: number): Promise<Totals | undefined> {
    const sql = `SELECT count(*), coalesce(sum(size), 0)::BIGINT, count(h), count(DISTINCT h)
      FROM (${this.liveSql('files', version)})`
    try {
      const [row] = await session.query(sql)
      if (row![0] !== row![2] || row![0] !== row![3]) return undefined
      return { numFiles: Number(row![0]), sizeInBytes: Number(row![1]) }
    } catch (cause) {
      throw this.explain(cause)
    }
  }

  /** Takes the checkpoint into the tables. Indexes opened before see the same rows. */
  private load(): Promise<void> {
    this.loading ??= this.database.withSession((session) => this.loadCheckpoint(session))
    return this.loading
  }

  private async loadCheckpoint(session: DuckSession): Promise<void> {
    const { adds, removes } = this.checkpoint!
    try {
      await session.run('BEGIN TRANSACTION')
      await session.run(`INSERT INTO ${this.files} SELECT *, 0, ${FOREVER} FROM (${adds})`)
      await session.run(`INSERT INTO ${this.removes} SELECT *, 0, ${FOREVER} FROM (${removes})`)
      for (const table of [this.files, this.removes]) {
        await this.keyHardPaths(session, table)
        await this.dropDuplicates(session, table)
      }
      await session.run('COMMIT')
    } catch (cause) {
      await session.run('ROLLBACK').catch(() => undefined)
      throw this.explain(cause)
    }
    this.checkpoint = undefined
    await session.run(`DROP TABLE IF EXISTS ${this.gone}`)
    this.local.release()
  }

  /** Gives rows whose path SQL cannot bring to its key the key the kernel computes, and drops those commits have ended. */
  private async keyHardPaths(session: DuckSession, table: string): Promise<void> {
    for (;;) {
      const rows = await session.query(`SELECT rowid, path FROM ${table} WHERE h IS NULL LIMIT ${HARD_PATHS_PAGE}`)
      if (rows.length === 0) return
      const keys = rows.map(([id, path]) => ({ id: id as bigint, canonical: canonicalPath(path as string) }))
      await session.connection.run(
        `UPDATE ${table} SET key = k.canonical, h = hash(k.canonical)
         FROM (SELECT unnest(from_json($1, '[{"id":"BIGINT","canonical":"VARCHAR"}]'), recursive := true)) AS k
         WHERE ${table}.rowid = k.id`,
        [printJson(keys)],
      )
      await session.run(`DELETE FROM ${table} WHERE from_version = 0 AND EXISTS (
        SELECT 1 FROM ${this.gone} AS g WHERE g.canonical = ${table}.key AND g.dv IS NOT DISTINCT FROM ${table}.dv)`)
    }
  }

  /** A checkpoint names a file once; of one that does not, the last row counts, as in a replay. */
  private async dropDuplicates(session: DuckSession, table: string): Promise<void> {
    const [row] = await session.query(`SELECT count(*), count(DISTINCT h) FROM ${table}`)
    if (row![0] === row![1]) return
    await session.run(`DELETE FROM ${table} WHERE rowid NOT IN (
      SELECT arg_max(rowid, (from_version, rowid)) FROM ${table} GROUP BY coalesce(key, path), dv)`)
  }

  /** Takes in a commit; gives how the totals change. */
  async advance(commit: FileActions): Promise<Totals> {
    if (this.checkpoint !== undefined) await this.load()
    return this.database.withSession(async (session) => {
      await stageCommits(session, [commit])
      await session.run('BEGIN TRANSACTION')
      try {
        const ended = await this.endStaged(session, commit.version)
        const begun = await this.insertStaged(session, commit.version)
        await session.run('COMMIT')
        this.openVersions.push(commit.version)
        return { numFiles: begun.numFiles - ended.numFiles, sizeInBytes: begun.sizeInBytes - ended.sizeInBytes }
      } catch (cause) {
        await session.run('ROLLBACK').catch(() => undefined)
        throw cause
      }
    })
  }

  /** Ends the life of rows the staged actions speak of. */
  private async endStaged(session: DuckSession, version: number): Promise<Totals> {
    let ended: Totals = { numFiles: 0, sizeInBytes: 0 }
    for (const table of [this.files, this.removes]) {
      const size = table === this.files ? 'coalesce(sum(size), 0)::BIGINT' : '0'
      // the semi-join on the hash touches one narrow column; texts are compared for the rows it leaves
      await session.run(`CREATE OR REPLACE TEMP TABLE ended AS SELECT f.rowid AS id FROM ${table} AS f
        WHERE f.to_version = ${FOREVER} AND f.h IN (SELECT h FROM staged)`)
      await session.run(`DELETE FROM ended WHERE id NOT IN (
        SELECT f.rowid FROM ${table} AS f JOIN staged AS s
        ON s.canonical = coalesce(f.key, f.path) AND s.dv IS NOT DISTINCT FROM f.dv
        WHERE f.rowid IN (SELECT id FROM ended))`)
      const [row] = await session.query(`SELECT count(*), ${size} FROM ${table} WHERE rowid IN (SELECT id FROM ended)`)
      if (row![0] === 0n) continue
      await session.run(`UPDATE ${table} SET to_version = ${version} WHERE rowid IN (SELECT id FROM ended)`)
      if (table === this.files) ended = { numFiles: Number(row![0]), sizeInBytes: Number(row![1]) }
    }
    return ended
  }

  private async insertStaged(session: DuckSession, version: number): Promise<Totals> {
    const life = `${version}, ${FOREVER}`
    await session.run(`INSERT INTO ${this.files}
      SELECT h, key, path, dv, size, mtime, data_change, pv, stats, rest, ${life} FROM (${NEWEST_STAGED}) WHERE live`)
    await session.run(`INSERT INTO ${this.removes}
      SELECT h, key, path, dv, deleted_ms, action, ${life} FROM (${NEWEST_STAGED}) WHERE NOT live`)
    const [row] = await session.query(
      `SELECT count(*), coalesce(sum(size), 0)::BIGINT FROM (${NEWEST_STAGED}) WHERE live`,
    )
    return { numFiles: Number(row![0]), sizeInBytes: Number(row![1]) }
  }

  /** One index of the chain is closed; rows that no open one sees are dropped, with the last the tables. */
  async release(version: number): Promise<void> {
    this.openVersions.splice(this.openVersions.indexOf(version), 1)
    await this.loading?.catch(() => undefined)
    if (this.openVersions.length > 0) return this.dropEnded()
    this.local.release()
    await this.database.withSession(async (session) => {
      for (const table of [this.files, this.removes, this.gone]) await session.run(`DROP TABLE IF EXISTS ${table}`)
    })
  }

  private async dropEnded(): Promise<void> {
    if (this.checkpoint !== undefined) return
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
    const actions = await readJsonCheckpoint(source.store, file)
    const adds = actions.flatMap((action) => ('add' in action ? [action.add] : []))
    const removes = actions.flatMap((action) => ('remove' in action ? [action.remove] : []))
    yield { version: -1, adds, removes }
  }
  yield* source.commits
}
