/**
 * Queries over tables: a SELECT is DuckDB's, over the tables' rows at the versions its text names. Each table of a query
 * is read at one version for all of it.
 */

import {
  type Engine,
  type EngineOptions,
  type QueryNeeds,
  type QuerySource,
  type QueryView,
  rowPages,
} from '../engine/index.ts'
import { deltaError, isDeltaError } from '../errors/index.ts'
import { type BoundExpression, bindPredicate, childrenOf, syntaxError } from '../expressions/index.ts'
import {
  metadataMembers,
  planChanges,
  planScan,
  type ScanFile,
  type Snapshot,
  versionAtTimestamp,
  withHiddenColumns,
} from '../kernel/index.ts'
import type { TableRead } from '../operations/index.ts'
import { findField, foldCase, type Row, type StructType, structType, voidType } from '../schema/index.ts'
import type { OpenTables } from '../table/index.ts'
import type { QueryText } from './parser/index.ts'
import type { QueryRows, SqlResult } from './result.ts'
import type { ChangesRef } from './table-changes.ts'
import { hideFromStars, rewriteTables, type TableRef } from './table-refs.ts'
import { tokenize } from './tokens.ts'

export interface QueriesOptions {
  readonly engine: Engine
  readonly openTables: OpenTables
  /** where the table of a name lies; undefined where the name stands for none */
  readonly locate: (name: string) => string | undefined
}

/** A statement in the engine's own dialect, and the tables it names. */
export interface SqlQuery {
  readonly sql: string
  readonly views: readonly QueryView[]
  /** the tables that were read as they are now, not as they were */
  readonly reads: readonly TableRead[]
}

export class Queries {
  private readonly engine: Engine
  private readonly locateName: QueriesOptions['locate']
  private readonly open: OpenTables

  constructor({ engine, openTables, locate }: QueriesOptions) {
    this.engine = engine
    this.open = openTables
    this.locateName = locate
  }

  /**
   * Runs one query.
   *
   * @throws DeltaError `PARSE_SYNTAX_ERROR`, `LAKE_ENGINE_HAS_NO_SQL`, `LAKE_QUERY_FAILED`, what `loadSnapshot` and
   * `Engine.scan` throw
   */
  async run(sql: string, options: EngineOptions = {}): Promise<SqlResult> {
    const query = await this.plan(sql, options)
    return await this.engine.query!(query.sql, query.views, options)
  }

  /**
   * A query whose rows go into a table: a column that is the word NULL has no type of its own.
   *
   * @throws DeltaError as `run`
   */
  async source(sql: string, options: EngineOptions = {}): Promise<QueryRows> {
    const { sql: rewritten } = rewriteTables(sql, (name) => this.locateName(name) !== undefined)
    const nulls = (await this.engine.queryNeeds?.(rewritten, options))?.untypedNulls
    const { reads, ...query } = await this.plan(sql, options)
    const described = await this.engine.describeQuery!(query.sql, query.views, options)
    const fields = described.fields.map((column, i) => (nulls?.has(i) ? { ...column, type: voidType } : column))
    return { source: { kind: 'query', ...query, schema: structType(fields) }, reads }
  }

  /** The rows of such a query as values, page by page. */
  async *pages({ sql, views }: QuerySource, options: EngineOptions = {}): AsyncGenerator<readonly Row[]> {
    const { batches } = await this.engine.query!(sql, views, options)
    yield* rowPages(batches)
  }

  /**
   * How the engine would run a query, as a text: a line for each table with the files it opens, then the engine's plan.
   *
   * @throws DeltaError as `run`
   */
  async explain(sql: string, options: EngineOptions = {}): Promise<string> {
    const opened: string[] = []
    const query = await this.plan(sql, options, (line) => opened.push(line))
    const explain = this.engine.explainQuery?.(query.sql, query.views, options)
    if (explain === undefined) throw deltaError('LAKE_ENGINE_HAS_NO_SQL', { engine: this.engine.name })
    return [...opened, await explain].join('\n')
  }

  /**
   * The query as the engine runs it, each table at the version it has now.
   *
   * @param onTable told of each table which of its files the query opens; counting all of them has its price
   * @throws DeltaError as `run`
   */
  async plan(sql: string, options: EngineOptions = {}, onTable?: (opened: string) => void): Promise<SqlQuery> {
    if (this.engine.query === undefined) throw deltaError('LAKE_ENGINE_HAS_NO_SQL', { engine: this.engine.name })
    const { sql: rewritten, refs, changes } = rewriteTables(sql, (name) => this.locateName(name) !== undefined)
    const needsMetadata = tokenize(sql).some(({ text }) => foldCase(text) === '_metadata')
    const needs = await this.needsOf(rewritten, refs, options)
    const views = new Map<string, QueryView>()
    const reads: TableRead[] = []
    for (const ref of refs) {
      const name = foldCase(ref.view)
      const wish = {
        ...options,
        needsMetadata,
        predicate: needs.predicates.get(name),
        named: needs.columns,
        onTable,
        reads,
      }
      if (!views.has(name)) views.set(name, await this.openView(ref, wish))
    }
    const all = [...views.values()]
    for (const ref of changes) all.push(...(await this.openChanges(ref, options)))
    const hides = needsMetadata && all.some(({ plan }) => plan.layout.hidden !== undefined)
    return { sql: hides ? hideFromStars(rewritten, '_metadata') : rewritten, views: all, reads }
  }

