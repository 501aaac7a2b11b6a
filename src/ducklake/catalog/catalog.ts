/**
 * An open catalog: its tables under the names and types of the newest format, whatever format and file it has.
 *
 * A DuckDB file is attached read-only, so that a catalog of a million files is asked by SQL and never becomes objects; a
 * SQLite file is copied in. Views over the tables take a missing column as NULL, leave out unknown ones and cast what a
 * copy has spelled as text. Source: DuckLake, "Reading"; the rules for 0.1 to 0.4 are those of its migrations.
 */
import { open } from 'node:fs/promises'
import { type DuckDatabase, type DuckSession, quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { assert, causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { CATALOG_TABLES, type CatalogTable, OLDER_NAMES, READ_FORMATS } from './formats.ts'
import { copySqliteTables } from './sqlite-tables.ts'
import {
  ENGINE_STORAGE,
  fileKind,
  HEADER_BYTES,
  readStorageHeader,
  type StorageHeader,
  storageNumber,
} from './storage-header.ts'

export interface CatalogFile {
  /** in the local file system */
  readonly path: string
  /** as the user named it, for messages */
  readonly shown: string
}

let opened = 0

/** The tables of a catalog, read-only. */
export class Catalog {
  readonly file: CatalogFile
  readonly session: DuckSession
  /** undefined for a SQLite file */
  readonly storage: StorageHeader | undefined
  /** database of the tables as they lie in the file */
  private readonly source: string
  /** database of the views, and of whatever a reader wants to keep */
  readonly scratch: string
  private readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>
  private sourceSchema = 'main'
  private format_ = ''

  private constructor(fields: Pick<Catalog, 'file' | 'session' | 'storage' | 'scratch'> & { source: string }) {
    this.file = fields.file
    this.session = fields.session
    this.storage = fields.storage
    this.source = fields.source
    this.scratch = fields.scratch
    this.columns = new Map()
  }

  /**
   * @throws DeltaError `DUCKLAKE_CATALOG_NOT_FOUND`, `DUCKLAKE_CATALOG_CORRUPT`, `DUCKLAKE_FORMAT_UNSUPPORTED`,
   * `DUCKLAKE_STORAGE_UNSUPPORTED`
   */
  static async open(database: DuckDatabase, file: CatalogFile): Promise<Catalog> {
    const head = await readHead(file)
    const kind = fileKind(head)
    if (kind === 'other') throw corrupt(file, 'it is neither a DuckDB nor a SQLite file')
    const storage = kind === 'duckdb' ? readStorageHeader(head) : undefined
    if (kind === 'duckdb' && storage === undefined) throw corrupt(file, 'the file ends within its header')
    if (storage !== undefined && storage.needsNumber > storageNumber(ENGINE_STORAGE)!) {
      const details = { catalog: file.shown, needs: storage.needs, opens: ENGINE_STORAGE }
      throw deltaError('DUCKLAKE_STORAGE_UNSUPPORTED', details)
    }
    const session = await database.acquire()
    const number = opened++
    const catalog = new Catalog({ file, session, storage, source: `lake${number}`, scratch: `lake${number}_views` })
    try {
      await catalog.attach(kind)
      await catalog.makeViews()
      return catalog
    } catch (error) {
      await catalog.close()
      throw isDeltaError(error) ? error : corrupt(file, causeText(error), error)
    }
  }

  get format(): string {
    return this.format_
  }

  /** SQL name of a table of the catalog in the columns of the newest format; `data_file` for `ducklake_data_file`. */
  view(name: string): string {
    return `${quoteIdent(this.scratch)}.main.${quoteIdent(`ducklake_${name}`)}`
  }

  /** SQL name of a table as it lies in the file, such as one of inlined rows. */
  raw(name: string): string {
    return `${quoteIdent(this.source)}.${quoteIdent(this.sourceSchema)}.${quoteIdent(name)}`
  }

  /** The columns of a table as it lies in the file, in order; undefined where there is no such table. */
  rawColumns(name: string): ReadonlyMap<string, string> | undefined {
    return this.columns.get(name)
  }

  /** Names of all tables in the file. */
  rawTables(): readonly string[] {
    return [...this.columns.keys()]
  }

  /** The rows of a query over the views. */
  async query(sql: string): Promise<(bigint | string | boolean | null)[][]> {
    try {
      return (await this.session.query(sql)) as (bigint | string | boolean | null)[][]
    } catch (error) {
      throw isDeltaError(error) ? error : corrupt(this.file, causeText(error).split('\n')[0]!, error)
    }
  }

  async close(): Promise<void> {
    for (const name of [this.scratch, this.source]) {
      await this.session.run(`DETACH DATABASE IF EXISTS ${quoteIdent(name)}`).catch(() => undefined)
    }
    this.session.release()
  }

  private async attach(kind: 'duckdb' | 'sqlite'): Promise<void> {
    await this.session.run(`ATTACH ':memory:' AS ${quoteIdent(this.scratch)}`)
    const path = kind === 'duckdb' ? quoteLiteral(this.file.path) : "':memory:'"
    await this.session.run(`ATTACH ${path} AS ${quoteIdent(this.source)}${kind === 'duckdb' ? ' (READ_ONLY)' : ''}`)
    if (kind === 'sqlite') await copySqliteTables(this.session, this.file.path, this.source)
  }

  private async makeViews(): Promise<void> {
    const found = await this.session.query(
      `SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()
       WHERE database_name = ${quoteLiteral(this.source)} AND table_name LIKE 'ducklake%' ORDER BY table_oid, column_index`,
    )
    const columns = this.columns as Map<string, Map<string, string>>
    for (const [schema, table, column, type] of found as [string, string, string, string][]) {
      this.sourceSchema = schema
      const known = columns.get(table) ?? new Map<string, string>()
      columns.set(table, known.set(column, type))
    }
    if (!columns.has('ducklake_metadata') || !columns.has('ducklake_snapshot')) {
      throw corrupt(this.file, 'it holds no tables of DuckLake')
    }
    for (const table of CATALOG_TABLES) await this.makeView(table)
    await this.readFormat()
  }

  private async makeView(table: CatalogTable): Promise<void> {
    const older = OLDER_NAMES.get(table.name)
    const name = !this.columns.has(table.name) && older !== undefined ? older : table.name
    const have = this.columns.get(name)
    const outputs = table.columns.map((column) => {
      const value = have?.has(column.name) ? quoteIdent(column.name) : (substitute(table, column.name, have) ?? 'NULL')
      const type = column.type === 'UUID' ? 'VARCHAR' : column.type
      return `CAST(${value} AS ${type}) AS ${quoteIdent(column.name)}`
    })
    const from = have === undefined ? '(SELECT 1) WHERE false' : this.raw(name)
    await this.session.run(
      `CREATE VIEW ${quoteIdent(this.scratch)}.main.${quoteIdent(table.name)} AS SELECT ${outputs.join(', ')} FROM ${from}`,
    )
  }

  private async readFormat(): Promise<void> {
    const [row] = await this.query(`SELECT value FROM ${this.view('metadata')} WHERE key = 'version' AND scope IS NULL`)
    const format = row?.[0]
    if (typeof format !== 'string') throw corrupt(this.file, 'its metadata names no version')
    if (!READ_FORMATS.some((known) => known === format)) {
      const known = `${READ_FORMATS[0]} to ${READ_FORMATS.at(-1)}`
      throw deltaError('DUCKLAKE_FORMAT_UNSUPPORTED', { catalog: this.file.shown, format, known })
    }
    this.format_ = format
  }
}

/** What older formats say instead of a column. */
function substitute(table: CatalogTable, column: string, have: ReadonlyMap<string, string> | undefined) {
  if (column === 'partial_max' && have?.has('partial_file_info')) {
    return `TRY_CAST(regexp_extract(partial_file_info, 'partial_max:(\\d+)', 1) AS BIGINT)`
  }
  const isFolder = table.name === 'ducklake_schema' || table.name === 'ducklake_table'
  if (isFolder && column === 'path') return "''"
  return isFolder && column === 'path_is_relative' ? 'true' : undefined
}

async function readHead(file: CatalogFile): Promise<Uint8Array> {
  try {
    const handle = await open(file.path)
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(HEADER_BYTES), 0, HEADER_BYTES, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (cause) {
    const code = (cause as { code?: unknown }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw deltaError('DUCKLAKE_CATALOG_NOT_FOUND', { catalog: file.shown }, { cause })
    }
    throw corrupt(file, causeText(cause), cause)
  }
}

function corrupt({ shown }: CatalogFile, reason: string, cause?: unknown) {
  return deltaError('DUCKLAKE_CATALOG_CORRUPT', { catalog: shown, reason }, { cause })
}

/** A number of the catalog that JavaScript counts with. */
export function safeNumber(value: unknown): number {
  const number = Number(value)
  assert(Number.isSafeInteger(number), 'ids and counts of a catalog are below 2^53')
  return number
}
