/**
 * SELECTs of DuckDB's own over the tables and views of a lake at a snapshot.
 *
 * Tables become views of a database of their own, under their schemas; only those whose name the statement holds are
 * opened. Views of the lake find them by the placeholder that stands for the lake's name.
 */
import { ChunkBatch, type DuckSession, LOGICAL, quoteIdent, resultType, sqlType } from '../engine/duckdb/index.ts'
import type { Batch } from '../engine/index.ts'
import { causeText, deltaError, isDeltaError } from '../errors/index.ts'
import { field, type StructType, structType } from '../schema/index.ts'
import type { Lake } from './lake.ts'
import { openRelation, type Relation } from './scan/relation.ts'
import type { LakeSnapshot, LakeView } from './snapshot/lake-snapshot.ts'

export interface LakeQueryResult {
  readonly schema: StructType
  /** read once; what the query opened is freed when the iteration ends */
  batches(): AsyncIterable<Batch>
  /** for a result whose rows are not read */
  close(): Promise<void>
}

let made = 0

/** @throws DeltaError `LAKE_QUERY_FAILED` with what DuckDB says of the statement, and the codes of a scan */
export async function queryLake(
  lake: Lake,
  snapshot: LakeSnapshot,
  sql: string,
  signal?: AbortSignal,
): Promise<LakeQueryResult> {
  const workspace = new Workspace(lake, snapshot, await lake.database.acquire())
  try {
    await workspace.open(sql)
    const schema = await workspace.describe(sql)
    return { schema, batches: () => workspace.batches(sql, schema, signal), close: () => workspace.close() }
  } catch (error) {
    await workspace.close()
    throw explain(error)
  }
}

class Workspace {
  private readonly lake: Lake
  private readonly snapshot: LakeSnapshot
  private readonly session: DuckSession
  private readonly relations: Relation[] = []
  private readonly database = `query${made++}`

  constructor(lake: Lake, snapshot: LakeSnapshot, session: DuckSession) {
    this.lake = lake
    this.snapshot = snapshot
    this.session = session
  }

  async open(sql: string): Promise<void> {
    const { session, database } = this
    await session.run(`ATTACH ':memory:' AS ${database}`)
    for (const { name } of this.snapshot.schemas()) {
      await session.run(`CREATE SCHEMA IF NOT EXISTS ${database}.${quoteIdent(name)}`)
    }
    const views = await this.snapshot.views()
    // a view of the lake may name any table
    const text = [sql, ...views.filter(({ viewName }) => holds(sql, viewName)).map((view) => view.sql)].join('\n')
    for (const table of await this.snapshot.tables()) if (holds(text, table.tableName)) await this.openTable(table.name)
    await this.openViews(views)
    await session.run(`USE ${database}`)
  }

  async describe(sql: string): Promise<StructType> {
    const result = await this.session.connection.run(`SELECT * FROM (\n${sql}\n) LIMIT 0`)
    const types = result.columnTypes()
    return structType(result.columnNames().map((name, i) => field(name, resultType(types[i]!))))
  }

  async *batches(sql: string, schema: StructType, signal: AbortSignal | undefined): AsyncGenerator<Batch> {
    try {
      const columns = schema.fields.map((_, i) => `c${i}`)
      const casts = schema.fields.map(({ type }, i) => `c${i}::${sqlType(type, LOGICAL)} AS s${i}`)
      const typed = `SELECT ${casts.join(', ')} FROM (\n${sql}\n) AS result(${columns.join(', ')})`
      for await (const chunk of this.session.stream(typed, { signal, what: 'the query' }))
        yield new ChunkBatch(chunk, schema)
    } catch (error) {
      throw explain(error)
    } finally {
      await this.close()
    }
  }

  async close(): Promise<void> {
    await this.session.run('USE memory').catch(() => undefined)
    await this.session.run(`DETACH DATABASE IF EXISTS ${this.database}`).catch(() => undefined)
    this.session.release()
    for (const relation of this.relations.splice(0)) await relation.close()
  }

  private async openTable(name: string): Promise<void> {
    const table = await this.snapshot.table(name)
    const { catalog, access } = this.lake
    const relation = await openRelation({ catalog, access, table, snapshot: this.snapshot.id, columns: table.columns })
    this.relations.push(relation)
    const outputs = table.columns.map((column, i) => `v${i} AS ${quoteIdent(column.name)}`)
    const view = `${this.database}.${quoteIdent(table.schema.name)}.${quoteIdent(table.tableName)}`
    await this.session.run(`CREATE VIEW ${view} AS SELECT ${outputs.join(', ')} FROM (${relation.sql})`)
  }

  /** Views may stand on views: those that find what they name are made until no more do. */
  private async openViews(views: readonly LakeView[]): Promise<void> {
    let waiting = views.filter(({ dialect }) => dialect.toLowerCase() === 'duckdb')
    for (let before = -1; waiting.length !== before; ) {
      before = waiting.length
      const left: LakeView[] = []
      for (const view of waiting) if (!(await this.openView(view))) left.push(view)
      waiting = left
    }
  }

  private async openView(view: LakeView): Promise<boolean> {
    const text = view.sql.replaceAll('{DUCKLAKE_CATALOG}', this.database)
    if (await this.createView(view, text)) return true
    const written = this.writtenName(text)
    return written !== undefined && (await this.createView(view, replaceName(text, written, this.database)))
  }

  /** The name by which the writer of an old format had attached the lake, if the view's first table stands behind one. */
  private writtenName(sql: string): string | undefined {
    const name = /\b(?:from|join)\s+([a-z_]\w*)\s*\./i.exec(sql)?.[1]
    return this.snapshot.schemas().some((schema) => schema.name.toLowerCase() === name?.toLowerCase())
      ? undefined
      : name
  }

  /** @returns false where the view names what is not there, or not yet */
  private async createView({ schema, viewName, aliases }: LakeView, sql: string): Promise<boolean> {
    const names = aliases.length === 0 ? '' : ` (${aliases.map(quoteIdent).join(', ')})`
    const view = `${this.database}.${quoteIdent(schema.name)}.${quoteIdent(viewName)}`
    try {
      await this.session.run(`CREATE VIEW ${view}${names} AS ${sql}`)
      return true
    } catch {
      return false
    }
  }
}

/** The statement with another name before dots; texts and quoted names are left alone. */
function replaceName(sql: string, name: string, by: string): string {
  const places = new RegExp(String.raw`'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w.])${name}(?=\s*\.)`, 'gi')
  return sql.replace(places, (found) => (found.toLowerCase() === name.toLowerCase() ? by : found))
}

/** Whether a statement may name something; one too many costs only time. */
function holds(sql: string, name: string): boolean {
  const text = sql.toLowerCase()
  return text.includes(name.toLowerCase()) || text.includes(name.toLowerCase().replaceAll('"', '""'))
}

function explain(error: unknown): unknown {
  if (isDeltaError(error)) return error
  return deltaError('LAKE_QUERY_FAILED', { reason: causeText(error) }, { cause: error })
}
