/** Batches by row. */

import type { Row, Value } from '../schema/index.ts'
import type { Batch } from './engine.ts'

/** The rows of a batch, each as values in the order of the batch's schema. */
export function* rowsOf(batch: Batch): Generator<readonly Value[], void, undefined> {
  const columns = batch.schema.fields.map((_, i) => batch.column(i))
  for (let row = 0; row < batch.numRows; row++) yield columns.map((column) => column[row] ?? null)
}

/** The rows of batches, a page for each, as writes take them. */
export async function* rowPages(batches: AsyncIterable<Batch>): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield [...rowsOf(batch)]
}
