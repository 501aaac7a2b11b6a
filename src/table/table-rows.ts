/** What a MERGE or a write can be given as its rows, and what it is as data. */
import { type ArrowRows, isArrowRows, pagesFromArrow, schemaFromArrow } from '../arrow/index.ts'
import type { Batch } from '../engine/index.ts'
import { rowPages } from '../engine/index.ts'
import type { MergeSource, RecordInput, WriteSource } from '../operations/index.ts'
import type { Row, StructType } from '../schema/index.ts'

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

/** Objects at once or one after the other, Arrow, or the result of a query. */
export type TableRows = RecordInput | ArrowRows | QueryRows

/** Those, a table, or a scan. */
export type MergeRows = TableRows | MergeInput

export function mergeSourceOf(rows: MergeRows): MergeSource {
  if (isMergeInput(rows)) return rows.asMergeSource()
  return typedRows(rows) ?? { kind: 'records', form: 'js', records: rows as RecordInput }
}

/** Rows that bring their columns' types; undefined for objects. */
export function typedRows(rows: TableRows): Extract<WriteSource, { kind: 'rows' }> | undefined {
  if (isArrowRows(rows)) return ofPages(schemaFromArrow(rows.schema), pagesFromArrow(rows))
  return isQueryRows(rows) ? ofPages(rows.schema, rowPages(rows.batches)) : undefined
}

function ofPages(schema: StructType, rows: AsyncIterable<readonly Row[]>) {
  return { kind: 'rows', schema, source: { kind: 'rows', schema, rows } } as const
}

function isMergeInput(rows: MergeRows): rows is MergeInput {
  return typeof rows === 'object' && 'asMergeSource' in rows
}

function isQueryRows(rows: TableRows): rows is QueryRows {
  return typeof rows === 'object' && 'schema' in rows && 'batches' in rows
}
