/**
 * A logical catalog that is being made: the tables of the newest format in memory, from which catalogs of any format are
 * frozen.
 */
import { type DuckSession, quoteIdent } from '../../engine/duckdb/index.ts'
import { type Catalog, safeNumber } from '../catalog/catalog.ts'
import { CATALOG_TABLES, type CatalogTable, INLINE_PREFIX } from '../catalog/formats.ts'
import { columnSqlType, type LakeColumn, loadColumns } from '../snapshot/columns.ts'

let made = 0

/** Names of an inlined table's system columns behind their prefix, if any. */
const SYSTEM = ['row_id', 'begin_snapshot', 'end_snapshot'] as const

export class Draft {
  readonly session: DuckSession
  private readonly database: string

  private constructor(session: DuckSession, database: string) {
    this.session = session
    this.database = database
  }

  /** Tables without rows. */
  static async create(session: DuckSession): Promise<Draft> {
    const draft = new Draft(session, `draft${made++}`)
    await session.run(`ATTACH ':memory:' AS ${quoteIdent(draft.database)}`)
    for (const table of CATALOG_TABLES) await session.run(createTableSql(draft.raw(table.name), table))
    return draft
  }

  /** What an open catalog holds; inlined rows in their own types, which copies of other databases hold as text. */
  static async copyOf(catalog: Catalog): Promise<Draft> {
    const draft = await Draft.create(catalog.session)
    for (const table of CATALOG_TABLES) {
      const columns = table.columns.map(({ name, type }) => {
        return type === 'UUID' ? `coalesce(TRY_CAST(${quoteIdent(name)} AS UUID), uuid())` : quoteIdent(name)
      })
      const view = catalog.view(table.name.replace(/^ducklake_/, ''))
      await draft.session.run(`INSERT INTO ${draft.raw(table.name)} SELECT ${columns.join(', ')} FROM ${view}`)
    }
    await copyInlined(draft, catalog)
    await completeOlder(draft)
    return draft
  }

  /** SQL name of a table; `data_file` for `ducklake_data_file`. */
  view(name: string): string {
    return this.raw(`ducklake_${name}`)
  }

  raw(name: string): string {
    return `${quoteIdent(this.database)}.main.${quoteIdent(name)}`
  }

  async run(sql: string): Promise<void> {
    await this.session.run(sql)
  }

  async query(sql: string): Promise<(bigint | string | boolean | null)[][]> {
    return (await this.session.query(sql)) as (bigint | string | boolean | null)[][]
  }

  /** Tables of inlined rows and inlined deletes. */
  async inlinedTables(): Promise<string[]> {
    const rows = await this.query(
      `SELECT table_name FROM duckdb_tables() WHERE database_name = '${this.database}'
         AND regexp_matches(table_name, '^ducklake_inlined_(data_\\d|delete_)') ORDER BY 1`,
    )
    return rows.map(([name]) => String(name))
  }

  async close(): Promise<void> {
    await this.session.run(`DETACH DATABASE IF EXISTS ${quoteIdent(this.database)}`)
  }
}

/** DDL of a table of a catalog. */
export function createTableSql(name: string, table: CatalogTable): string {
  const columns = table.columns.map((column) => {
    const isKey = column.name === table.key
    const isRequired = table.name === 'ducklake_metadata' && (column.name === 'key' || column.name === 'value')
    return `${quoteIdent(column.name)} ${column.type}${isKey ? ' PRIMARY KEY' : ''}${isRequired ? ' NOT NULL' : ''}`
  })
  return `CREATE TABLE ${name} (${columns.join(', ')})`
}

async function copyInlined(draft: Draft, catalog: Catalog): Promise<void> {
  const rows = await catalog.query(
    `SELECT i.table_id, i.table_name, coalesce(
       (SELECT min(v.begin_snapshot) FROM ${catalog.view('schema_versions')} v
        WHERE v.schema_version = i.schema_version AND (v.table_id = i.table_id OR v.table_id IS NULL)),
       (SELECT min(s.snapshot_id) FROM ${catalog.view('snapshot')} s WHERE s.schema_version = i.schema_version))
     FROM ${catalog.view('inlined_data_tables')} i`,
  )
  for (const [tableId, name, since] of rows) {
    const have = catalog.rawColumns(String(name))
    const isEmpty =
      have === undefined || (await catalog.query(`SELECT 1 FROM ${catalog.raw(String(name))} LIMIT 1`)).length === 0
    const columns = isEmpty || since === null ? [] : await loadColumns(catalog, safeNumber(tableId), safeNumber(since))
    if (isEmpty || columns.length === 0) {
      await draft.run(
        `DELETE FROM ${draft.view('inlined_data_tables')} WHERE table_name = '${String(name).replaceAll("'", "''")}'`,
      )
      continue
    }
    await copyInlinedTable(draft, catalog, { name: String(name), have: have!, columns })
  }
  for (const name of catalog.rawTables()) {
    if (!/^ducklake_inlined_delete_\d+$/.test(name)) continue
    const columns = 'file_id::BIGINT AS file_id, row_id::BIGINT AS row_id, begin_snapshot::BIGINT AS begin_snapshot'
    await draft.run(`CREATE TABLE ${draft.raw(name)} AS SELECT ${columns} FROM ${catalog.raw(name)}`)
  }
}

/** What formats before 1.0 leave out and its readers ask for, as their migration fills it in. */
async function completeOlder(draft: Draft): Promise<void> {
  const kind = `CASE WHEN column_type IN ('list', 'struct', 'map') THEN '' ELSE 'literal' END`
  await draft.run(`UPDATE ${draft.view('column')} SET default_value_type = ${kind} WHERE default_value_type IS NULL`)
  const versions = draft.view('schema_versions')
  const [row] = await draft.query(`SELECT count(*) FROM ${versions} WHERE table_id IS NOT NULL`)
  if (row?.[0] !== 0n) return
  await draft.run(`DELETE FROM ${versions}`)
  await draft.run(
    `INSERT INTO ${versions} SELECT v.begin_snapshot, v.schema_version, t.table_id
     FROM (SELECT min(snapshot_id) AS begin_snapshot, schema_version FROM ${draft.view('snapshot')} GROUP BY schema_version) v
     JOIN (SELECT DISTINCT table_id, begin_snapshot, end_snapshot FROM ${draft.view('table')}) t
       ON t.begin_snapshot <= v.begin_snapshot AND (t.end_snapshot IS NULL OR t.end_snapshot > v.begin_snapshot)
     ORDER BY 1, 3`,
  )
}

interface InlinedCopy {
  readonly name: string
  readonly have: ReadonlyMap<string, string>
  readonly columns: readonly LakeColumn[]
}

async function copyInlinedTable(draft: Draft, catalog: Catalog, { name, have, columns }: InlinedCopy): Promise<void> {
  const prefix = have.has(`${INLINE_PREFIX}row_id`) ? INLINE_PREFIX : ''
  const system = SYSTEM.map(
    (column) => `${quoteIdent(prefix + column)}::BIGINT AS ${quoteIdent(INLINE_PREFIX + column)}`,
  )
  const own = columns.map((column) => {
    return `CAST(${quoteIdent(column.name)} AS ${columnSqlType(column, name)}) AS ${quoteIdent(column.name)}`
  })
  await draft.run(
    `CREATE TABLE ${draft.raw(name)} AS SELECT ${[...system, ...own].join(', ')} FROM ${catalog.raw(name)}`,
  )
}
