/**
 * The live files of a snapshot in tables of DuckDB, so that a million files never become a million objects.
 */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { assert } from '../../../errors/index.ts'
import {
  type AddFile,
  canonicalPath,
  type FileActions,
  type FileBatch,
  type FileIndex,
  type FileIndexSource,
  type FileTotals,
  type RemoveFile,
  type SelectOptions,
  type SkippingRule,
} from '../../../kernel/index.ts'
import { stringType } from '../../../schema/index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { literal } from '../values/literal.ts'
import { AddPages, ChunkFiles, LIST_COLUMNS, PAGE_COLUMNS, removePage } from './file-pages.ts'
import { FileTable } from './file-table.ts'
import { ruleSql } from './rule-sql.ts'

/** `LogEngine.openFileIndex` by DuckDB. */
export async function duckdbFileIndex(database: DuckDatabase, source: FileIndexSource): Promise<FileIndex> {
  const table = new FileTable(database)
  try {
    await table.open(source)
    return new DuckFileIndex(table, source.version)
  } catch (error) {
    await table.release(source.version).catch(() => undefined)
    throw error
  }
}

class DuckFileIndex implements FileIndex {
  readonly version: number
  private readonly table: FileTable
  private counted: Promise<FileTotals> | undefined
  private isNewest = true
  private isClosed = false

  constructor(table: FileTable, version: number) {
    this.table = table
    this.version = version
  }

  async totals({ signal }: SelectOptions = {}): Promise<FileTotals> {
    this.assertOpen()
    this.counted ??= this.table.database.withSession((session) =>
      this.table.totals(session, this.version, { signal, what: 'counting files' }),
    )
    this.counted.catch(() => {
      this.counted = undefined
    })
    return await this.counted
  }

  async *select(rule?: SkippingRule, { signal }: SelectOptions = {}): AsyncGenerator<readonly AddFile[]> {
    const adds = new AddPages()
    for await (const chunk of this.selected(PAGE_COLUMNS, rule, signal)) yield adds.page(chunk)
  }

  async *list(rule?: SkippingRule, { signal }: SelectOptions = {}): AsyncGenerator<FileBatch> {
    for await (const chunk of this.selected(LIST_COLUMNS, rule, signal)) yield new ChunkFiles(chunk)
  }

  async find(path: string): Promise<AddFile | undefined> {
    const key = literal(canonicalPath(path), stringType)
    const question = (rows: string, columns: string) =>
      `SELECT ${columns} FROM (${rows}) WHERE h IS NULL OR (h = hash(${key}) AND coalesce(key, path) = ${key})`
    const asked = { question, columns: PAGE_COLUMNS, narrow: true }
    const chunks = this.answer(async (session) => {
      const settled = await this.table.askCommits(session, this.version, question, PAGE_COLUMNS)
      return settled ?? (await this.table.ask(session, 'files', this.version, asked, {}))
    })
    for await (const chunk of chunks) return new AddPages().page(chunk)[0]
    return undefined
  }

  async *tombstones(expiredBeforeMs: number): AsyncGenerator<readonly RemoveFile[]> {
    const wanted = (rows: string) => `SELECT action FROM (${rows}) WHERE deleted_ms > ${expiredBeforeMs}`
    const chunks = this.answer(async (session) =>
      wanted(await this.table.askAll(session, 'removes', this.version, 'action, deleted_ms', {})),
    )
    for await (const chunk of chunks) yield removePage(chunk)
  }

  async advance(commit: FileActions): Promise<FileIndex> {
    assert(this.isNewest && !this.isClosed, `only the newest index is advanced, and ${this.version} is not`)
    assert(commit.version === this.version + 1, `commit ${commit.version} follows version ${this.version}`)
    this.isNewest = false
    try {
      await this.table.advance(commit)
      return new DuckFileIndex(this.table, commit.version)
    } catch (error) {
      this.isNewest = true
      throw error
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.table.release(this.version)
  }

  private selected(
    columns: string,
    rule: SkippingRule | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<DuckDBDataChunk> {
    const options = { signal, what: 'selecting files' }
    return this.answer((session) => {
      if (rule === undefined) return this.table.askAll(session, 'files', this.version, columns, options)
      // what statistics find is few files, worth a second look; a partition's files lie all over a checkpoint
      const narrow = ruleSql(rule).pointers.length > 0
      const question = (rows: string, wanted: string) => selection(rows, rule, wanted)
      return this.table.ask(session, 'files', this.version, { question, columns, narrow }, options)
    }, options)
  }

  /** The chunks of a query that is made on the session that runs it. */
  private async *answer(
    ask: (session: DuckSession) => Promise<string>,
    options: QueryOptions = {},
  ): AsyncGenerator<DuckDBDataChunk> {
    this.assertOpen()
    const session = await this.table.database.acquire()
    try {
      yield* session.stream(await ask(session), options)
    } catch (cause) {
      throw this.table.explain(cause)
    } finally {
      session.release()
    }
  }

  private assertOpen(): void {
    assert(!this.isClosed, `the index of version ${this.version} is used after it was closed`)
  }
}

/** The query of the files a rule may keep: partition values first, statistics parsed for what they leave. */
function selection(rows: string, rule: SkippingRule | undefined, columns: string): string {
  if (rule === undefined) return `SELECT ${columns} FROM (${rows})`
  const { partitions, whole, pointers } = ruleSql(rule)
  if (pointers.length === 0) return `SELECT ${columns} FROM (${rows}) WHERE ${whole}`
  const inPartitions = `SELECT * FROM (${rows}) WHERE ${partitions}`
  const list = pointers.map((pointer) => literal(pointer, stringType)).join(', ')
  // a text that is not JSON gives no bounds and no error; the list is read once however many bounds are asked for
  const withBounds = `SELECT *, TRY(json_extract(stats, [${list}])) AS x FROM (${inPartitions})`
  return `SELECT ${columns} FROM (${withBounds}) WHERE ${whole}`
}
