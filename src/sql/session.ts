/**
 * SQL over tables: statements of Delta and Spark, and queries in DuckDB's dialect.
 *
 * A session knows tables by name, keeps settings, and hands what a statement asks for to the same backend that methods use.
 */
import type { Engine } from '../engine/index.ts'
import { deltaError } from '../errors/index.ts'
import { bindExpression, type Expression, evaluate } from '../expressions/index.ts'
import { atTime, type Backend, type CommandOptions } from '../operations/index.ts'
import { foldCase, structType } from '../schema/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { type Clock, systemClock } from '../support/index.ts'
import { OpenTables } from '../table/index.ts'
import { planFixedQuery } from './fixed-query/index.ts'
import { type ParameterValues, withParameters } from './parameters.ts'
import { parseStatement, queriesOf, type Statement, type TableTarget } from './parser/index.ts'
import { Queries, type SqlQuery } from './queries.ts'
import { pagesResult, type QueryRows, type SqlResult } from './result.ts'
import { Settings } from './settings.ts'
import { executeStatement, type StatementContext } from './statements/index.ts'
import { ofStatement } from './statements/missing-table.ts'
import { type NamedTable, TableNames } from './table-names.ts'

type Settle = (expression: Expression) => Expression

export interface SqlSessionOptions {
  readonly engine: Engine
  /** carries out what is no query */
  readonly backend: Backend
  readonly openStore: (location: string) => Promise<ObjectStore>
  /** what is open of tables, where the backend shares it; else the session opens tables for itself */
  readonly openTables?: OpenTables
  /** names that stand for tables → their locations */
  readonly tables: ReadonlyMap<string, string>
  /** a folder that keeps names for other sessions too, and tables made without a place of their own */
  readonly namesFolder?: string
  /** what `current_timestamp()` asks; the system's when absent */
  readonly clock?: Clock
}

export interface RunOptions extends CommandOptions {
  /** by name for `:name`, in a list for `?` */
  readonly parameters?: ParameterValues
}

export class SqlSession {
  private readonly engine: Engine
  private readonly backend: Backend
  private readonly openStore: SqlSessionOptions['openStore']
  private readonly clock: Clock
  private readonly queries: Queries
  private readonly settings = new Settings()
  /** closed with the session */
  private readonly ownTables: OpenTables | undefined
  private readonly options: SqlSessionOptions
  private opening: Promise<TableNames> | undefined
  private names: TableNames

  constructor(options: SqlSessionOptions) {
    const { engine, backend, openStore, openTables, tables, clock = systemClock } = options
    this.options = options
    this.engine = engine
    this.backend = backend
    this.openStore = openStore
    this.clock = clock
    this.names = new TableNames(tables, undefined)
    this.ownTables = openTables === undefined ? new OpenTables({ openStore, engine }) : undefined
    this.queries = new Queries({
      engine,
      openTables: openTables ?? this.ownTables!,
      locate: (name) => this.names.find(name)?.location,
    })
  }

  /** names that stand for tables, as they are written; those of the folder as they were at the last statement */
  get tableNames(): readonly string[] {
    return this.names.tables.map(({ name }) => name)
  }

  /**
   * Runs one statement.
   *
   * @throws DeltaError `PARSE_SYNTAX_ERROR` and its kin, `UNBOUND_SQL_PARAMETER`, `LAKE_STATEMENT_UNSUPPORTED` for a
   * statement that is read and not built, `LAKE_QUERY_FAILED`, what the method of the same name throws
   */
  async run(sql: string, options: RunOptions = {}): Promise<SqlResult> {
    const { parameters, ...command } = options
    const statement = await this.read(sql, parameters)
    try {
      return await executeStatement(statement, this.contextFor(command))
    } catch (error) {
      throw ofStatement(error, statement, (text) => !/[/\\:]/.test(text) && this.names.find(text) === undefined)
    }
  }

  /**
   * Reads one statement without running it or looking anything up.
   *
   * @throws DeltaError `PARSE_SYNTAX_ERROR` and its kin
   */
  async check(sql: string): Promise<Statement> {
    const statement = parseStatement(sql)
    for (const query of queriesOf(statement)) await this.queries.check(query, sql)
    return statement
  }

  /**
   * A query as the engine runs it, each table at the version it has now.
   *
   * @throws DeltaError as `run`; `LAKE_USAGE` for a statement that is no query
   */
  async plan(sql: string, options: RunOptions = {}): Promise<SqlQuery> {
    const { parameters, ...command } = options
    const statement = await this.read(sql, parameters)
    if (statement.kind === 'query') return await this.queries.plan(statement.query.text, command)
    throw deltaError('LAKE_USAGE', {
      problem: `${statement.kind.toUpperCase()} gives no rows`,
      advice: 'write a query',
    })
  }

