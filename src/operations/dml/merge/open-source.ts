/** The source of a MERGE, as an engine takes it in. */
import type { JoinSource } from '../../../engine/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { planScan } from '../../../kernel/index.ts'
import { findField, type StructType, structType } from '../../../schema/index.ts'
import type { MergeSource, RecordSource } from '../../command.ts'
import type { OperationContext, SnapshotLease } from '../../context.ts'
import { bindRead } from '../../read/bind-read.ts'
import { isRecord, rowEncoder, SchemaGuess } from '../../values/index.ts'
import { PAGE_RECORDS, peekPages, recordPages } from '../../write/record-pages.ts'

export interface OpenedSource {
  readonly source: JoinSource
  /** Frees what it reads from; called when the rows are taken in. */
  release(): Promise<void>
}

/** Records of a stream that decide the types of its columns; of an array all do. */
const SAMPLE_RECORDS = 10_000

/**
 * @param table the schema of the table: records have its types where they have its columns
 * @throws DeltaError what reading another table throws, and of records `LAKE_ROW_NOT_AN_OBJECT`, `LAKE_UNTYPED_VALUE`,
 * `LAKE_NUMBER_NEEDS_TYPE`, `DELTA_FAILED_TO_MERGE_FIELDS`
 */
export async function openSource(
  source: MergeSource,
  table: StructType,
  context: OperationContext,
): Promise<OpenedSource> {
  switch (source.kind) {
    case 'records':
      return held(await recordSource(source, table, context.location))
    case 'rows':
      return held(rowSource(source.source))
    case 'query':
      return held(source)
    case 'table':
      return await tableSource(source, context)
  }
}

function held(source: JoinSource): OpenedSource {
  return { source, release: async () => {} }
}

function rowSource(source: Extract<MergeSource, { kind: 'rows' }>['source']): JoinSource {
  if (source.kind === 'rows' || source.kind === 'query') return source
  if (source.kind === 'scan' && source.select === undefined) return source
  throw deltaError('LAKE_USAGE', {
    problem: 'the source of a MERGE is a text or a computed scan',
    advice: 'give its rows, a table, or a query',
  })
}

async function recordSource(source: RecordSource, table: StructType, location: string): Promise<JoinSource> {
  const pages = recordPages(source.records)
  const limit = Array.isArray(source.records) ? Number.POSITIVE_INFINITY : SAMPLE_RECORDS
  const { sample, all } = await peekPages(pages, source.schema === undefined ? limit : 0)
  const schema = source.schema ?? schemaOf(sample, table)
  const encode = rowEncoder(schema, {
    form: source.form,
    table: location,
    skipEmptyExtras: true,
    ...(source.placeName && { placeName: source.placeName }),
  })
  return { kind: 'rows', schema, rows: encoded(all, encode) }
}

/** The columns that records have: of the table's types where it has them; of no record at all, the table's own. */
function schemaOf(sample: readonly (readonly unknown[])[], table: StructType): StructType {
  const guess = new SchemaGuess(nullable(table))
  const names = new Set<string>()
  for (const page of sample) {
    for (const record of page) {
      if (!isRecord(record)) continue
      guess.add(record)
      for (const name of Object.keys(record)) names.add(name)
    }
  }
  if (names.size === 0) return nullable(table)
  const { fields } = guess.schema()
  const own = structType(fields)
  const given = new Set([...names].map((name) => findField(own, name)))
  return structType(fields.filter((field) => given.has(field)))
}

/** What the table asks of its own rows is not asked of those of a source. */
function nullable({ fields }: StructType): StructType {
  return structType(fields.map(({ name, type }) => ({ name, type, nullable: true, metadata: {} })))
}

async function* encoded(
  pages: AsyncIterable<readonly unknown[]>,
  encode: ReturnType<typeof rowEncoder>,
): AsyncGenerator<ReturnType<typeof encode>[]> {
  let row = 0
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += PAGE_RECORDS) {
      yield page.slice(start, start + PAGE_RECORDS).map((record) => encode(record, ++row))
    }
  }
}

async function tableSource(
  { table, at, where, select }: Extract<MergeSource, { kind: 'table' }>,
  context: OperationContext,
): Promise<OpenedSource> {
  const other = await context.open(table)
  const lease: SnapshotLease = await other.leaseSnapshot(at)
  try {
    const { snapshot } = lease
    const { layout, columns, filter } = bindRead({ where, select }, snapshot.layout)
    const { signal } = context.options
    const files = await planScan(snapshot, filter, signal && { signal })
    const plan = { store: other.store, layout, files, columns, ...(filter && { filter }) }
    return { source: { kind: 'scan', plan }, release: () => lease.release() }
  } catch (error) {
    await lease.release()
    throw error
  }
}
