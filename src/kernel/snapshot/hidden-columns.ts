/**
 * Columns that no schema lists: where a row lies, and who it is.
 *
 * A layout with hidden columns has them behind the table's own, so that filters are bound to them and plans choose them
 * like any other column. Source: Delta protocol, "Row Tracking"; the reference's `_metadata` column.
 */
import { assert, deltaError } from '../../errors/index.ts'
import {
  type DataType,
  field,
  findField,
  longType,
  type StructType,
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import type { AddFile } from '../actions/actions.ts'
import type { TableLayout } from './layout.ts'

/**
 * What a hidden column gives.
 *
 * `row_index` is the 0-based place of a row in its file, deleted rows counted. `row_id` and `row_commit_version` are what
 * the file keeps for the row, else `base_row_id` + `row_index` and `default_row_commit_version`; null where the log has
 * no base. `file_index` is the place of the file in the plan's list.
 */
export type HiddenColumn =
  | 'file_path'
  | 'file_name'
  | 'file_size'
  | 'file_modification_time'
  | 'file_index'
  | 'row_index'
  | 'base_row_id'
  | 'default_row_commit_version'
  | 'row_id'
  | 'row_commit_version'

const TYPES: Readonly<Record<HiddenColumn, DataType>> = {
  file_path: stringType,
  file_name: stringType,
  file_size: longType,
  file_modification_time: timestampType,
  file_index: longType,
  row_index: longType,
  base_row_id: longType,
  default_row_commit_version: longType,
  row_id: longType,
  row_commit_version: longType,
}

const TRACKED: ReadonlySet<HiddenColumn> = new Set([
  'base_row_id',
  'default_row_commit_version',
  'row_id',
  'row_commit_version',
])

/** The members of `_metadata` that a statement may name in this table. */
export function metadataMembers(layout: TableLayout): readonly HiddenColumn[] {
  return (Object.keys(TYPES) as HiddenColumn[]).filter(
    (hidden) => hidden !== 'file_index' && (layout.rowTracking !== undefined || !TRACKED.has(hidden)),
  )
}

/**
 * The layout with hidden columns behind its own, in the order given; what it had before is kept.
 *
 * The first has the ordinal `layout.schema.fields.length`. A column is called `_metadata.` and what it gives, longer
 * where the table has a column of that name.
 *
 * @throws DeltaError `FIELD_NOT_FOUND` for an id or commit version of a row where the table does not track its rows
 */
export function withHiddenColumns(layout: TableLayout, columns: readonly HiddenColumn[]): TableLayout {
  if (columns.length === 0) return layout
  const hidden = new Map(layout.hidden)
  let { schema } = layout
  for (const column of columns) {
    if (TRACKED.has(column) && layout.rowTracking === undefined) {
      throw deltaError('FIELD_NOT_FOUND', { name: column, fields: metadataMembers(layout) })
    }
    hidden.set(schema.fields.length, column)
    schema = structType([...schema.fields, field(unusedName(schema, `_metadata.${column}`), TYPES[column])])
  }
  return { ...layout, schema, hidden }
}

function unusedName(schema: StructType, name: string): string {
  return findField(schema, name) === undefined ? name : unusedName(schema, `${name}_`)
}

/** Hidden columns that hold one value for all rows of a file. */
export type FileConstant = Exclude<HiddenColumn, 'row_index' | 'row_id' | 'row_commit_version'>

/** A file as a plan names it: its place in the list of files, and where it lies. */
export interface PlacedFile {
  readonly add: AddFile
  readonly index: number
  /** the decoded address of the object: location of its store, `/`, key */
  readonly address: string
}

/** The value of a hidden column in every row of a file. */
export function fileConstant(column: FileConstant, { add, index, address }: PlacedFile): Value {
  switch (column) {
    case 'file_path':
      return address
    case 'file_name':
      return address.slice(address.lastIndexOf('/') + 1)
    case 'file_size':
      return BigInt(add.size)
    case 'file_modification_time':
      return BigInt(add.modificationTime) * 1000n
    case 'file_index':
      return BigInt(index)
    case 'base_row_id':
      return add.baseRowId ?? null
    case 'default_row_commit_version':
      return add.defaultRowCommitVersion ?? null
  }
}

/** What a hidden column is made of: what the file keeps for a row, else a base, to which the row's place may be added. */
export interface HiddenSource {
  /** physical name of a column of type long that the file may lack; its non-null values stand as they are */
  readonly stored?: string
  /** absent: 0 */
  readonly base?: FileConstant
  /** whether the 0-based place of the row in its file is added to the base; a base that is null stays null */
  readonly addsRowIndex: boolean
}

/** @param ordinal of a hidden column of the layout */
export function hiddenSource(ordinal: number, { hidden, rowTracking }: TableLayout): HiddenSource {
  const column = hidden?.get(ordinal)
  assert(column !== undefined, `the column ${ordinal} is hidden`)
  switch (column) {
    case 'row_index':
      return { addsRowIndex: true }
    case 'row_id':
      return { stored: rowTracking!.rowId, base: 'base_row_id', addsRowIndex: true }
    case 'row_commit_version':
      return { stored: rowTracking!.rowCommitVersion, base: 'default_row_commit_version', addsRowIndex: false }
    default:
      return { base: column, addsRowIndex: false }
  }
}
