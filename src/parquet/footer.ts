/**
 * The footer of a Parquet file: schema, row groups, where each column chunk lies, statistics as raw bytes.
 *
 * Thrift is read by hyparquet; the meaning is given here, because its own metadata turns decimal bounds into doubles and
 * binary ones into text. Every number that is used as a size or a position is checked first.
 */
import { CompressionCodecs, ConvertedTypes, FieldRepetitionTypes } from 'hyparquet/src/constants.js'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { decodeUtf8 } from '../support/index.ts'
import { type ParquetFile, readExactly, reading, unsupported } from './file.ts'
import {
  type Annotation,
  buildSchemaTree,
  leavesOf,
  PHYSICAL_TYPES,
  type PhysicalType,
  type SchemaElement,
  type SchemaNode,
  type SimpleAnnotation,
} from './schema-tree.ts'

export type Codec = 'UNCOMPRESSED' | 'SNAPPY' | 'GZIP' | 'LZO' | 'BROTLI' | 'LZ4' | 'ZSTD' | 'LZ4_RAW'

/** Bounds as PLAIN bytes of the physical type; absent where the writer gave none. */
export interface ChunkStatistics {
  readonly min: Uint8Array | undefined
  readonly max: Uint8Array | undefined
  readonly nullCount: number | undefined
}

export interface ColumnChunk {
  readonly leaf: SchemaNode
  readonly codec: Codec
  /** nulls and empty lists included */
  readonly numValues: number
  /** where its first page begins */
  readonly start: number
  readonly length: number
  readonly statistics: ChunkStatistics
}

export interface RowGroup {
  readonly numRows: number
  /** row number of its first row in the file */
  readonly firstRow: number
  /** one a leaf, in file order */
  readonly chunks: readonly ColumnChunk[]
}

export interface ParquetFooter {
  /** the sum over row groups: the footer's own count is wrong in some files */
  readonly numRows: number
  readonly root: SchemaNode
  readonly leaves: readonly SchemaNode[]
  readonly rowGroups: readonly RowGroup[]
  readonly keyValues: ReadonlyMap<string, string>
  readonly createdBy: string | undefined
}

/** Most footers fit; one request more where not. */
const TAIL_BYTES = 64 * 1024
const MAGIC = 0x31524150
const ENCRYPTED_MAGIC = 0x45524150

/** A footer, and the file's end that came with it, so that small files are fetched once. */
export interface LoadedFooter {
  readonly footer: ParquetFooter
  /** the footer as it stands in the file */
  readonly bytes: Uint8Array
  readonly tail: FileTail
}

/** The bytes of a file from `start` to its end. */
export interface FileTail {
  readonly start: number
  readonly bytes: Uint8Array
}

/** Reads the footer: the end of the file, and once more when the footer is longer than that. */
export function loadFooter(file: ParquetFile): Promise<LoadedFooter> {
  return reading(file, async () => {
    const start = Math.max(0, file.size - TAIL_BYTES)
    // read before it is judged: a file that is not there says so
    const tail = { start, bytes: await readExactly(file, start, file.size) }
    if (file.size < 12) throw new RangeError('it is too short to be a Parquet file')
    const bytes = await footerBytes(file, tail.bytes)
    return { footer: parseFooter(file, bytes), bytes, tail }
  })
}

async function footerBytes(file: ParquetFile, tail: Uint8Array): Promise<Uint8Array> {
  const view = viewOf(tail)
  const magic = view.getUint32(tail.length - 4, true)
  if (magic === ENCRYPTED_MAGIC) throw unsupported(file, 'an encrypted footer')
  if (magic !== MAGIC) throw new RangeError('it does not end as a Parquet file does')
  const length = view.getUint32(tail.length - 8, true)
  if (length > file.size - 12) throw new RangeError('its footer is longer than the file')
  if (length + 8 <= tail.length) return tail.subarray(tail.length - 8 - length, tail.length - 8)
  return readExactly(file, file.size - 8 - length, file.size - 8)
}

/** A Thrift struct as hyparquet gives it: `field_1`, `field_2`, … */
type Thrift = { readonly [key: `field_${number}`]: unknown }

