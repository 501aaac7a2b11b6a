/**
 * Changes of what a table is, as data: what ALTER TABLE statements and methods both give.
 *
 * One action makes at most one version. Columns are named by their paths: the names of struct fields, `element` for
 * what an array holds, `key` and `value` for a map's. Names are found as SQL finds them, regardless of case.
 */
import type { DataType } from '../../schema/index.ts'
import type { JsonObject } from '../../support/index.ts'

/** `['address', 'city']`, `['tags', 'element', 'name']` */
export type ColumnPath = readonly string[]

/** Where a column goes among its neighbours: first, or behind one of them. */
export type ColumnPosition = 'first' | { readonly after: string }

/** A column to be added. */
export interface NewColumn {
  /** its own name last */
  readonly path: ColumnPath
  readonly type: DataType
  /** true when absent */
  readonly nullable?: boolean
  readonly comment?: string
  /** SQL text; a table that exists refuses it here, since the rows it has would get none */
  readonly default?: string
  /** at the end when absent */
  readonly position?: ColumnPosition
  /** field metadata that goes with the type, such as the length of a VARCHAR */
  readonly metadata?: JsonObject
}

/** What is to change about a column; what is left out stays. */
export interface ColumnChange {
  readonly column: ColumnPath
  readonly type?: DataType
  /** field metadata that goes with the new type, such as the length of a VARCHAR */
  readonly typeMetadata?: JsonObject
  /** true drops NOT NULL; false is refused for a column that takes null */
  readonly nullable?: boolean
  readonly comment?: string
  readonly position?: ColumnPosition
  /** SQL text of the default; null takes it away */
  readonly default?: string | null
}

export type AlterAction =
  | { readonly kind: 'add columns'; readonly columns: readonly NewColumn[] }
  | { readonly kind: 'drop columns'; readonly columns: readonly ColumnPath[]; readonly ifExists?: boolean }
  | { readonly kind: 'rename column'; readonly column: ColumnPath; readonly to: string }
  /** one change is recorded as CHANGE COLUMN, several as CHANGE COLUMNS */
  | { readonly kind: 'change columns'; readonly changes: readonly ColumnChange[] }
  | { readonly kind: 'replace columns'; readonly columns: readonly NewColumn[] }
  | { readonly kind: 'set properties'; readonly properties: ReadonlyMap<string, string> }
  /** keys that are not set pass */
  | { readonly kind: 'unset properties'; readonly keys: readonly string[] }
  | { readonly kind: 'add constraint'; readonly name: string; readonly expression: string }
  | { readonly kind: 'drop constraint'; readonly name: string; readonly ifExists?: boolean }
  /** no columns: CLUSTER BY NONE */
  | { readonly kind: 'cluster by'; readonly columns: readonly ColumnPath[] }
  | { readonly kind: 'add feature'; readonly feature: string }
  | { readonly kind: 'upgrade protocol'; readonly minReaderVersion: number; readonly minWriterVersion: number }
  /** sets the high-water mark of an identity column to what its rows hold */
  | { readonly kind: 'sync identity'; readonly column: ColumnPath }
  /** the table's description; null takes it away */
  | { readonly kind: 'set comment'; readonly comment: string | null }
