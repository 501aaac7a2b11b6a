/** A working catalog of a version: a SQLite file that DuckDB's own extension attaches and writes. */
import { copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'node-sqlite3-wasm'
import { quoteIdent } from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import { tablesOf, type WriteFormat } from '../catalog/formats.ts'
import { Draft } from '../write/draft.ts'
import { formatLimit } from '../write/format-limits.ts'
import { DATA } from './layout.ts'
import { type OpenVersionOptions, openVersion } from './open.ts'
import type { Repository } from './repository.ts'

export interface CloneOptions extends OpenVersionOptions {
  /** a branch, tag or id; HEAD's version when absent */
  readonly ref?: string
  /** the file that is made */
  readonly path: string
  /** 1.0 when absent, which DuckDB 1.5 and 2.0 write */
  readonly format?: WriteFormat
}

/**
 * @returns the version, and the SQL that attaches the file
 * @throws DeltaError `LAKE_USAGE` where the file is there already, `DUCKLAKE_FORMAT_LIMIT`, the codes of `openVersion`
 */
export async function cloneVersion(
  repository: Repository,
  options: CloneOptions,
): Promise<{ id: string; attach: string }> {
  const { path, format = '1.0' } = options
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  ) {
    throw deltaError('LAKE_USAGE', { problem: `${path} is there already`, advice: 'name a file that is not there yet' })
  }
  const version = await repository.version(await repository.resolve(options.ref), options.ref)
  const open = await openVersion(repository, version, options)
  let draft: Draft | undefined
  try {
    draft = await Draft.copyOf(open.lake.catalog)
    const reason = await formatLimit(draft, format, async () => false)
    if (reason !== undefined) throw deltaError('DUCKLAKE_FORMAT_LIMIT', { format, reason })
    const dataPath = `${repository.root.replace(/\/$/, '')}/${DATA}`
    await writeSqlite(draft, { path, format, dataPath })
    return { id: version.id, attach: attachSql(path, dataPath) }
  } finally {
    await draft?.close()
    await open.close()
  }
}

function attachSql(path: string, dataPath: string): string {
  const options = `DATA_PATH '${dataPath}', OVERRIDE_DATA_PATH true, META_TYPE 'sqlite', DATA_INLINING_ROW_LIMIT 0, META_JOURNAL_MODE 'WAL', BUSY_TIMEOUT 5000`
  return `ATTACH 'ducklake:sqlite:${path.replaceAll("'", "''")}' AS lake (${options})`
}

interface SqliteTask {
  readonly path: string
  readonly format: WriteFormat
  readonly dataPath: string
}

/** Made beside the system's temporary files, then moved into place whole. */
async function writeSqlite(draft: Draft, { path, format, dataPath }: SqliteTask): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bayou-clone-'))
  try {
    const file = join(folder, 'catalog.sqlite')
    const { default: sqlite } = await import('node-sqlite3-wasm')
    const database = new sqlite.Database(file)
    try {
      database.exec('BEGIN')
      for (const table of tablesOf(format))
        await writeTable(
          draft,
          database,
          table.name,
          table.columns.map(({ name, type }) => ({ name, type })),
        )
      database.run(`UPDATE ducklake_metadata SET value = ? WHERE key = 'version' AND scope IS NULL`, format)
      database.run(`UPDATE ducklake_metadata SET value = ? WHERE key = 'data_path' AND scope IS NULL`, dataPath)
      for (const name of await draft.inlinedTables()) await writeInlined(draft, database, name, format)
      database.exec('COMMIT')
    } finally {
      database.close()
    }
    await rename(file, path).catch(() => copyFile(file, path))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface SqliteColumn {
  readonly name: string
  readonly type: string
}

async function writeTable(
  draft: Draft,
  database: Database,
  name: string,
  columns: readonly SqliteColumn[],
): Promise<void> {
  const key = new Map(tablesOf('1.1').map((table) => [table.name, table.key])).get(name)
  const types = columns.map((column) => {
    const type = column.type === 'BOOLEAN' ? 'BIGINT' : column.type === 'BIGINT' ? 'BIGINT' : 'VARCHAR'
    return `${quoteIdent(column.name)} ${type}${column.name === key ? ' PRIMARY KEY' : ''}`
  })
  database.exec(`CREATE TABLE ${quoteIdent(name)} (${types.join(', ')})`)
  const values = columns.map(({ name: column, type }) => {
    return type === 'BOOLEAN'
      ? `${quoteIdent(column)}::BIGINT`
      : type === 'BIGINT'
        ? quoteIdent(column)
        : `${quoteIdent(column)}::VARCHAR`
  })
  await insertRows(draft, database, { from: draft.raw(name), into: name, values })
}

async function writeInlined(draft: Draft, database: Database, name: string, format: WriteFormat): Promise<void> {
  const described = (await draft.query(`DESCRIBE ${draft.raw(name)}`)).map((row) => ({
    name: String(row[0]),
    type: String(row[1]),
  }))
  const plain = (column: string) => (format === '1.0' ? column.replace(/^_ducklake_/, '') : column)
  const isNumber = (type: string) => /^(?:TINY|SMALL|BIG)?INT(?:EGER)?$/.test(type)
  const types = described.map(
    (column) => `${quoteIdent(plain(column.name))} ${isNumber(column.type) ? 'BIGINT' : 'VARCHAR'}`,
  )
  database.exec(`CREATE TABLE ${quoteIdent(name)} (${types.join(', ')})`)
  const values = described.map(
    (column) => `${quoteIdent(column.name)}::${isNumber(column.type) ? 'BIGINT' : 'VARCHAR'}`,
  )
  await insertRows(draft, database, { from: draft.raw(name), into: name, values })
}

interface Copy {
  readonly from: string
  readonly into: string
  readonly values: readonly string[]
}

async function insertRows(draft: Draft, database: Database, { from, into, values }: Copy): Promise<void> {
  const rows = await draft.query(`SELECT ${values.join(', ')} FROM ${from}`)
  if (rows.length === 0) return
  const statement = database.prepare(`INSERT INTO ${quoteIdent(into)} VALUES (${values.map(() => '?').join(', ')})`)
  try {
    for (const row of rows) statement.run(row as (bigint | string | null)[])
  } finally {
    statement.finalize()
  }
}