function parseFooter(file: ParquetFile, bytes: Uint8Array): ParquetFooter {
  const thrift: Thrift = deserializeTCompactProtocol({ view: viewOf(bytes), offset: 0 })
  const root = buildSchemaTree(listOf(thrift.field_2).map(parseElement))
  const leaves = leavesOf(root)
  const rowGroups: RowGroup[] = []
  let firstRow = 0
  for (const group of listOf(thrift.field_4)) {
    const rowGroup = parseRowGroup(file, group, leaves, firstRow)
    firstRow += rowGroup.numRows
    rowGroups.push(rowGroup)
  }
  const keyValues = new Map(
    listOf(thrift.field_5).map((pair) => [textOf(pair.field_1) ?? '', textOf(pair.field_2) ?? '']),
  )
  const numRows = countOf(thrift.field_3, 'rows')
  // some writers leave the number at 0; fewer rows in groups mean that groups are lost
  if (numRows > firstRow) throw new RangeError(`its footer speaks of ${numRows} rows, its row groups of ${firstRow}`)
  return { numRows: firstRow, root, leaves, rowGroups, keyValues, createdBy: textOf(thrift.field_6) }
}

function parseElement(thrift: Thrift): SchemaElement {
  const numChildren = thrift.field_5 === undefined ? 0 : countOf(thrift.field_5, 'children')
  const physical = PHYSICAL_TYPES[Number(thrift.field_1 ?? -1)]
  if (physical !== undefined && numChildren > 0) throw new RangeError('a leaf of its schema has children')
  const repetition = FieldRepetitionTypes[Number(thrift.field_3 ?? 0)]
  if (repetition === undefined) throw new RangeError('a repetition in its schema is unknown')
  return {
    name: textOf(thrift.field_4) ?? '',
    repetition,
    fieldId: typeof thrift.field_9 === 'number' ? thrift.field_9 : undefined,
    physical: numChildren === 0 ? physical : undefined,
    typeLength: typeof thrift.field_2 === 'number' ? thrift.field_2 : 0,
    annotation: logicalAnnotation(thrift.field_10) ?? convertedAnnotation(thrift),
    numChildren,
  }
}

/** Members of the union LogicalType that carry nothing else, by field number. */
const SIMPLE_LOGICAL: readonly (readonly [`field_${number}`, SimpleAnnotation])[] = [
  ['field_1', 'string'],
  ['field_2', 'map'],
  ['field_3', 'list'],
  ['field_4', 'enum'],
  ['field_6', 'date'],
  ['field_7', 'time'],
  ['field_11', 'null'],
  ['field_12', 'json'],
  ['field_13', 'bson'],
  ['field_14', 'uuid'],
  ['field_15', 'float16'],
  ['field_16', 'variant'],
  ['field_17', 'geometry'],
  ['field_18', 'geography'],
]

function logicalAnnotation(union: unknown): Annotation | undefined {
  if (!isThrift(union) || Object.keys(union).length === 0) return undefined
  const { field_5: decimal, field_8: timestamp, field_10: integer } = union
  if (isThrift(decimal)) return decimalAnnotation(decimal.field_2, decimal.field_1)
  if (isThrift(timestamp)) return timestampAnnotation(timestamp)
  if (isThrift(integer)) {
    return { kind: 'integer', bits: Number(integer.field_1), signed: integer.field_2 !== false }
  }
  const simple = SIMPLE_LOGICAL.find(([name]) => union[name] !== undefined)
  return { kind: simple?.[1] ?? 'unknown' }
}

function timestampAnnotation(timestamp: Thrift): Annotation {
  const unit = isThrift(timestamp.field_2) ? timestamp.field_2 : {}
  const name = unit.field_1 !== undefined ? 'millis' : unit.field_2 !== undefined ? 'micros' : 'nanos'
  return { kind: 'timestamp', unit: name, utc: timestamp.field_1 === true }
}

function decimalAnnotation(precision: unknown, scale: unknown): Annotation {
  const result = { kind: 'decimal' as const, precision: Number(precision ?? 0), scale: Number(scale ?? 0) }
  if (result.scale < 0 || result.scale > 100) throw new RangeError(`a decimal of scale ${result.scale} in its schema`)
  return result
}

const SIMPLE_CONVERTED: ReadonlyMap<string, SimpleAnnotation> = new Map([
  ['UTF8', 'string'],
  ['MAP', 'map'],
  ['MAP_KEY_VALUE', 'map'],
  ['LIST', 'list'],
  ['ENUM', 'enum'],
  ['DATE', 'date'],
  ['TIME_MILLIS', 'time'],
  ['TIME_MICROS', 'time'],
  ['JSON', 'json'],
  ['BSON', 'bson'],
  ['INTERVAL', 'interval'],
])

