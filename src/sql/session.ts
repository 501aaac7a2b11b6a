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
import { rowPages } from '../table/index.ts'
import { planFixedQuery } from './fixed-query/index.ts'
import { parseStatement, queriesOf, type Statement, type TableTarget } from './parser/index.ts'
import { Queries, type SqlQuery } from './queries.ts'
import { pagesResult, type SqlResult } from './result.ts'
import { Settings } from './settings.ts'
import { executeStatement, type SourceRows, type StatementContext } from './statements/index.ts'

type Settle = (expression: Expression) => Expression

export interface SqlSessionOptions {
  readonly engine: Engine
  /** carries out what is no query */
  readonly backend: Backend
  readonly openStore: (location: string) => Promise<ObjectStore>
  /** names that stand for tables → their locations */
  readonly tables: ReadonlyMap<string, string>
  /** what `current_timestamp()` asks; the system's when absent */
  readonly clock?: Clock
}

export class SqlSession {
  private readonly engine: Engine
  private readonly backend: Backend
  private readonly clock: Clock
  private readonly queries: Queries
  private readonly settings = new Settings()
  /** by folded name */
  private readonly locations = new Map<string, string>()
  /** names as they are written, by folded name */
  private readonly spellings = new Map<string, string>()

  constructor({ engine, backend, openStore, tables, clock = systemClock }: SqlSessionOptions) {
    this.engine = engine
    this.backend = backend
    this.clock = clock
    for (const [name, location] of tables) this.setName(name, location)
    this.queries = new Queries({ engine, openStore, tables: this.locations })
  }

  /** names that stand for tables, as they are written */
  get tableNames(): readonly string[] {
    return [...this.spellings.values()]
  }

  /**
   * Runs one statement.
   *
   * @throws DeltaError `PARSE_SYNTAX_ERROR` and its kin, `LAKE_STATEMENT_UNSUPPORTED` for a statement that is read and not
   * built, `LAKE_QUERY_FAILED`, what the method of the same name throws
   */
  async run(sql: string, options: CommandOptions = {}): Promise<SqlResult> {
    return await executeStatement(parseStatement(sql), this.contextFor(options))
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
  async plan(sql: string, options: CommandOptions = {}): Promise<SqlQuery> {
    const statement = parseStatement(sql)
    if (statement.kind === 'query') return await this.queries.plan(statement.query.text, options)
    throw deltaError('LAKE_USAGE', {
      problem: `${statement.kind.toUpperCase()} gives no rows`,
      advice: 'write a query',
    })
  }

  /** Gives back what the session keeps of tables; the engine is not its own. */
  async close(): Promise<void> {
    await this.queries.close()
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
      locate: (target) => this.locate(partsOf(target)),
      name: (target, location) => this.register(partsOf(target), location),
      forget: (target) => this.forget(partsOf(target)),
      query: (text) => this.query(text, settle, options),
      readQuery: (text) => this.queries.plan(text, options),
      rows: (text) => this.rows(text, settle, options),
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

  private async rows(text: string, settle: Settle, options: CommandOptions): Promise<SourceRows> {
    const fixed = planFixedQuery(text, { settle })
    if (fixed !== undefined) return { schema: fixed.schema, pages: fixed.pages() }
    const { schema, batches } = await this.queries.run(text, options)
    return { schema, pages: rowPages(batches) }
  }

  private locate(parts: readonly string[]): string {
    const path = pathOf(parts)
    if (path !== undefined) return path
    const name = parts.join('.')
    const location = this.locations.get(foldCase(name))
    if (location !== undefined) return location
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: name, reason: 'no table of this session has the name' })
  }

  private register(parts: readonly string[], location: string): void {
    if (pathOf(parts) === undefined) this.setName(parts.join('.'), location)
  }

  private setName(name: string, location: string): void {
    this.locations.set(foldCase(name), location)
    this.spellings.set(foldCase(name), name)
  }

  private forget(parts: readonly string[]): boolean {
    const name = foldCase(parts.join('.'))
    this.spellings.delete(name)
    return this.locations.delete(name)
  }
}

/** The path in ``delta.`path` `` and in a text that stands for a table. */
function pathOf(parts: readonly string[]): string | undefined {
  if (parts.length !== 2) return undefined
  const [format, path] = parts
  if (foldCase(format!) === 'delta') return path
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