  /** Columns of the tables that have names, for whoever completes a line; tables that cannot be read are left out. */
  async columnNames(): Promise<ReadonlyMap<string, readonly string[]>> {
    const columns = new Map<string, readonly string[]>()
    for (const { name, location } of (await this.lookAtNames()).tables) {
      const described = this.backend.execute({ kind: 'describe', table: { location } })
      const schema = await described.then((table) => table.schema).catch(() => undefined)
      if (schema !== undefined)
        columns.set(
          name,
          schema.fields.map((field) => field.name),
        )
    }
    return columns
  }

  /** Gives back what the session keeps of tables; the engine is not its own. */
  async close(): Promise<void> {
    await this.ownTables?.close()
  }

  private async read(sql: string, parameters: ParameterValues | undefined): Promise<Statement> {
    const statement = parseStatement(sql)
    await this.lookAtNames()
    return parameters === undefined ? statement : withParameters(statement, sql, parameters)
  }

  private async lookAtNames(): Promise<TableNames> {
    const { namesFolder, tables } = this.options
    if (namesFolder === undefined) return this.names
    this.opening ??= this.openStore(namesFolder).then((store) => {
      this.names = new TableNames(tables, { location: namesFolder, store })
      return this.names
    })
    const names = await this.opening
    await names.look()
    return names
  }

  private contextFor(options: CommandOptions): StatementContext {
    const nowMs = this.clock.now()
    const settle: Settle = (expression) => atTime(expression, nowMs)
    return {
      backend: this.backend,
      settings: this.settings,
      options,
      atTime: settle,
      names: this.tableNames,
      tables: this.names,
      locate: (target) => this.locate(partsOf(target)),
      managedLocation: (target) => this.managedLocation(partsOf(target)),
      name: (target, location, managed = false) => this.register(partsOf(target), location, managed),
      forget: (target) => this.forget(partsOf(target)),
      openStore: this.openStore,
      query: (text) => this.query(text, settle, options),
      explain: (text) => this.queries.explain(text, options),
      rows: (text) => this.rows(text, settle, options),
      pages: (source) => (source.kind === 'rows' ? source.rows : this.queries.pages(source, options)),
      readQuery: (text) => this.queries.plan(text, options),
      mergeSource: async (text) => {
        const fixed = planFixedQuery(text, { settle })
        if (fixed === undefined) return { kind: 'query', ...(await this.queries.plan(text, options)) }
        const { schema } = fixed
        return { kind: 'rows', schema, source: { kind: 'rows', schema, rows: fixed.pages() } }
      },
    }
  }

  /** An engine without SQL answers what needs no table. */
  private async query(text: string, settle: Settle, options: CommandOptions): Promise<SqlResult> {
    const fixed = this.engine.query === undefined ? planFixedQuery(text, { settle }) : undefined
    return fixed === undefined ? await this.queries.run(text, options) : pagesResult(fixed.schema, fixed.pages())
  }

  private async rows(text: string, settle: Settle, options: CommandOptions): Promise<QueryRows> {
    const fixed = planFixedQuery(text, { settle })
    if (fixed === undefined) return await this.queries.source(text, options)
    return { source: { kind: 'rows', schema: fixed.schema, rows: fixed.pages() } }
  }

  private locate(parts: readonly string[]): string {
    const path = pathOf(parts)
    if (path !== undefined) return path
    const name = parts.join('.')
    const table = this.names.find(name)
    if (table !== undefined) return table.location
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: name, reason: 'no table of this session has the name' })
  }

  private managedLocation(parts: readonly string[]): string | undefined {
    return this.names.keeps && pathOf(parts) === undefined ? this.names.managedLocation(parts.join('.')) : undefined
  }

  private async register(parts: readonly string[], location: string, managed: boolean): Promise<void> {
    if (pathOf(parts) === undefined) await this.names.add({ name: parts.join('.'), location, managed })
  }

  private async forget(parts: readonly string[]): Promise<NamedTable | undefined> {
    return pathOf(parts) === undefined ? await this.names.remove(parts.join('.')) : undefined
  }
}

/** The path in ``delta.`path` `` and in a text that stands for a table. */
function pathOf(parts: readonly string[]): string | undefined {
  if (parts.length !== 2) return undefined
  const [format, path] = parts
  if (foldCase(format!) === 'delta') {
    if (path === '') throw deltaError('UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY', {})
    return path
  }
  if (!FILE_FORMATS.has(foldCase(format!))) return undefined
  throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: `a table of the format ${format}` })
}

const FILE_FORMATS = new Set(['parquet', 'iceberg', 'csv', 'json', 'orc'])

/** The parts of a name, which may have to be worked out. */
function partsOf(target: TableTarget): readonly string[] {
  if ('parts' in target) return target.isPath ? ['delta', target.parts[0]!] : target.parts
  const name = evaluate(bindExpression(target.computed, structType([])), [])
  if (typeof name !== 'string') {
    throw deltaError('LAKE_USAGE', { problem: 'IDENTIFIER gives no text', advice: 'give it the name of a table' })
  }
  return name.split('.')
}
