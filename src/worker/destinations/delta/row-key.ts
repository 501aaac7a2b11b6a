/**
 * How long a file's key would be with a row's partition values spelt out in it.
 *
 * Directories of long values are shortened when they are written; the limit holds for the values all the same, so that
 * whether a row is taken does not depend on who names the directory.
 */
import type { WrittenFile } from '../../../engine/index.ts'
import {
  escapeHive,
  formatPartitionValue,
  NULL_DIRECTORY,
  physicalName,
  type TableLayout,
} from '../../../kernel/index.ts'
import { findField, type Row, type StructField } from '../../../schema/index.ts'
import { encodeUtf8 } from '../../../support/index.ts'

export const MAX_KEY_BYTES = 1024

/** Why a row is refused whose partition values make a key of that many bytes. */
export function tooLongKey(bytes: string): string {
  return `the row's partition values make a key of ${bytes} bytes; a key holds ${MAX_KEY_BYTES}`
}

/** 32 hexadecimal digits and `.parquet` */
const FILE_NAME_BYTES = 40

interface PartitionColumn {
  readonly field: StructField
  /** ordinal in the schema */
  readonly at: number
}

/** Only texts can be long: without one among the partition columns there is nothing to look at. */
function longColumns(layout: TableLayout): readonly PartitionColumn[] {
  const columns = layout.partitionColumns.map((name) => {
    const field = findField(layout.schema, name)!
    return { field, at: layout.schema.fields.indexOf(field) }
  })
  return columns.some(({ field }) => field.type.kind === 'string') ? columns : []
}

function keyBytes(columns: readonly PartitionColumn[], textOf: (column: PartitionColumn) => string | null): number {
  const directory = columns.map((column) => {
    const value = textOf(column)
    return `${escapeHive(column.field.name)}=${value === null || value === '' ? NULL_DIRECTORY : escapeHive(value)}/`
  })
  return encodeUtf8(directory.join('')).length + FILE_NAME_BYTES
}

/** @returns for a row of the table, why no file can have its partition values */
export function rowKeyCheck(layout: TableLayout, rootBytes: number): (row: Row) => string | undefined {
  const columns = longColumns(layout)
  if (columns.length === 0) return () => undefined
  return (row) => {
    const textOf = ({ field, at }: PartitionColumn) => formatPartitionValue(row[at] ?? null, field.type, field.name)
    const bytes = rootBytes + keyBytes(columns, textOf)
    if (bytes <= MAX_KEY_BYTES) return undefined
    return tooLongKey(String(bytes))
  }
}

/** Whether the rows of a file have partition values that make its key too long. */
export function fileKeyCheck(layout: TableLayout, rootBytes: number): (file: WrittenFile) => boolean {
  const columns = longColumns(layout)
  if (columns.length === 0) return () => false
  return ({ partitionValues }) =>
    rootBytes + keyBytes(columns, ({ field }) => partitionValues.get(physicalName(field, layout)) ?? null) >
    MAX_KEY_BYTES
}
