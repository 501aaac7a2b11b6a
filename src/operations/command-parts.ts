/** What commands have in common: tables by address, expressions, rows handed in. */
import type { RowSource } from '../engine/index.ts'
import type { Expression } from '../expressions/index.ts'
import type { StructType } from '../schema/index.ts'

/** A table by its address: a path, `file://`, `http(s)://`, later `s3://` and catalog names. */
export interface TableRef {
  readonly location: string
}

/** The version a reading command is pinned to; the newest when absent. */
export type ReadPoint = { readonly version: number } | { readonly timestampMs: number }

/** A predicate or value of the expression language: its text, or what a front has parsed already. */
export type ExpressionInput = string | Expression

export interface CommandOptions {
  readonly signal?: AbortSignal
  /** called now and then during long work */
  readonly onProgress?: (progress: Progress) => void
}

export interface Progress {
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

/**
 * Rows to be written.
 *
 * `records` are objects whose values are checked one by one; `form` says how values are spelt (`operations/values`).
 * `rows` brings its schema and is moved by the engine.
 */
export type WriteSource =
  | RecordSource
  | { readonly kind: 'rows'; readonly schema: StructType; readonly source: RowSource }

export interface RecordSource {
  readonly kind: 'records'
  readonly form: 'js' | 'json' | 'text'
  readonly records: RecordInput
  /** the columns the records have; inferred from the records where the table has none for them */
  readonly schema?: StructType
  /** where a record came from, for messages: `orders.ndjson, line 12`; `row 12` when absent */
  readonly placeName?: (record: unknown, row: number) => string
}

/** Objects, or arrays of objects, at once or one after the other. */
export type RecordInput = Iterable<unknown> | AsyncIterable<unknown>

/** A write that is done at most once for an application and version. */
export interface WriteTransaction {
  readonly appId: string
  readonly version: bigint
}
