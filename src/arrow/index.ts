/** Rows in Arrow's form, in and out. Arrow's library is loaded when rows go out. */
import type { RecordBatch, Schema } from 'apache-arrow'
import type { StructType, Value } from '../schema/index.ts'

export { type ArrowRows, isArrowRows, pagesFromArrow, schemaFromArrow } from './from-arrow.ts'

/** Some rows by column, as engines give them. */
export interface Columns {
  readonly numRows: number
  column(index: number): readonly Value[]
}

export interface ArrowStream {
  readonly schema: Schema
  readonly batches: AsyncIterable<RecordBatch>
}

/** Batches as Arrow's, one for each; types as `to-arrow.ts` says. */
export async function toArrow(schema: StructType, batches: AsyncIterable<Columns>): Promise<ArrowStream> {
  const { arrowBatch, arrowSchema } = await import('./to-arrow.ts')
  const arrow = arrowSchema(schema)
  return {
    schema: arrow,
    batches: (async function* () {
      for await (const batch of batches) {
        const columns = schema.fields.map((_, i) => batch.column(i))
        yield arrowBatch(arrow, schema, columns, batch.numRows)
      }
    })(),
  }
}

/** @returns bytes of Arrow's interprocess format: `file`, which ends in an index of batches, or `stream` */
export async function* arrowBytes(
  { schema, batches }: ArrowStream,
  form: 'file' | 'stream',
): AsyncGenerator<Uint8Array, void, undefined> {
  const { RecordBatchFileWriter, RecordBatchStreamWriter } = await import('apache-arrow')
  const writer = form === 'file' ? new RecordBatchFileWriter() : new RecordBatchStreamWriter()
  const bytes = writer[Symbol.asyncIterator]()
  const writing = (async () => {
    writer.reset(undefined, schema)
    for await (const batch of batches) writer.write(batch)
    writer.finish()
  })()
  for await (const piece of { [Symbol.asyncIterator]: () => bytes }) yield piece
  await writing
}
