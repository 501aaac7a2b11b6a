/** What a statement is carried out with. */
import type { QueryView } from '../../engine/index.ts'
import type { Expression } from '../../expressions/index.ts'
import type { Backend, CommandOptions, MergeSource } from '../../operations/index.ts'
import type { Row } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Statement, StatementOf, TableTarget } from '../parser/index.ts'
import type { QueryRows, SqlResult } from '../result.ts'
import type { Settings } from '../settings.ts'
import type { NamedTable, TableNames } from '../table-names.ts'

export interface StatementContext {
  readonly backend: Backend
  readonly settings: Settings
  readonly options: CommandOptions

  /** An expression with the values of parameters and of the clock put in: one time for the whole statement. */
  atTime(expression: Expression): Expression

  /**
   * The address of a table.
   *
   * @throws DeltaError `DELTA_TABLE_NOT_FOUND` for a name the session does not know, `LAKE_STATEMENT_UNSUPPORTED` for a
   * format other than Delta
   */
  locate(target: TableTarget): string

  /** Where a table lies that names no place: in the folder of names; undefined where there is none, or for a path. */
  managedLocation(target: TableTarget): string | undefined

  /**
   * Lets a name stand for an address: for the session, or for all that use its folder of names.
   *
   * @param managed whether the files go with the name
   */
  name(target: TableTarget, location: string, managed?: boolean): Promise<void>

  /** Lets go of a name; undefined where it stood for nothing. */
  forget(target: TableTarget): Promise<NamedTable | undefined>

  /** what the names stand for */
  readonly tables: Pick<TableNames, 'find' | 'tables'>

  /** The files of an address. */
  openStore(location: string): Promise<ObjectStore>

  /** The names that stand for tables, in their spelling. */
  readonly names: readonly string[]

  /** The rows of a query, as the engine gives them. */
  query(text: string): Promise<SqlResult>

  /** How the engine would run a query, as a text. */
  explain(text: string): Promise<string>

  /** The rows of a query that a statement writes: those of one that asks no table are the expression language's. */
  rows(text: string): Promise<QueryRows>

  /** The same rows as values, page by page. */
  pages(source: QueryRows['source']): AsyncIterable<readonly Row[]>

  /** A query as the engine takes it: its own text, and the tables in it as views. */
  readQuery(text: string): Promise<{ readonly sql: string; readonly views: readonly QueryView[] }>

  /** The same as the source of a MERGE; rows of the engine never leave it. */
  mergeSource(text: string): Promise<MergeSource>
}

export type Execute<K extends Statement['kind']> = (
  statement: StatementOf<K>,
  context: StatementContext,
) => Promise<SqlResult>