function convertedAnnotation(thrift: Thrift): Annotation | undefined {
  if (typeof thrift.field_6 !== 'number') return undefined
  const name = ConvertedTypes[thrift.field_6]
  if (name === undefined) return { kind: 'unknown' }
  if (name === 'DECIMAL') return decimalAnnotation(thrift.field_8, thrift.field_7)
  if (name === 'TIMESTAMP_MILLIS') return { kind: 'timestamp', unit: 'millis', utc: true }
  if (name === 'TIMESTAMP_MICROS') return { kind: 'timestamp', unit: 'micros', utc: true }
  const integer = /^(U?)INT_(\d+)$/.exec(name)
  if (integer !== null) return { kind: 'integer', bits: Number(integer[2]), signed: integer[1] === '' }
  return { kind: SIMPLE_CONVERTED.get(name) ?? 'unknown' }
}

function parseRowGroup(file: ParquetFile, thrift: Thrift, leaves: readonly SchemaNode[], firstRow: number): RowGroup {
  const columns = listOf(thrift.field_1)
  if (columns.length !== leaves.length) {
    throw new RangeError(`a row group has ${columns.length} column chunks for ${leaves.length} columns`)
  }
  return {
    numRows: countOf(thrift.field_3, 'rows'),
    firstRow,
    chunks: columns.map((column, i) => parseChunk(file, column, leaves[i]!)),
  }
}

function parseChunk(file: ParquetFile, column: Thrift, leaf: SchemaNode): ColumnChunk {
  if (column.field_8 !== undefined) throw unsupported(file, `the encrypted column ${leaf.path.join('.')}`)
  if (column.field_1 !== undefined) throw unsupported(file, 'column chunks in other files')
  const meta = column.field_3
  if (!isThrift(meta)) throw new RangeError(`the column ${leaf.path.join('.')} has no metadata`)
  const type: PhysicalType | undefined = PHYSICAL_TYPES[Number(meta.field_1)]
  if (type !== leaf.physical)
    throw new RangeError(`the chunk of ${leaf.path.join('.')} has another type than its column`)
  const codec = CompressionCodecs[Number(meta.field_4 ?? 0)]
  if (codec === undefined) throw unsupported(file, `the compression codec ${Number(meta.field_4)}`)
  const dataStart = countOf(meta.field_9, 'bytes')
  const dictionaryStart = meta.field_11 === undefined ? 0 : countOf(meta.field_11, 'bytes')
  return {
    leaf,
    codec,
    numValues: countOf(meta.field_5, 'values'),
    start: dictionaryStart > 0 ? Math.min(dictionaryStart, dataStart) : dataStart,
    length: countOf(meta.field_7, 'bytes'),
    statistics: parseStatistics(meta.field_12, leaf),
  }
}

function parseStatistics(thrift: unknown, leaf: SchemaNode): ChunkStatistics {
  if (!isThrift(thrift)) return { min: undefined, max: undefined, nullCount: undefined }
  const nullCount = typeof thrift.field_3 === 'bigint' && thrift.field_3 >= 0n ? Number(thrift.field_3) : undefined
  // the older pair of fields compared bytes as signed, which is right for numbers only
  const older = leaf.physical !== 'BYTE_ARRAY' && leaf.physical !== 'FIXED_LEN_BYTE_ARRAY'
  const max = bytesOf(thrift.field_5) ?? (older ? bytesOf(thrift.field_1) : undefined)
  const min = bytesOf(thrift.field_6) ?? (older ? bytesOf(thrift.field_2) : undefined)
  return { min, max, nullCount }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function isThrift(value: unknown): value is Thrift {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function listOf(value: unknown): readonly Thrift[] {
  return Array.isArray(value) ? value.filter(isThrift) : []
}

function bytesOf(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined
}

function textOf(value: unknown): string | undefined {
  return value instanceof Uint8Array ? decodeUtf8(value) : undefined
}

function countOf(value: unknown, what: string): number {
  const count = typeof value === 'bigint' ? Number(value) : value
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(`its footer has a number of ${what} that cannot be`)
  }
  return count
}
