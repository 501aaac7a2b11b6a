/**
 * A catalog in a SQLite file, as tables of DuckDB.
 *
 * The file is copied before it is opened: SQLite would write locks and journals beside it, and a reader changes nothing.
 * Values cross as text, integers and floats with all their digits, so that none goes through a double on the way.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'node-sqlite3-wasm'
import { type DuckSession, quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { causeText, deltaError } from '../../errors/index.ts'
import { encodeHex } from '../../support/index.ts'

/** Rows of one INSERT. */
const ROWS_PER_INSERT = 500

/**
 * Copies every table of a SQLite file, all columns as VARCHAR, into a database of the session.
 *
 * @param path of the file in the local file system; a journal of pending commits beside it is read too
 * @throws DeltaError `DUCKLAKE_CATALOG_CORRUPT`
 */
export async function copySqliteTables(session: DuckSession, path: string, database: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bayou-sqlite-'))
  try {
    const copy = join(folder, 'catalog.sqlite')
    await copyFile(path, copy)
    await copyFile(`${path}-wal`, `${copy}-wal`).catch(() => undefined)
    await copyTables(session, await openSqlite(copy), database)
  } catch (cause) {
    throw deltaError('DUCKLAKE_CATALOG_CORRUPT', { catalog: path, reason: causeText(cause) }, { cause })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function openSqlite(path: string): Promise<Database> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const database = new sqlite.Database(path)
  // without shared memory a journal in WAL form opens only like this
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  return database
}

async function copyTables(session: DuckSession, source: Database, database: string): Promise<void> {
  try {
    const tables = source.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'ducklake%'")
    for (const { name } of tables) await copyTable(session, source, { name: String(name), database })
  } finally {
    source.close()
  }
}

async function copyTable(
  session: DuckSession,
  source: Database,
  { name, database }: { readonly name: string; readonly database: string },
): Promise<void> {
  const info = source.all(`PRAGMA table_info(${quoteIdent(name)})`)
  const columns = info.map((column) => ({ name: String(column.name), type: String(column.type).toUpperCase() }))
  const target = `${quoteIdent(database)}.main.${quoteIdent(name)}`
  await session.run(
    `CREATE TABLE ${target} (${columns.map((column) => `${quoteIdent(column.name)} VARCHAR`).join(', ')})`,
  )
  const texts = columns.map((column, i) => `${textOf(column)} AS c${i}`)
  const rows = source.all(`SELECT ${texts.join(', ')} FROM ${quoteIdent(name)}`)
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const values = rows.slice(start, start + ROWS_PER_INSERT).map((row) => {
      return `(${columns.map((_, i) => literal(row[`c${i}`])).join(', ')})`
    })
    await session.run(`INSERT INTO ${target} VALUES ${values.join(', ')}`)
  }
}

/** SQLite's own text of a float has 15 digits; bytes cross as bytes where the column is for bytes. */
function textOf({ name, type }: { readonly name: string; readonly type: string }): string {
  const column = quoteIdent(name)
  const bytes = type.includes('BLOB') ? `WHEN 'blob' THEN ${column}` : ''
  return `CASE typeof(${column}) WHEN 'real' THEN printf('%!.17g', ${column}) ${bytes} ELSE CAST(${column} AS TEXT) END`
}

/** Bytes become the escapes that DuckDB reads as bytes. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Uint8Array)
    return `'${[...value].map((byte) => `\\x${encodeHex(Uint8Array.of(byte))}`).join('')}'`
  return String(value).split('\0').map(quoteLiteral).join(' || chr(0) || ')
}
