/** How long the key of a row's file would be. */
import { formatPartitionValue, partitionDirectory, type TableLayout } from '../../../kernel/index.ts'
import { findField, type Row } from '../../../schema/index.ts'
import { encodeUtf8 } from '../../../support/index.ts'

export const MAX_KEY_BYTES = 1024
/** What a name of a local file system holds, almost everywhere. */
const MAX_NAME_BYTES = 255
/** 32 hexadecimal digits and `.parquet` */
const FILE_NAME_BYTES = 40

export function isKeyTooLong(key: string): boolean {
  return encodeUtf8(key).length > MAX_KEY_BYTES
}

/** @returns for a row of the table, why no file can have its partition values */
export function rowKeyCheck(layout: TableLayout): (row: Row) => string | undefined {
  const columns = layout.partitionColumns.map((name) => {
    const field = findField(layout.schema, name)!
    return { field, at: layout.schema.fields.indexOf(field) }
  })
  // Only texts can be long.
  if (!columns.some(({ field }) => field.type.kind === 'string')) return () => undefined
  return (row) => {
    const values = columns.map(({ field, at }): [string, string | null] => {
      return [field.name, formatPartitionValue(row[at] ?? null, field.type, field.name)]
    })
    const directory = partitionDirectory(values)
    const bytes = encodeUtf8(directory).length + FILE_NAME_BYTES
    if (bytes > MAX_KEY_BYTES)
      return `the row's partition values make a key of ${bytes} bytes; a key holds ${MAX_KEY_BYTES}`
    const longest = Math.max(...directory.split('/').map((name) => encodeUtf8(name).length))
    if (longest <= MAX_NAME_BYTES) return undefined
    return `the row's partition values make a folder name of ${longest} bytes; a name holds ${MAX_NAME_BYTES}`
  }
}
