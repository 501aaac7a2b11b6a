/**
 * A round of batches as data files, and the records of it that no file can hold.
 *
 * Where record and table allow, the bytes go to the engine as they came. Where they do not, or the engine cannot get
 * through them, records are decoded here one by one, which says of each why it is refused.
 */
import type {
  CsvOptions,
  Engine,
  NamedExpression,
  RowSource,
  TextSource,
  WritePlan,
  WrittenFile,
} from '../../../engine/index.ts'
import { isDeltaError, StorageError } from '../../../errors/index.ts'
import { findField, type Row, type StructType } from '../../../schema/index.ts'
import { encodeUtf8 } from '../../../support/index.ts'
import type { DeadLetter } from '../../delivery/dead-letters.ts'
import { letterOf } from '../../delivery/letter.ts'
import type { RecordType } from '../../records/record-type.ts'
import { rowReader } from '../../records/row-reader.ts'
import { splitRecords } from '../../records/split.ts'
import type { Route } from '../../routes/route.ts'
import type { Delivery } from '../destination.ts'
import { isSameShape, rowReshaper } from './reshape.ts'
import { fileKeyCheck, MAX_KEY_BYTES, rowKeyCheck } from './row-key.ts'

export interface EncodedRound {
  readonly files: readonly WrittenFile[]
  readonly refused: readonly DeadLetter[]
  readonly numRows: number
  readonly numFiltered: number
  readonly numIgnoredFields: number
}

export interface EncodeOptions {
  readonly engine: Engine
  readonly plan: WritePlan
  /** bytes of the keys of files in front of their paths in the table */
  readonly rootBytes: number
  /** told why the fast way was left */
  readonly onSlow: (reason: string) => void
}

/** The batches of one route. */
interface Share {
  readonly route: Route
  readonly deliveries: readonly Delivery[]
}

/** On failure every file begun is deleted. */
export async function encodeRound(round: readonly Delivery[], options: EncodeOptions): Promise<EncodedRound> {
  const done: EncodedRound[] = []
  try {
    for (const share of sharesOf(round)) done.push(await encodeShare(share, options))
  } catch (error) {
    await deleteFiles(
      done.flatMap(({ files }) => files),
      options.plan,
    )
    throw error
  }
  const sum = (pick: (part: EncodedRound) => number) => done.reduce((total, part) => total + pick(part), 0)
  return {
    files: done.flatMap(({ files }) => files),
    refused: done.flatMap(({ refused }) => refused),
    numRows: sum((part) => part.numRows),
    numFiltered: sum((part) => part.numFiltered),
    numIgnoredFields: sum((part) => part.numIgnoredFields),
  }
}

function sharesOf(round: readonly Delivery[]): Share[] {
  const shares = new Map<Route, Delivery[]>()
  for (const delivery of round) {
    for (const route of delivery.routes) {
      const share = shares.get(route) ?? []
      share.push(delivery)
      shares.set(route, share)
    }
  }
  return Array.from(shares, ([route, deliveries]) => ({ route, deliveries }))
}

async function encodeShare(share: Share, options: EncodeOptions): Promise<EncodedRound> {
  const select = rawSelection(share, options.plan.layout.schema)
  if (select === undefined) return encodeRows(share, options)
  try {
    const encoded = await encodeText(share, select, options)
    if (!encoded.files.some(fileKeyCheck(options.plan.layout, options.rootBytes))) return encoded
    await deleteFiles(encoded.files, options.plan)
    options.onSlow(`a partition value makes a key of more than ${MAX_KEY_BYTES} bytes`)
  } catch (error) {
    if (!isAboutRecords(error)) throw error
    options.onSlow(error.message)
  }
  return encodeRows(share, options)
}

/** A full disk is not cured by reading records one by one; a value the engine stumbles over is. */
function isAboutRecords(error: unknown): error is Error {
  if (error instanceof StorageError) return isDeltaError(error, 'LAKE_INVALID_KEY', 'LAKE_STORAGE_UNAVAILABLE')
  return error instanceof Error && !isDeltaError(error, 'LAKE_CANCELLED')
}

/**
 * The table's columns as expressions over raw records, in the table's order.
 *
 * @returns undefined where raw bytes will not do: a type the engine does not check, a struct of another shape in the table
 */
function rawSelection({ route, deliveries }: Share, table: StructType): readonly NamedExpression[] | undefined {
  const isCsv = deliveries[0]!.format.format === 'csv'
  if (isCsv && !hasOneHeader(deliveries)) return undefined
  if (!route.input.fields.every(({ type }) => isRaw(type) && !(isCsv && isNested(type)))) return undefined
  const columns = table.fields.map(({ name, type }): NamedExpression | undefined => {
    const source = findField(route.outputSchema, name)
    if (source === undefined) return { name, expression: { kind: 'literal', value: null, type } }
    if (!isSameShape(source.type, type)) return undefined
    return { name, expression: route.select[route.outputSchema.fields.indexOf(source)]!.expression }
  })
  return columns.every((column) => column !== undefined) ? columns : undefined
}

