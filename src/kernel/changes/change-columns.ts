/**
 * The columns a change feed adds to those of its table, and the shapes of the files it is read from.
 *
 * Version and time are the same for a whole file, so they are partition columns of these shapes, with their values beside
 * the file's own; so is the kind of change where it follows from the log. Files that the writer made for the feed hold
 * the kind in a column. Source: Delta protocol, "Change Data Files".
 */
import { deltaError } from '../../errors/index.ts'
import { field, foldCase, longType, stringType, structType, timestampType } from '../../schema/index.ts'
import { formatPartitionValue } from '../partition/partition-value.ts'
import type { TableLayout } from '../snapshot/layout.ts'

export const CHANGE_TYPE = '_change_type'
export const COMMIT_VERSION = '_commit_version'
export const COMMIT_TIMESTAMP = '_commit_timestamp'

export type ChangeType = 'insert' | 'delete' | 'update_preimage' | 'update_postimage'

/** Whether a writer recorded the rows that changed, or they follow from the files added and removed. */
export type ChangeOrigin = 'recorded' | 'inferred'

const changeFields = [
  field(CHANGE_TYPE, stringType, false),
  field(COMMIT_VERSION, longType, false),
  field(COMMIT_TIMESTAMP, timestampType, false),
]

/**
 * The shape of files that give changes: the table's columns, then the three of the feed.
 *
 * @throws DeltaError `DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS` when the table has a column of such a name itself
 */
export function changeLayout(table: TableLayout, origin: ChangeOrigin): TableLayout {
  const reserved = new Set(changeFields.map(({ name }) => name))
  const columns = table.schema.fields.map(({ name }) => name).filter((name) => reserved.has(foldCase(name)))
  if (columns.length > 0) throw deltaError('DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS', { columns })
  const constants = origin === 'inferred' ? [CHANGE_TYPE] : []
  return {
    ...table,
    schema: structType([...table.schema.fields, ...changeFields]),
    partitionColumns: [...table.partitionColumns, ...constants, COMMIT_VERSION, COMMIT_TIMESTAMP],
  }
}

/** The texts of version and time in the partition values of a file. */
export function commitConstants(version: number, timestampMs: number): [string, string | null][] {
  const time = formatPartitionValue(BigInt(timestampMs) * 1000n, timestampType)
  return [
    [COMMIT_VERSION, String(version)],
    [COMMIT_TIMESTAMP, time],
  ]
}
