/** What a statement is carried out with. */
import type { QueryView } from '../../engine/index.ts'
import type { Expression } from '../../expressions/index.ts'
import type { Backend, CommandOptions, MergeSource } from '../../operations/index.ts'
import type { Row, StructType } from '../../schema/index.ts'
import type { Statement, StatementOf, TableTarget } from '../parser/index.ts'
import type { SqlResult } from '../result.ts'
import type { Settings } from '../settings.ts'

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

  /** Lets a name stand for an address for the rest of the session. */
  name(target: TableTarget, location: string): void

  /** Lets go of a name; false where there is none. */
  forget(target: TableTarget): boolean

  /** The names that stand for tables, in their spelling. */
  readonly names: readonly string[]

  /** The rows of a query, as the engine gives them. */
  query(text: string): Promise<SqlResult>

  /** The rows of a query that a statement writes: those of one that asks no table are the expression language's. */
  rows(text: string): Promise<SourceRows>

  /** A query as the engine takes it: its own text, and the tables in it as views. */
  readQuery(text: string): Promise<{ readonly sql: string; readonly views: readonly QueryView[] }>

  /** The same as the source of a MERGE; rows of the engine never leave it. */
  mergeSource(text: string): Promise<MergeSource>
}

export interface SourceRows {
  readonly schema: StructType
  readonly pages: AsyncIterable<readonly Row[]>
}

export type Execute<K extends Statement['kind']> = (
  statement: StatementOf<K>,
  context: StatementContext,
) => Promise<SqlResult>
