/**
 * A SELECT of DuckDB's own over tables.
 *
 * Each table is a temporary view over its files, so DuckDB reads only the columns and row groups that the query needs.
 */
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import { type DataType, field, type StructType, structType } from '../../../schema/index.ts'
import type { Batch, EngineOptions, QueryResult, QueryView } from '../../index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { ChunkBatch } from '../scan/chunk-batch.ts'
import { type FileGroup, localFiles } from '../scan/local-files.ts'
import { isShapeMismatch, isStatementsOwn, readFailure } from '../scan/read-error.ts'
import { needsShapes, readSql } from '../scan/read-sql.ts'
import { quoteIdent } from '../sql-text.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { logicalNames } from './logical-names.ts'
import { resultType } from './result-type.ts'

const WHAT = 'the query'

/** Where ORDER BY says nothing of them, NULLs are the smallest, as they are for Spark. */
const NULL_ORDER = `SET default_null_order = 'nulls_first_on_asc_last_on_desc'`

/** See `Engine.query`. */
export async function query(
  database: DuckDatabase,
  sql: string,
  views: readonly QueryView[],
  { signal }: EngineOptions = {},
): Promise<QueryResult> {
  const run = new QueryRun(database, await database.acquire(), { signal, what: WHAT })
  try {
    await run.open(views)
    const schema = await run.describe(sql)
    return { schema, batches: run.batches(sql, schema) }
  } catch (error) {
    const failure = run.explain(error)
    await run.close()
    throw failure
  }
}

/** See `Engine.describeQuery`. */
export async function describeQuery(
  database: DuckDatabase,
  sql: string,
  views: readonly QueryView[],
  { signal }: EngineOptions = {},
): Promise<StructType> {
  const run = new QueryRun(database, await database.acquire(), { signal, what: WHAT })
  try {
    await run.open(views.map(({ name, plan }) => ({ name, plan: { ...plan, files: [] } })))
    return await run.describe(sql)
  } catch (error) {
    throw run.explain(error)
  } finally {
    await run.close()
  }
}

/** See `Engine.explainQuery`. */
export async function explainQuery(
  database: DuckDatabase,
  sql: string,
  views: readonly QueryView[],
  { signal }: EngineOptions = {},
): Promise<string> {
  const run = new QueryRun(database, await database.acquire(), { signal, what: WHAT })
  try {
    await run.open(views)
    return await run.plan(sql, await run.describe(sql))
  } catch (error) {
    throw run.explain(error)
  } finally {
    await run.close()
  }
}

/** A statement and the session of the caller's that it runs in. */
export interface QueryPlace {
  readonly database: DuckDatabase
  readonly session: DuckSession
}

type Statement = { readonly sql: string; readonly views: readonly QueryView[] }

/**
 * Makes a temporary table of what a statement gives, in a session that is the caller's; the columns are `s<ordinal>`,
 * those that are void left out.
 */
export async function createQueryTable(
  place: QueryPlace,
  statement: Statement,
  table: string,
  options: QueryOptions,
): Promise<StructType> {
  return await withQuery(place, statement, options, async (select, schema) => {
    await place.session.run(`CREATE TEMP TABLE ${table} AS ${select}`, options)
    return schema
  })
}

/**
 * Lets a statement be part of another while its tables are there.
 *
 * @param use runs a SELECT with the columns `s<ordinal>`; what it throws that is no error of the catalogue is the statement's
 */
export async function withQuery<T>(
  { database, session }: QueryPlace,
  { sql, views }: Statement,
  options: QueryOptions,
  use: (select: string, schema: StructType) => Promise<T>,
): Promise<T> {
  const run = new QueryRun(database, session, options)
  try {
    await run.open(views)
    const schema = await run.describe(sql)
    const used = await use(run.typedSelect(sql, schema), schema)
    await session.run('RESET default_null_order')
    return used
  } catch (error) {
    throw run.explain(error)
  } finally {
    await run.endGroups()
  }
}

class QueryRun {
  private readonly database: DuckDatabase
  private readonly session: DuckSession
  private readonly options: QueryOptions
  /** tables as parts of a WITH before the statement, in whose place empty views are described */
  private readonly inlined: string[] = []
  private readonly groups: { group: FileGroup; end: () => Promise<unknown> }[] = []

  constructor(database: DuckDatabase, session: DuckSession, options: QueryOptions) {
    this.database = database
    this.session = session
    this.options = options
  }

  async open(views: readonly QueryView[]): Promise<void> {
    await this.session.run(NULL_ORDER)
    for (const [number, view] of views.entries()) await this.openView(view, number)
  }

  /** The columns of the statement, with types a table can hold. */
  async describe(sql: string): Promise<StructType> {
    const result = await this.session.connection.run(`SELECT * FROM (\n${sql}\n) LIMIT 0`)
    const types = result.columnTypes()
    return structType(result.columnNames().map((name, i) => field(name, resultType(types[i]!))))
  }

