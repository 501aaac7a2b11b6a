/** The rows of a write before a table is looked at: which columns they have, and how an engine gets them. */

import type { RowSource } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { Row, StructType } from '../../schema/index.ts'
import type { RecordSource, WriteSource } from '../command.ts'
import { CellGuess, isRecord, rowEncoder, SchemaGuess } from '../values/index.ts'
import { PAGE_RECORDS, peekPages, recordPages } from './record-pages.ts'

/** records of a stream that decide the types of its columns; of an array all do */
const SAMPLE_RECORDS = 10_000

export interface PreparedSource {
  /** the columns of the data; undefined where records are simply held to the table's */
  readonly schema: StructType | undefined
  /** the rows in the columns of a table's schema */
  rows(table: StructType): RowSource
}

export interface SourceNeeds {
  /** the table's columns, where there is a table whose schema stays */
  readonly known: StructType | undefined
  /** whether columns the table lacks may come with the data */
  readonly growing: boolean
  /** for messages */
  readonly location: string
}

/**
 * Looks at the first records where their columns are not known.
 *
 * @throws DeltaError `LAKE_EMPTY_SCHEMA`, `LAKE_ROW_NOT_AN_OBJECT`, `DELTA_FAILED_TO_MERGE_FIELDS`, `LAKE_UNTYPED_VALUE`,
 * `LAKE_NUMBER_NEEDS_TYPE`
 */
export async function prepareSource(source: WriteSource, needs: SourceNeeds): Promise<PreparedSource> {
  if (source.kind === 'rows') return { schema: source.schema, rows: () => source.source }
  const pages = recordPages(source.records)
  const infers = source.schema === undefined && (needs.known === undefined || needs.growing)
  if (!infers) return { schema: source.schema, rows: (table) => encoded(table, pages, source, needs) }
  const { sample, all } = await peekPages(
    pages,
    Array.isArray(source.records) ? Number.POSITIVE_INFINITY : SAMPLE_RECORDS,
  )
  return { schema: inferSchema(sample, needs.known, source.form), rows: (table) => encoded(table, all, source, needs) }
}

function inferSchema(
  sample: readonly (readonly unknown[])[],
  known: StructType | undefined,
  form: RecordSource['form'],
): StructType {
  const guess = form === 'text' ? new CellGuess(known) : new SchemaGuess(known)
  let seen = 0
  for (const page of sample) {
    for (const record of page) if (isRecord(record)) guess.add(record)
    seen += page.length
  }
  const schema = guess.schema()
  if (schema.fields.length > 0) return schema
  throw deltaError('LAKE_EMPTY_SCHEMA', { reason: seen === 0 ? 'it has no rows' : 'it holds nothing but null' })
}

function encoded(
  schema: StructType,
  pages: AsyncIterable<readonly unknown[]>,
  { form, placeName }: RecordSource,
  { location, growing, known }: SourceNeeds,
): RowSource {
  const encode = rowEncoder(schema, {
    form,
    table: location,
    skipEmptyExtras: growing || known === undefined,
    ...(placeName && { placeName }),
  })
  return { kind: 'rows', schema, rows: encodePages(pages, encode) }
}

async function* encodePages(
  pages: AsyncIterable<readonly unknown[]>,
  encode: (record: unknown, row: number) => Row,
): AsyncGenerator<readonly Row[], void, undefined> {
  let row = 0
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += PAGE_RECORDS) {
      yield page.slice(start, start + PAGE_RECORDS).map((record) => encode(record, ++row))
    }
  }
}
