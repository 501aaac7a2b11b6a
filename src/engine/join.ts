/**
 * The rows of a source joined with those of a table: what an engine does for a MERGE.
 *
 * A source is taken in once. A join finds, for each row of the table and of the source, the action that applies to it,
 * and remembers that; then rows are drawn from it as often as files are to be written. Which action applies, and what a
 * drawn row looks like, is said by expressions over a joint row: the columns of the table, those of the source behind
 * them. No engine knows what an action means.
 */
import type { BoundExpression } from '../expressions/index.ts'
import type { RowSet, ScanFile, TableLayout } from '../kernel/index.ts'
import type { StructType, Value } from '../schema/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import type { EngineOptions, QueryView, RowSource, ScanPlan, WritePlan, WriteResult } from './engine.ts'

/** Rows that can be joined with a table; `query` where the engine has SQL. */
export type JoinSource =
  | Extract<RowSource, { kind: 'rows' }>
  | { readonly kind: 'scan'; readonly plan: ScanPlan }
  | { readonly kind: 'query'; readonly sql: string; readonly views: readonly QueryView[] }

/** Rows that lie in an engine, in memory or spilled, until they are closed. */
export interface StagedRows {
  readonly schema: StructType
  readonly numRows: number

  /**
   * What values expressions have over the rows.
   *
   * @param keys bound to `schema`, of types that have an order and are not nested
   * @param where only rows for which it is TRUE count
   * @returns one for each key; undefined where the engine cannot tell
   */
  summarize(
    keys: readonly BoundExpression[],
    where: BoundExpression | undefined,
    options?: EngineOptions,
  ): Promise<readonly (KeySummary | undefined)[]>

  /**
   * Finds the action of each row. One join of a source at a time.
   *
   * @throws DeltaError the codes of `Engine.scan` and of the expressions
   */
  join(plan: JoinPlan, options?: EngineOptions): Promise<JoinedRows>

  /** Frees the rows, and the join of them. */
  close(): Promise<void>
}

export interface KeySummary {
  readonly hasNull: boolean
  /** null where no value is anything else */
  readonly min: Value
  readonly max: Value
  /** the values but null, each once, ascending; absent where they are more than `MAX_LISTED_KEYS` */
  readonly values?: readonly Exclude<Value, null>[]
}

export const MAX_LISTED_KEYS = 1000

/** Something that happens to a row. */
export interface JoinAction {
  /** tells it from the others of the plan */
  readonly id: number
  /** bound to the joint row; it applies where this is TRUE, always when absent */
  readonly condition?: BoundExpression
}

export interface JoinPlan {
  readonly store: ObjectStore
  readonly layout: TableLayout
  /** the files that may have rows that match or on which an action applies; each once */
  readonly files: readonly ScanFile[]
  /** of the type boolean, bound to the joint row: a row of the table and one of the source match where it is TRUE */
  readonly condition: BoundExpression
  /** bound to the table's columns: TRUE for every row that matches any, so that others need not be looked at */
  readonly within?: BoundExpression
  /** for pairs that match; of each list the first action that applies is the one */
  readonly matched: readonly JoinAction[]
  /** for rows of the source that match nothing, the table's columns being null */
  readonly notMatched: readonly JoinAction[]
  /** for rows of the table that match nothing, the source's columns being null */
  readonly notMatchedBySource: readonly JoinAction[]
  /** top-level columns of the table that drawn rows read, by ordinal */
  readonly kept: readonly number[]
  /**
   * true: a row of the table that several rows of the source act on is acted on once; false: such rows are told of in
   * `repeated`, and nothing may be drawn where there are any
   */
  readonly keepsFirst: boolean
  /** bound to the joint row: what `repeated` shows of pairs */
  readonly shown: readonly BoundExpression[]
}

/** Rows of the table on which more than one row of the source acts. */
export interface RepeatedMatches {
  readonly count: number
  /** values of `shown` for some pairs of one of those rows */
  readonly examples: readonly (readonly Value[])[]
}

/** Rows of a file on which actions apply. */
export interface TouchedFile {
  /** the object the plan has */
  readonly file: ScanFile
  /** physical positions; at least one, none that a deletion vector hides */
  readonly rows: RowSet
}

/**
 * Rows to be drawn from a join, in the columns of the layout they are written with.
 *
 * `columns` has one expression for each of those, of its type, bound to the joint row.
 */
export type RowDraw =
  | {
      /** the rows on which an action applies, each once */
      readonly kind: 'acted'
      readonly action: number
      readonly columns: readonly BoundExpression[]
    }
  | {
      /** the rows of some of the plan's files on which none applies, the source's columns being null */
      readonly kind: 'untouched'
      readonly files: readonly ScanFile[]
      readonly columns: readonly BoundExpression[]
    }

export interface JoinedRows {
  /** number of rows by the id of the action; actions that apply to none may lack */
  readonly counts: ReadonlyMap<number, number>
  readonly repeated: RepeatedMatches | undefined
  /** in the plan's order */
  readonly touched: readonly TouchedFile[]

  /**
   * Writes rows as `Engine.write` does.
   *
   * @throws DeltaError as `Engine.write`, and the codes of the expressions
   */
  write(draws: readonly RowDraw[], plan: WritePlan, options?: EngineOptions): Promise<WriteResult>
}
