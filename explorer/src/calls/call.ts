/** A call on the table of the playground, as data: buttons, both editable spellings and links make and read it. */

export type Value = string | number | boolean | null
/** A row as a person types it, in the order of its names. */
export type RowInput = readonly (readonly [name: string, value: Value])[]

export interface Clause {
  readonly when: 'matched' | 'notMatched' | 'notMatchedBySource'
  readonly action: 'update' | 'delete' | 'insert'
  /** columns and their SQL; `*` for all under their names; nothing for a delete */
  readonly set: '*' | readonly (readonly [column: string, sql: string])[]
  /** empty: always */
  readonly condition: string
}

export type Call =
  | { readonly op: 'append'; readonly rows: readonly RowInput[]; readonly mergeSchema: boolean }
  | {
      readonly op: 'overwrite'
      readonly rows: readonly RowInput[]
      readonly overwriteSchema: boolean
      readonly replaceWhere: string
    }
  | { readonly op: 'update'; readonly set: readonly (readonly [string, string])[]; readonly where: string }
  | { readonly op: 'delete'; readonly where: string }
  | {
      readonly op: 'merge'
      readonly source: readonly RowInput[]
      readonly on: string
      readonly clauses: readonly Clause[]
      readonly schemaEvolution: boolean
    }
  | { readonly op: 'restore'; readonly version: number }
  | { readonly op: 'optimize'; readonly where: string; readonly zorderBy: readonly string[] }
  | { readonly op: 'vacuum'; readonly hours: number; readonly dryRun: boolean }
  | { readonly op: 'setProperty'; readonly key: string; readonly value: string }
  | { readonly op: 'dropFeature'; readonly feature: string; readonly truncateHistory: boolean }
  | { readonly op: 'checkpoint' }
  /** a statement that no other call spells */
  | { readonly op: 'sql'; readonly text: string }
  /** the clock of the playground goes on */
  | { readonly op: 'wait'; readonly hours: number }

export type Op = Call['op']

/** How a call is named on the page. */
export const OP_TITLES: Readonly<Record<Op, string>> = {
  append: 'Append',
  overwrite: 'Overwrite',
  update: 'Update',
  delete: 'Delete',
  merge: 'Merge',
  restore: 'Restore',
  optimize: 'Optimize',
  vacuum: 'Vacuum',
  setProperty: 'Property',
  dropFeature: 'Drop feature',
  checkpoint: 'Checkpoint',
  sql: 'SQL',
  wait: 'Wait',
}

/** The types of the table's columns, for spelling values. */
export type ColumnTypes = ReadonlyMap<string, string>
