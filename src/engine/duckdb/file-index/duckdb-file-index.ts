/**
 * The live files of a snapshot in tables of DuckDB, so that a million files never become a million objects.
 */
import { assert, isDeltaError } from '../../../errors/index.ts'
import {
  type AddFile,
  canonicalPath,
  type FileActions,
  type FileIndex,
  type FileIndexSource,
  type RemoveFile,
  type SkippingRule,
} from '../../../kernel/index.ts'
import { stringType } from '../../../schema/index.ts'
import type { DuckDatabase } from '../instance.ts'
import { literal } from '../values/literal.ts'
import { AddPages, PAGE_COLUMNS, removePage } from './file-pages.ts'
import { FileTable, type Totals } from './file-table.ts'
import { ruleSql } from './rule-sql.ts'

/** `LogEngine.openFileIndex` by DuckDB. */
export async function duckdbFileIndex(database: DuckDatabase, source: FileIndexSource): Promise<FileIndex> {
  const table = new FileTable(database)
  try {
    return new DuckFileIndex(table, source.version, await table.open(source))
  } catch (error) {
    await table.release(source.version).catch(() => undefined)
    throw error
  }
}

class DuckFileIndex implements FileIndex {
  readonly version: number
  readonly numFiles: number
  readonly sizeInBytes: number
  private readonly table: FileTable
  private isNewest = true
  private isClosed = false

  constructor(table: FileTable, version: number, totals: Totals) {
    this.table = table
    this.version = version
    this.numFiles = totals.numFiles
    this.sizeInBytes = totals.sizeInBytes
  }

  async *select(rule?: SkippingRule, options: { signal?: AbortSignal } = {}): AsyncGenerator<readonly AddFile[]> {
    // what statistics find is few files, worth a second look; a partition's files lie all over a checkpoint
    const narrow = rule !== undefined && ruleSql(rule).pointers.length > 0
    const search = narrow ? (rows: string, column: string) => selection(rows, rule, column) : undefined
    yield* this.pages(selection(await this.rows('files', search), rule, PAGE_COLUMNS), options.signal)
  }

  async find(path: string): Promise<AddFile | undefined> {
    const key = literal(canonicalPath(path), stringType)
    const search = (rows: string, columns: string) =>
      `SELECT ${columns} FROM (${rows}) WHERE h = hash(${key}) AND coalesce(key, path) = ${key}`
    const rows = await this.rows('files', search)
    for await (const page of this.pages(search(rows, PAGE_COLUMNS), undefined)) return page[0]
    return undefined
  }

  async *tombstones(expiredBeforeMs: number): AsyncGenerator<readonly RemoveFile[]> {
    const rows = await this.rows('removes')
    const session = await this.table.database.acquire()
    try {
      const sql = `SELECT action FROM (${rows}) WHERE deleted_ms > ${expiredBeforeMs}`
      for await (const chunk of session.stream(sql, { what: 'listing tombstones' })) yield removePage(chunk)
    } catch (cause) {
      throw this.table.explain(cause)
    } finally {
      session.release()
    }
  }

  async advance(commit: FileActions): Promise<FileIndex> {
    assert(this.isNewest && !this.isClosed, `only the newest index is advanced, and ${this.version} is not`)
    assert(commit.version === this.version + 1, `commit ${commit.version} follows version ${this.version}`)
    this.isNewest = false
    try {
      const change = await this.table.advance(commit)
      return new DuckFileIndex(this.table, commit.version, {
        numFiles: this.numFiles + change.numFiles,
        sizeInBytes: this.sizeInBytes + change.sizeInBytes,
      })
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

  private rows(kind: 'files' | 'removes', search?: (rows: string, column: string) => string): Promise<string> {
    assert(!this.isClosed, `the index of version ${this.version} is used after it was closed`)
    return this.table.liveRows(kind, this.version, search)
  }

  private async *pages(sql: string, signal: AbortSignal | undefined): AsyncGenerator<readonly AddFile[]> {
    const session = await this.table.database.acquire()
    const adds = new AddPages()
    try {
      for await (const chunk of session.stream(sql, { signal, what: 'selecting files' })) yield adds.page(chunk)
    } catch (cause) {
      throw isDeltaError(cause) ? cause : this.table.explain(cause)
    } finally {
      session.release()
    }
  }
}

/** The query of the files a rule may keep: partition values first, statistics parsed for what they leave. */
function selection(rows: string, rule: SkippingRule | undefined, columns: string): string {
  if (rule === undefined) return `SELECT ${columns} FROM (${rows})`
  const { partitions, whole, pointers } = ruleSql(rule)
  const inPartitions = `SELECT * FROM (${rows}) WHERE ${partitions}`
  if (pointers.length === 0) return `SELECT ${columns} FROM (${inPartitions}) WHERE ${whole}`
  const list = pointers.map((pointer) => literal(pointer, stringType)).join(', ')
  // a text that is not JSON gives no bounds and no error; the list is read once however many bounds are asked for
  const withBounds = `SELECT *, TRY(json_extract(stats, [${list}])) AS x FROM (${inPartitions})`
  return `SELECT ${columns} FROM (${withBounds}) WHERE ${whole}`
}