  /**
   * Reads a query without running it.
   *
   * @throws DeltaError `PARSE_SYNTAX_ERROR` where the engine's dialect has no such query
   */
  async check({ text, start }: QueryText, statement: string): Promise<void> {
    const { sql } = rewriteTables(text, (name) => this.locateName(name) !== undefined)
    const problem = (await this.engine.queryNeeds?.(sql))?.syntaxError
    if (problem === undefined) return
    // tables under other names may have moved the place
    const offset = Math.min(start + problem.offset, start + text.length)
    throw syntaxError(statement, offset, `a query of ${this.engine.name} (${problem.reason})`)
  }

  /** What a statement needs of its tables, predicates by the folded names of their views. */
  private async needsOf(sql: string, refs: readonly TableRef[], options: EngineOptions): Promise<QueryNeeds> {
    const needs = refs.length === 0 ? undefined : await this.engine.queryNeeds?.(sql, options)
    if (needs === undefined) return { predicates: new Map() }
    const predicates = new Map([...needs.predicates].map(([name, predicate]) => [foldCase(name), predicate]))
    // a name in two spellings stands for one view
    return predicates.size === needs.predicates.size ? { ...needs, predicates } : { ...needs, predicates: new Map() }
  }

  private async openChanges({ from, to, views, ...ref }: ChangesRef, { signal }: EngineOptions): Promise<QueryView[]> {
    const { store } = await this.open.open(this.locate(ref))
    const range = to === undefined ? { from } : { from, to }
    const plan = await planChanges(store, this.engine, range, signal === undefined ? {} : { signal })
    const files = { recorded: [] as ScanFile[], inferred: [] as ScanFile[] }
    for await (const scan of plan.scans()) files[scan.origin].push(...scan.files)
    const columns = plan.schema.fields.map((_, i) => i)
    return (['recorded', 'inferred'] as const).map((origin) => {
      return { name: views[origin], plan: { store, layout: plan.layouts[origin], files: files[origin], columns } }
    })
  }

  private locate({ table, byPath }: Pick<TableRef, 'table' | 'byPath'>): string {
    const location = byPath ? table : this.locateName(table)
    if (location === '') throw deltaError('UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY', {})
    if (location !== undefined) return location
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: table, reason: 'no table of this session has the name' })
  }

  private async openView(ref: TableRef, wish: ViewOptions): Promise<QueryView> {
    const { store, snapshots } = await this.open.open(this.locate(ref))
    const call = wish.signal === undefined ? {} : { signal: wish.signal }
    const version =
      ref.timestampMs === undefined ? ref.version : await versionAtTimestamp(store, this.engine, ref.timestampMs, call)
    const at = version === undefined ? undefined : { version }
    return await snapshots.withSnapshot(
      at,
      async (snapshot) => {
        const view = await viewOf(snapshot, ref.view, wish)
        if (version === undefined) wish.reads.push({ location: store.location, version: snapshot.version })
        wish.onTable?.(await openedLine(snapshot, ref.table, view.plan.files))
        return view
      },
      call,
    )
  }
}

interface ViewOptions {
  readonly signal?: AbortSignal | undefined
  /** whether the statement names `_metadata` */
  readonly needsMetadata: boolean
  /** what the statement asks of every row of the table */
  readonly predicate: string | undefined
  /** folded names, among them those of the columns it needs; undefined: all columns */
  readonly named: ReadonlySet<string> | undefined
  readonly onTable: ((opened: string) => void) | undefined
  /** takes the tables that are read as they are now */
  readonly reads: TableRead[]
}

async function openedLine(snapshot: Snapshot, table: string, files: readonly ScanFile[]): Promise<string> {
  const { numFiles } = await snapshot.files.totals()
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return `table ${table}, version ${snapshot.version}: files_opened ${files.length} of ${numFiles} (${bytes} bytes)`
}

async function viewOf(
  snapshot: Snapshot,
  name: string,
  { signal, needsMetadata, predicate, named }: ViewOptions,
): Promise<QueryView> {
  const { store, schema } = snapshot
  const bound = predicate === undefined ? undefined : bindOfStatement(predicate, schema)
  const files = await planScan(snapshot, bound, signal === undefined ? {} : { signal })
  const hasOwn = findField(snapshot.layout.schema, '_metadata') !== undefined
  const layout =
    needsMetadata && !hasOwn ? withHiddenColumns(snapshot.layout, metadataMembers(snapshot.layout)) : snapshot.layout
  const all = layout.schema.fields.map((_, i) => i)
  const needed = all.filter((i) => {
    return named?.has(foldCase(layout.schema.fields[i]!.name)) !== false || layout.hidden?.has(i) === true
  })
  // rows alone are counted by any column
  return { name, plan: { store, layout, files, columns: needed.length > 0 ? needed : all.slice(0, 1) } }
}

/** A predicate of the engine's dialect in ours; undefined where it might mean something else here. */
function bindOfStatement(predicate: string, schema: StructType): BoundExpression | undefined {
  try {
    const bound = bindPredicate(predicate, schema)
    return mayDiffer(bound) ? undefined : bound
  } catch (error) {
    // the engine says what is wrong with it
    if (isDeltaError(error)) return undefined
    throw error
  }
}

/** DuckDB compares floats as floats and long decimals as doubles; Spark, whose rules are ours, does not. */
function mayDiffer(expression: BoundExpression): boolean {
  const { type } = expression
  if (type.kind === 'float' || (type.kind === 'decimal' && type.precision > MAX_EXACT_DIGITS)) return true
  return childrenOf(expression).some(mayDiffer)
}

const MAX_EXACT_DIGITS = 18
