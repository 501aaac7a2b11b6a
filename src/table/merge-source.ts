/** What a MERGE can be given as its source, and what it is as data. */
import type { Batch } from '../engine/index.ts'
import type { MergeSource, RecordInput } from '../operations/index.ts'
import type { StructType } from '../schema/index.ts'
import { rowPages } from './rows-of.ts'

/** Something that gives itself as a source: a table, a scan of one. */
export interface MergeInput {
  /** @throws DeltaError `LAKE_USAGE` where it cannot be one */
  asMergeSource(): MergeSource
}

/** The result of a query: its columns, and its rows, read once. */
export interface QueryRows {
  readonly schema: StructType
  readonly batches: AsyncIterable<Batch>
}

/** Objects at once or one after the other, a table, a scan, or the result of a query. */
export type MergeRows = RecordInput | MergeInput | QueryRows

export function mergeSourceOf(rows: MergeRows): MergeSource {
  if (isMergeInput(rows)) return rows.asMergeSource()
  if (!isQueryRows(rows)) return { kind: 'records', form: 'js', records: rows }
  const { schema, batches } = rows
  return { kind: 'rows', schema, source: { kind: 'rows', schema, rows: rowPages(batches) } }
}

function isMergeInput(rows: MergeRows): rows is MergeInput {
  return typeof rows === 'object' && 'asMergeSource' in rows
}

function isQueryRows(rows: MergeRows): rows is QueryRows {
  return typeof rows === 'object' && 'schema' in rows && 'batches' in rows
}