const CHECKED_HERE: ReadonlySet<RecordType['kind']> = new Set<RecordType['kind']>([
  'u8',
  'u16',
  'u32',
  'u64',
  'bytes',
  'uuid',
  'ip',
  'json',
  'map',
  'null',
])

function isRaw(type: RecordType): boolean {
  if (type.kind === 'struct') return type.fields.every((field) => isRaw(field.type))
  if (type.kind === 'list') return isRaw(type.element)
  return !CHECKED_HERE.has(type.kind)
}

function isNested(type: RecordType): boolean {
  return type.kind === 'struct' || type.kind === 'list'
}

/** Whether the bytes of all batches have the same columns. */
function hasOneHeader(deliveries: readonly Delivery[]): boolean {
  return new Set(deliveries.map(({ batch }) => JSON.stringify(batch.columns))).size === 1
}

async function encodeText(share: Share, select: readonly NamedExpression[], options: EncodeOptions) {
  const { route, deliveries } = share
  const refused: DeadLetter[] = []
  const source: TextSource = {
    kind: 'text',
    format: deliveries[0]!.format.format,
    schema: route.inputSchema,
    unknownFields: route.unknownFields,
    chunks: chunksOf(deliveries),
    ...csvOptions(deliveries[0]!),
    ...(route.filter === undefined ? {} : { filter: route.filter }),
    select,
    onReject: (records) => {
      const places = placesOf(deliveries)
      for (const { index, text, reason } of records) {
        const { delivery, ...place } = places(index)
        refused.push(letterOf(delivery, route.id, { ...place, text, reason }))
      }
    },
  }
  const { files, numRows, numFiltered, numIgnoredFields = 0 } = await options.engine.write(source, options.plan)
  return { files, refused, numRows, numFiltered, numIgnoredFields }
}

function csvOptions({ format, batch }: Delivery): { csv?: CsvOptions } {
  if (format.format !== 'csv') return {}
  const { delimiter, nullText } = format
  return { csv: { header: batch.columns !== undefined, delimiter, ...(nullText === undefined ? {} : { nullText }) } }
}

/** The bytes as they came; in front of CSV the header that its source took away. */
async function* chunksOf(deliveries: readonly Delivery[]): AsyncGenerator<Uint8Array> {
  const { batch, format } = deliveries[0]!
  if (batch.columns !== undefined) {
    const names = batch.columns.map((name) => `"${name.replaceAll('"', '""')}"`)
    yield encodeUtf8(`${names.join(format.delimiter)}\n`)
  }
  for (const { batch } of deliveries) yield batch.bytes
}

/** A record by its number in its batch and its first byte there. */
interface RecordPlace {
  readonly delivery: Delivery
  readonly index: number
  readonly offset: number
}

/** Finds records by their number over all batches; what is counted is remembered for the next one. */
function placesOf(deliveries: readonly Delivery[]): (index: number) => RecordPlace {
  const places: RecordPlace[] = []
  for (const delivery of deliveries) {
    let index = 0
    for (const { start } of splitRecords(delivery.batch.bytes, delivery.format.format)) {
      places.push({ delivery, index: index++, offset: start })
    }
  }
  const last = { delivery: deliveries.at(-1)!, index: 0, offset: 0 }
  return (index) => places[index] ?? last
}

async function encodeRows(share: Share, { engine, plan, rootBytes }: EncodeOptions): Promise<EncodedRound> {
  const { route, deliveries } = share
  const { layout } = plan
  const refused: DeadLetter[] = []
  let numFiltered = 0
  let numIgnoredFields = 0
  const reshape = rowReshaper(route.outputSchema, layout.schema)
  const check = rowKeyCheck(layout, rootBytes)
  async function* rows(): AsyncGenerator<readonly Row[]> {
    for (const delivery of deliveries) {
      const { batch } = delivery
      const reader = rowReader(route, delivery.format)
      const found = reader.read(batch.bytes, batch.columns, (row) => check(reshape(row)))
      for (const record of found.refused) refused.push(letterOf(delivery, route.id, record))
      numFiltered += found.numFiltered
      numIgnoredFields += found.numIgnoredFields
      if (found.rows.length > 0) yield found.rows.map(reshape)
    }
  }
  const source: RowSource = { kind: 'rows', schema: layout.schema, rows: rows() }
  const { files, numRows } = await engine.write(source, plan)
  return { files, refused, numRows, numFiltered, numIgnoredFields }
}

/** Files that no commit names, and none will. One that stays is for the table's VACUUM. */
export async function deleteFiles(files: readonly WrittenFile[], { store }: WritePlan): Promise<void> {
  await Promise.allSettled(files.map(({ key }) => store.delete(key)))
}
