/** The rows of a write before a table is looked at: which columns they have, and how an engine gets them. */

import { type Engine, type RowSource, rowPages } from '../../engine/index.ts'
import { assert, deltaError } from '../../errors/index.ts'
import { foldCase, type Row, type StructType } from '../../schema/index.ts'
import type { ColumnAssignment, RecordSource, WriteSource } from '../command.ts'
import { fillableColumns, type RowRules, type RuledFiller, recordFiller } from '../rules/index.ts'
import { CellGuess, isRecord, rowEncoder, SchemaGuess } from '../values/index.ts'
import { assignColumns } from './assign-columns.ts'
import { PAGE_RECORDS, peekPages, recordPages } from './record-pages.ts'

/** records of a stream that decide the types of its columns; of an array all do */
const SAMPLE_RECORDS = 10_000

export interface PreparedSource {
  /** the columns of the data; undefined where records are simply held to the table's */
  readonly schema: StructType | undefined
  /** the rows in the columns of a table, records filled as its rules say */
  rows(rules: RowRules): RuledRows
}

export interface RuledRows {
  readonly source: RowSource
  /** ordinals of the table's top-level columns that the rows bring; the engine fills the others */
  readonly given: ReadonlySet<number>
  /** what filled records; absent where the engine does it */
  readonly filler?: RuledFiller
}

export interface SourceNeeds {
  /** the table's columns, where there is a table whose schema stays */
  readonly known: StructType | undefined
  /** whether columns the table lacks may come with the data */
  readonly growing: boolean
  /** whether types of columns may grow then */
  readonly widens?: boolean
  /** for messages */
  readonly location: string
  readonly engine: Engine
  /** how columns of a source of `rows` go into the known ones */
  readonly assignment?: ColumnAssignment | undefined
}

/**
 * Looks at the first records where their columns are not known.
 *
 * @throws DeltaError `LAKE_EMPTY_SCHEMA`, `LAKE_ROW_NOT_AN_OBJECT`, `DELTA_FAILED_TO_MERGE_FIELDS`, `LAKE_UNTYPED_VALUE`,
 * `LAKE_NUMBER_NEEDS_TYPE`, `DELTA_DUPLICATE_COLUMNS_FOUND.DATA`
 */
export async function prepareSource(source: WriteSource, needs: SourceNeeds): Promise<PreparedSource> {
  if (source.kind === 'rows') {
    const assigned = assignedRows(source, needs)
    return { schema: assigned.schema, rows: (rules) => moved(assigned, rules) }
  }
  const pages = recordPages(source.records)
  const infers = source.schema === undefined && (needs.known === undefined || needs.growing)
  if (!infers) return { schema: source.schema, rows: (rules) => encoded(rules, pages, source, needs) }
  const { sample, all } = await peekPages(
    pages,
    Array.isArray(source.records) ? Number.POSITIVE_INFINITY : SAMPLE_RECORDS,
  )
  return { schema: inferSchema(sample, needs.known, source.form), rows: (rules) => encoded(rules, all, source, needs) }
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

type MovedSource = Extract<WriteSource, { kind: 'rows' }>

/** The rows in the table's columns, as an INSERT puts them there. */
function assignedRows(source: MovedSource, needs: SourceNeeds): MovedSource {
  const { known, assignment, growing, widens = false, location, engine } = needs
  if (assignment === undefined) refuseRepeated(source.schema)
  if (known === undefined || assignment === undefined) return source
  const target = { schema: known, filled: fillableColumns(known), growing, widens, location }
  const { schema, isPlain, assign } = assignColumns(source.schema, assignment, target)
  if (isPlain && assignment.by === 'name') return { ...source, schema }
  const { source: given } = source
  if (isPlain && given.kind === 'query') return { kind: 'rows', schema, source: { ...given, schema } }
  const pages = pagesOf(source.source, engine)
  const rows = (async function* () {
    for await (const page of pages) yield page.map(assign)
  })()
  return { kind: 'rows', schema, source: { kind: 'rows', schema, rows } }
}

function refuseRepeated({ fields }: StructType): void {
  const seen = new Set<string>()
  for (const { name } of fields) {
    if (seen.has(foldCase(name))) throw deltaError('DELTA_DUPLICATE_COLUMNS_FOUND.DATA', { columns: foldCase(name) })
    seen.add(foldCase(name))
  }
}

async function* pagesOf(source: RowSource, engine: Engine): AsyncGenerator<readonly Row[]> {
  assert(source.kind !== 'text', 'raw text has the columns of its table')
  if (source.kind === 'rows') return yield* source.rows
  if (source.kind === 'query') {
    assert(engine.query !== undefined, 'an engine without SQL is given no query')
    return yield* rowPages((await engine.query(source.sql, source.views)).batches)
  }
  assert(source.select === undefined, 'a scan that computes columns gives those of its table')
  yield* rowPages(engine.scan(source.plan))
}

/** Rows that the engine takes as they are. */
function moved(source: MovedSource, { layout }: RowRules): RuledRows {
  const { fields } = layout.schema
  const given = source.schema.fields.map(({ name }) => fields.findIndex((f) => foldCase(f.name) === foldCase(name)))
  return { source: source.source, given: new Set(given) }
}

function encoded(
  rules: RowRules,
  pages: AsyncIterable<readonly unknown[]>,
  { form, placeName }: RecordSource,
  { location, growing, known }: SourceNeeds,
): RuledRows {
  const { schema } = rules.layout
  const filler = recordFiller(rules)
  const encode = rowEncoder(schema, {
    form,
    table: location,
    skipEmptyExtras: growing || known === undefined,
    ...(placeName && { placeName }),
    ...(filler && { filler }),
  })
  const source: RowSource = { kind: 'rows', schema, rows: encodePages(pages, encode) }
  return { source, given: new Set(schema.fields.keys()), ...(filler && { filler }) }
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