  /** The plan of the statement, as DuckDB draws it. */
  async plan(sql: string, schema: StructType): Promise<string> {
    const rows = await this.session.query(`EXPLAIN ${this.typedSelect(sql, schema)}`, this.options)
    return rows.map((row) => String(row.at(-1))).join('\n')
  }

  async *batches(sql: string, schema: StructType): AsyncGenerator<Batch> {
    try {
      const chunks = this.session.stream(this.typedSelect(sql, schema), this.options)
      for await (const chunk of chunks) yield new ChunkBatch(chunk, schema)
    } catch (error) {
      throw this.explain(error)
    } finally {
      await this.close()
    }
  }

  /** The statement with its columns cast to the types of a schema and called `s<ordinal>`. */
  typedSelect(sql: string, schema: StructType): string {
    const columns = schema.fields.map((_, i) => `c${i}`)
    const casts = schema.fields.map(({ type }, i) => `c${i}::${sqlType(type, LOGICAL)} AS s${i}`)
    const tables = this.inlined.length === 0 ? '' : `WITH ${this.inlined.join(', ')} `
    return `${tables}SELECT ${casts.join(', ')} FROM (\n${sql}\n) AS result(${columns.join(', ')})`
  }

  async close(): Promise<void> {
    this.session.release()
    await this.endGroups()
  }

  /** Frees what was fetched for the views. */
  async endGroups(): Promise<void> {
    for (const { end } of this.groups.splice(0)) await end()
  }

  /** What DuckDB says of a statement, as an error of the catalogue. */
  explain(error: unknown): unknown {
    const files = this.groups.flatMap(({ group }) => group.files)
    const failure = files.length === 0 || isStatementsOwn(error, files) ? error : readFailure(error, files)
    if (isDeltaError(failure)) return failure
    // the statement stands a line lower in the text DuckDB was given
    const reason = causeText(failure).replace(/^LINE (\d+):/m, (_, line: string) => `LINE ${Number(line) - 1}:`)
    return deltaError('LAKE_QUERY_FAILED', { reason }, { cause: error })
  }

  private async openView({ name, plan }: QueryView, number: number): Promise<void> {
    const { fields } = plan.layout.schema
    const ordinals = plan.columns
    const group = await this.openFiles(plan)
    const outputs = viewColumns(plan).join(', ')
    const nothing = `SELECT ${ordinals.map((i) => `NULL::${sqlType(fields[i]!.type, plan.layout)} AS c${i}`).join(', ')} WHERE false`
    const createView = (read: string) =>
      this.session.run(`CREATE OR REPLACE TEMP VIEW ${quoteIdent(name)} AS SELECT ${outputs} FROM (${read})`)
    if (group === undefined) return await createView(nothing)
    const read = (byShape: boolean) => {
      const request = { layout: plan.layout, files: group.files, ordinals, byShape, name: `v${number}` }
      return readSql(this.session, request, this.options)
    }
    const byShape = needsShapes(plan.layout, ordinals)
    if (!byShape && ordinals.every((i) => isFlat(fields[i]!.type))) {
      // a view of many files is bound when it is made, described and read; this way only when it is read
      await createView(nothing)
      this.inlined.push(`${quoteIdent(name)} AS NOT MATERIALIZED (SELECT ${outputs} FROM (${await read(false)}))`)
      return
    }
    try {
      await createView(await read(byShape))
    } catch (error) {
      if (byShape || !isShapeMismatch(error)) throw error
      await createView(await read(true))
    }
  }

  private async openFiles({ store, files, layout, columns }: QueryView['plan']): Promise<FileGroup | undefined> {
    const need = { layout, ordinals: columns }
    const iterator = localFiles(this.database, store, files, { signal: this.options.signal, grouped: false, need })
    const { value: group } = await iterator.next()
    if (group === undefined) return undefined
    this.groups.push({ group, end: () => iterator.return(undefined) })
    return group
  }
}

/** Columns of a view as a person knows them. */
function viewColumns({ layout, columns }: QueryView['plan']): readonly string[] {
  const { fields } = layout.schema
  const isHidden = (ordinal: number) => layout.hidden?.has(ordinal) === true
  const outputs = columns
    .filter((i) => !isHidden(i))
    .map((i) => `${logicalNames(`c${i}`, fields[i]!.type, layout)} AS ${quoteIdent(fields[i]!.name)}`)
  const members = columns.filter(isHidden).map((i) => `${quoteIdent(layout.hidden!.get(i)!)} := c${i}`)
  return members.length === 0 ? outputs : [...outputs, `struct_pack(${members.join(', ')}) AS _metadata`]
}

/** Whether files can hold a column in one shape only. */
function isFlat({ kind }: DataType): boolean {
  return kind !== 'struct' && kind !== 'array' && kind !== 'map' && kind !== 'variant'
}
