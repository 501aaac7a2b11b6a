/**
 * SQL over tables: a SELECT is DuckDB's, over the tables' rows at the versions its text names.
 *
 * Each table of a statement is read at one version for all of it. Statements that are not built are refused by name.
 */

import type { Batch, Engine, EngineOptions, QueryView } from '../engine/index.ts'
import { deltaError } from '../errors/index.ts'
import {
  type AddFile,
  loadSnapshot,
  metadataMembers,
  planChanges,
  type ScanFile,
  type Snapshot,
  versionAtTimestamp,
  withHiddenColumns,
} from '../kernel/index.ts'
import { findField, foldCase, type StructType } from '../schema/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import type { ChangesRef } from './table-changes.ts'
import { rewriteTables, type TableRef } from './table-refs.ts'
import { tokenize } from './tokens.ts'

export interface SqlSessionOptions {
  readonly engine: Engine
  readonly openStore: (location: string) => Promise<ObjectStore>
  /** names that stand for tables → their locations */
  readonly tables: ReadonlyMap<string, string>
}

export interface SqlResult {
  readonly schema: StructType
  /** read once */
  readonly batches: AsyncIterable<Batch>
}

/** Words a statement that only reads begins with. */
const QUERY_WORDS = new Set(['select', 'with', 'from', 'values', 'table', 'summarize', 'describe', 'pivot', 'unpivot'])

export class SqlSession {
  private readonly engine: Engine
  private readonly openStore: SqlSessionOptions['openStore']
  private readonly tables: ReadonlyMap<string, string>

  constructor({ engine, openStore, tables }: SqlSessionOptions) {
    this.engine = engine
    this.openStore = openStore
    this.tables = new Map([...tables].map(([name, location]) => [foldCase(name), location]))
  }

  /** names that stand for tables, folded */
  get tableNames(): readonly string[] {
    return [...this.tables.keys()]
  }

  /**
   * Runs one statement.
   *
   * @throws DeltaError `PARSE_SYNTAX_ERROR`, `LAKE_STATEMENT_UNSUPPORTED`, `LAKE_QUERY_FAILED`, what `loadSnapshot` and
   * `Engine.scan` throw
   */
  async run(sql: string, options: EngineOptions = {}): Promise<SqlResult> {
    refuseOtherStatements(sql)
    if (this.engine.query === undefined) throw deltaError('LAKE_ENGINE_HAS_NO_SQL', { engine: this.engine.name })
    const { sql: rewritten, refs, changes } = rewriteTables(sql, (name) => this.tables.has(foldCase(name)))
    const needsMetadata = tokenize(sql).some(({ text }) => foldCase(text) === '_metadata')
    const views = new Map<string, QueryView>()
    for (const ref of refs) {
      if (!views.has(foldCase(ref.view)))
        views.set(foldCase(ref.view), await this.openView(ref, { ...options, needsMetadata }))
    }
    const all = [...views.values()]
    for (const ref of changes) all.push(...(await this.openChanges(ref, options)))
    return await this.engine.query(rewritten, all, options)
  }

  private async openChanges({ from, to, views, ...ref }: ChangesRef, { signal }: EngineOptions): Promise<QueryView[]> {
    const store = await this.openStore(this.locate(ref))
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
    const location = byPath ? table : this.tables.get(foldCase(table))
    if (location !== undefined) return location
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: table, reason: 'no table of this session has the name' })
  }

  private async openView(ref: TableRef, { signal, needsMetadata }: ViewOptions): Promise<QueryView> {
    const store = await this.openStore(this.locate(ref))
    const call = signal === undefined ? {} : { signal }
    const version =
      ref.timestampMs === undefined ? ref.version : await versionAtTimestamp(store, this.engine, ref.timestampMs, call)
    const snapshot = await loadSnapshot(store, this.engine, { ...call, ...(version !== undefined && { version }) })
    try {
      return await viewOf(snapshot, ref.view, { signal, needsMetadata })
    } finally {
      await snapshot.close()
    }
  }
}

function refuseOtherStatements(sql: string): void {
  const words = tokenize(sql).filter(({ text }) => text !== '(')
  const [first = '', second = ''] = words.map(({ text }) => text.toLowerCase())
  const isDescribe = ['describe', 'desc'].includes(first) && ['history', 'detail'].includes(second) && words.length > 2
  if (QUERY_WORDS.has(first) && !isDescribe) return
  const statement = isDescribe ? `DESCRIBE ${second}` : first
  throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: statement.toUpperCase() })
}

interface ViewOptions {
  readonly signal?: AbortSignal | undefined
  /** whether the statement names `_metadata` */
  readonly needsMetadata: boolean
}

async function viewOf(
  { store, files, ...snapshot }: Pick<Snapshot, 'store' | 'files' | 'layout'>,
  name: string,
  { signal, needsMetadata }: ViewOptions,
): Promise<QueryView> {
  const live: AddFile[] = []
  for await (const page of files.select(undefined, signal === undefined ? {} : { signal })) live.push(...page)
  const hasOwn = findField(snapshot.layout.schema, '_metadata') !== undefined
  const layout =
    needsMetadata && !hasOwn ? withHiddenColumns(snapshot.layout, metadataMembers(snapshot.layout)) : snapshot.layout
  return { name, plan: { store, layout, files: live, columns: layout.schema.fields.map((_, i) => i) } }
}
