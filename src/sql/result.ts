/** What a statement gives. */
import type { Batch, RowSource } from '../engine/index.ts'
import type { TableRead } from '../operations/index.ts'
import { field, longType, type Row, type StructType, structType } from '../schema/index.ts'

export interface SqlResult {
  readonly schema: StructType
  /** read once */
  readonly batches: AsyncIterable<Batch>
}

/** Rows of a query that go into a table: from the expression language's, or out of the engine, which they need not leave. */
export interface QueryRows {
  readonly source: Extract<RowSource, { kind: 'rows' | 'query' }>
  /** the tables they come from */
  readonly reads?: readonly TableRead[]
}

/** The answer of a statement that gives no rows. */
export const NO_ROWS: SqlResult = rowsResult(structType([]), [])

/** @param rows values as `schema/value.ts` says, in the order of the columns */
export function rowsResult(schema: StructType, rows: readonly Row[]): SqlResult {
  return { schema, batches: oneBatch(schema, rows) }
}

/**
 * One row of numbers under names, as statements count what they did; no row of one that was done before by its
 * transaction.
 */
export function countsResult(counts: Readonly<Record<string, number>>, skipped?: string): SqlResult {
  const schema = structType(Object.keys(counts).map((name) => field(name, longType)))
  return rowsResult(schema, skipped === undefined ? [Object.values(counts).map(BigInt)] : [])
}

/** Rows page by page. */
export function pagesResult(schema: StructType, pages: AsyncIterable<readonly Row[]>): SqlResult {
  return { schema, batches: batchesOf(schema, pages) }
}

async function* batchesOf(schema: StructType, pages: AsyncIterable<readonly Row[]>): AsyncGenerator<Batch> {
  for await (const rows of pages) yield* oneBatch(schema, rows)
}

async function* oneBatch(schema: StructType, rows: readonly Row[]): AsyncGenerator<Batch> {
  if (rows.length === 0) return
  yield { schema, numRows: rows.length, column: (index) => rows.map((row) => row[index]!) }
}
