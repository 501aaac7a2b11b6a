/** Commands that change rows: DELETE, UPDATE, MERGE. */
import type { QueryView } from '../engine/index.ts'
import type { ExpressionInput, ReadPoint, TableRef, WriteSource, WriteTransaction } from './command-parts.ts'
import type { ChangeMetrics } from './dml/change-metrics.ts'
import type { MergeMetrics } from './dml/merge/merge-metrics.ts'

/** How a change of rows is committed. */
export interface ChangeSettings {
  readonly userMetadata?: string
  /**
   * true: others may meanwhile change rows that this change provably does not touch, also in the same files; false when
   * absent, as in the reference
   */
  readonly rowLevelConcurrency?: boolean
  /** makes the change at most once for an application and version */
  readonly transaction?: WriteTransaction
}

/** Rows for which a condition is TRUE leave the table. */
export interface DeleteCommand extends ChangeSettings {
  readonly kind: 'delete'
  readonly table: TableRef
  /** absent: every row goes */
  readonly where?: ExpressionInput
  /** true, without `where`: the commit is a TRUNCATE in the history */
  readonly truncates?: boolean
}

/** A column, or a member of a struct, and what it gets. */
export interface ColumnValue {
  /** names from the top level down, in any case */
  readonly column: readonly string[]
  /** over the columns of the old row; DEFAULT stands for the column's default */
  readonly value: ExpressionInput
}

/** Columns of the rows for which a condition is TRUE get new values. */
export interface UpdateCommand extends ChangeSettings {
  readonly kind: 'update'
  readonly table: TableRef
  /** at least one */
  readonly set: readonly ColumnValue[]
  /** absent: every row changes */
  readonly where?: ExpressionInput
}

/** What DELETE and UPDATE did. */
export interface ChangeResult {
  /** the version made; null where no row was touched */
  readonly version: number | null
  readonly numAffectedRows: number
  /** as `operationMetrics` of the commit has them */
  readonly metrics: ChangeMetrics
  /** why nothing was done, where it was not for want of rows */
  readonly skipped?: 'transaction already committed'
}

/** What a MERGE joins its table with. */
export type MergeSource =
  | WriteSource
  | {
      /** the rows of a table */
      readonly kind: 'table'
      readonly table: TableRef
      readonly at?: ReadPoint
      readonly where?: ExpressionInput
      readonly select?: readonly string[]
    }
  | {
      /** a SELECT in the engine's own dialect, where it has one */
      readonly kind: 'query'
      readonly sql: string
      readonly views: readonly QueryView[]
    }

/**
 * One WHEN of a MERGE.
 *
 * `set` is `*` for every column under its name; else column and value, `DEFAULT` being a value. A clause `notMatched`
 * inserts, the others update or delete.
 */
export type MergeClause = { readonly condition?: ExpressionInput } & (
  | { readonly when: 'matched' | 'notMatchedBySource'; readonly action: 'delete' }
  | { readonly when: 'matched'; readonly action: 'update'; readonly set: '*' | readonly ColumnValue[] }
  | { readonly when: 'notMatchedBySource'; readonly action: 'update'; readonly set: readonly ColumnValue[] }
  | { readonly when: 'notMatched'; readonly action: 'insert'; readonly set: '*' | readonly ColumnValue[] }
)

export interface MergeCommand extends ChangeSettings {
  readonly kind: 'merge'
  readonly table: TableRef
  /** the name of the table in conditions and values */
  readonly alias?: string
  readonly source: MergeSource
  /** the name of the source in conditions and values */
  readonly sourceAlias?: string
  /** a row of the table and one of the source match where it is TRUE */
  readonly on: ExpressionInput
  /** in order: for each row the first that applies is carried out */
  readonly clauses: readonly MergeClause[]
  /** true: columns of the source that clauses speak of and the table lacks are added to it */
  readonly withSchemaEvolution?: boolean
}

export interface MergeResult {
  /** the version made; null where nothing was to be changed */
  readonly version: number | null
  readonly numAffectedRows: number
  readonly numUpdatedRows: number
  readonly numDeletedRows: number
  readonly numInsertedRows: number
  /** as `operationMetrics` of the commit has them */
  readonly metrics: MergeMetrics
  /** why nothing was done, where it was not for want of rows */
  readonly skipped?: 'transaction already committed'
}
