/**
 * Reads columns of a Parquet file as exact values, fetching only the chunks they need.
 *
 * hyparquet projects whole top-level columns and assembles through objects; here each leaf is fetched and decoded by
 * itself and rows are put together by levels, so that `add.path` costs its own bytes alone.
 */
import type { StructField, Value } from '../schema/index.ts'
import { mapParallel } from '../support/index.ts'
import { assembleColumn } from './assemble.ts'
import { decodeChunk, type LeafColumn } from './chunk.ts'
import { loadDecompressor } from './codecs.ts'
import type { Calendar, ConvertContext } from './convert.ts'
import { FIELD_ID_KEY } from './field-id.ts'
import { type ParquetFile, readExactly, reading, unsupported } from './file.ts'
import {
  type ColumnChunk,
  type FileTail,
  type LoadedFooter,
  loadFooter,
  type ParquetFooter,
  type RowGroup,
} from './footer.ts'
import { UnknownEncoding } from './plain.ts'
import { type ColumnShape, type LeafUse, shapeColumn } from './shape.ts'

export interface ReadOptions {
  /** `id`: columns are found by the field id in their metadata (`FIELD_ID_KEY`); default by name */
  readonly matchBy?: 'name' | 'id'
}

/** An open Parquet file: its footer is read, nothing else. */
export interface ParquetReader {
  readonly file: ParquetFile
  readonly footer: ParquetFooter
  /** the footer as it stands in the file, without length and magic */
  readonly footerBytes: Uint8Array
  /** Whether old dates may be counted by another calendar, so that the footer's bounds of them prove nothing. */
  readonly isLegacyCalendar: boolean

  /**
   * The values of some columns in one row group, by column, in row order.
   *
   * A column is named as the file names it, its children too; one the file lacks is null in every row. Values are those
   * of `schema/value.ts` for the type asked for; narrower stored types are widened.
   *
   * @throws DeltaError `FAILED_READ_FILE.NO_HINT`, `FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH`,
   * `LAKE_PARQUET_UNSUPPORTED`, `INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME`
   */
  readRowGroup(index: number, columns: readonly StructField[]): Promise<readonly (readonly Value[])[]>
}

/**
 * Opens a Parquet file by its footer.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT` when it is none, `LAKE_PARQUET_UNSUPPORTED` when it is encrypted
 */
export async function openParquet(file: ParquetFile, options: ReadOptions = {}): Promise<ParquetReader> {
  const { footer, bytes, tail } = await loadFooter(file)
  return new FooterReader(withTail(file, tail), { footer, bytes }, options.matchBy ?? 'name')
}

/** The file, its end served from memory. */
function withTail(file: ParquetFile, tail: FileTail): ParquetFile {
  const read = async (start: number, end: number) =>
    start >= tail.start ? tail.bytes.subarray(start - tail.start, end - tail.start) : file.read(start, end)
  return { name: file.name, size: file.size, read }
}

class FooterReader implements ParquetReader {
  readonly file: ParquetFile
  readonly footer: ParquetFooter
  readonly footerBytes: Uint8Array
  private readonly matchBy: 'name' | 'id'
  private readonly context: ConvertContext

  constructor(file: ParquetFile, loaded: Pick<LoadedFooter, 'footer' | 'bytes'>, matchBy: 'name' | 'id') {
    this.file = file
    this.footer = loaded.footer
    this.footerBytes = loaded.bytes
    this.matchBy = matchBy
    this.context = { calendar: calendarOf(loaded.footer.keyValues), file: file.name }
  }

  get isLegacyCalendar(): boolean {
    return this.context.calendar.legacyDateTime || this.context.calendar.legacyInt96
  }

  async readRowGroup(index: number, columns: readonly StructField[]): Promise<readonly (readonly Value[])[]> {
    const { file } = this
    return reading(file, async () => {
      const group = this.footer.rowGroups[index]
      if (group === undefined) throw new RangeError(`it has no row group ${index}`)
      this.expectFieldIds(columns)
      const shapes = columns.map((column) =>
        shapeColumn(this.footer.root, column, { ...this.context, matchBy: this.matchBy }),
      )
      const bytes = await loadChunks(file, group, shapes)
      return Promise.all(shapes.map((shape) => this.readColumn(group, shape, bytes)))
    })
  }

  private async readColumn(group: RowGroup, shape: ColumnShape, bytes: ChunkBytes): Promise<Value[]> {
    const leaves = new Map<number, LeafColumn>()
    for (const use of shape.uses) leaves.set(use.leaf.firstLeaf, await this.readLeaf(group, use, bytes))
    return assembleColumn(shape.shape, leaves, group.numRows)
  }

  private async readLeaf(group: RowGroup, use: LeafUse, bytes: ChunkBytes): Promise<LeafColumn> {
    const chunk = group.chunks[use.leaf.firstLeaf]!
    const codec = await loadDecompressor(chunk.codec)
    if (codec === undefined) throw unsupported(this.file, `the compression ${chunk.codec}`)
    try {
      return decodeChunk(bytes.get(chunk)!, chunk, codec, use.convert)
    } catch (error) {
      if (error instanceof UnknownEncoding) throw unsupported(this.file, `the encoding ${error.message}`)
      throw error
    }
  }

  /** Without any field id in the file a search by id would find nothing and give nulls where there are values. */
  private expectFieldIds(columns: readonly StructField[]): void {
    if (this.matchBy !== 'id' || columns.every((column) => column.metadata[FIELD_ID_KEY] === undefined)) return
    if (this.footer.root.children.some((child) => child.fieldId !== undefined)) return
    throw unsupported(this.file, 'columns without field ids in a table that maps columns by id')
  }
}

type ChunkBytes = ReadonlyMap<ColumnChunk, Uint8Array>

/** Chunks nearer than this are fetched together: a request costs more than some bytes in between. */
const COALESCE_GAP_BYTES = 32 * 1024
const PARALLEL_READS = 8

async function loadChunks(file: ParquetFile, group: RowGroup, shapes: readonly ColumnShape[]): Promise<ChunkBytes> {
  const wanted = new Set(shapes.flatMap((shape) => shape.uses.map((use) => group.chunks[use.leaf.firstLeaf]!)))
  const spans: { start: number; end: number; chunks: ColumnChunk[] }[] = []
  for (const chunk of [...wanted].sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    const end = chunk.start + chunk.length
    if (last === undefined || chunk.start > last.end + COALESCE_GAP_BYTES) {
      spans.push({ start: chunk.start, end, chunks: [chunk] })
    } else {
      last.end = Math.max(last.end, end)
      last.chunks.push(chunk)
    }
  }
  const result = new Map<ColumnChunk, Uint8Array>()
  await mapParallel(spans, PARALLEL_READS, async ({ start, end, chunks }) => {
    const bytes = await readExactly(file, start, end)
    for (const chunk of chunks) {
      result.set(chunk, bytes.subarray(chunk.start - start, chunk.start - start + chunk.length))
    }
  })
  return result
}

/**
 * Whether the writer counted old dates by the Julian calendar, as Spark's footer keys tell.
 *
 * Files without these keys are taken as stored.
 */
function calendarOf(keyValues: ReadonlyMap<string, string>): Calendar {
  const version = keyValues.get('org.apache.spark.version')
  const before = (major: number, minor: number) => {
    const [, a = '', b = ''] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
    return a !== '' && (Number(a) < major || (Number(a) === major && Number(b) < minor))
  }
  return {
    legacyDateTime: keyValues.has('org.apache.spark.legacyDateTime') || before(3, 0),
    legacyInt96: keyValues.has('org.apache.spark.legacyINT96') || before(3, 1),
  }
}
