/**
 * Writes Parquet files row group by row group.
 *
 * Pages, dictionaries and Thrift are hyparquet-writer's; levels are made here. Its choices that would lose or hide values
 * are overruled: floating-point columns have no dictionary (it would take -0.0 for 0.0), and no bounds where a NaN is.
 */
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writeColumn } from 'hyparquet-writer/src/column.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { snappyCompress } from 'hyparquet-writer/src/snappy.js'
import { assert } from '../errors/index.ts'
import type { StructType, Value } from '../schema/index.ts'
import { type ShreddedLeaf, shredColumn } from './shred.ts'
import { buildWriteSchema, type WriteNode } from './write-schema.ts'

export interface ParquetWriterOptions {
  /** default snappy */
  readonly compression?: 'snappy' | 'uncompressed' | { readonly zstd: Compressor }
  readonly keyValues?: ReadonlyMap<string, string>
}

/** A page of bytes as one frame. */
export type Compressor = (bytes: Uint8Array) => Uint8Array

type RowGroup = Parameters<typeof writeMetadata>[1]['row_groups'][number]

const MAGIC = 0x31524150
/** parquet-mr trusts bounds only of writers whose name it can take apart */
const CREATED_BY = 'bayou version 0.1.0 (build 0)'
const PAGE_BYTES = 1024 * 1024
/** bytes of a text or binary bound in the footer */
const BOUND_BYTES = 64

/**
 * A Parquet file in the making, held in memory as its encoded bytes.
 *
 * Columns are those of the schema given, by the names they shall have in the file, with their field ids under
 * `FIELD_ID_KEY`; void columns are left out. Values are those of `schema/value.ts`.
 */
export class ParquetWriter {
  private readonly root: WriteNode
  private readonly elements: ReturnType<typeof buildWriteSchema>['elements']
  private readonly bytes = new ByteWriter(64 * 1024)
  private readonly codec: 'SNAPPY' | 'ZSTD' | 'UNCOMPRESSED'
  private readonly compressors: Readonly<Record<string, Compressor>>
  private readonly keyValues: ReadonlyMap<string, string>
  private readonly rowGroups: RowGroup[] = []
  private numRows = 0

  /** @throws DeltaError `DELTA_UNSUPPORTED_DATA_TYPE` for a type Parquet cannot hold */
  constructor(schema: StructType, options: ParquetWriterOptions = {}) {
    const { root, elements } = buildWriteSchema(schema)
    this.root = root
    this.elements = elements
    const { compression = 'snappy' } = options
    const zstd = typeof compression === 'object' ? compression.zstd : undefined
    this.codec = zstd !== undefined ? 'ZSTD' : compression === 'uncompressed' ? 'UNCOMPRESSED' : 'SNAPPY'
    this.compressors = { SNAPPY: snappyCompress, ...(zstd && { ZSTD: zstd }) }
    this.keyValues = options.keyValues ?? new Map()
    this.bytes.appendUint32(MAGIC)
  }

  /** bytes encoded so far; the footer comes on top */
  get size(): number {
    return this.bytes.offset
  }

  /** @param columns the values of each column of the schema, in row order; void columns may be empty */
  writeRowGroup(columns: readonly (readonly Value[])[]): void {
    const start = this.bytes.offset
    const written = this.root.children.map((node, i) => ({ node, values: columns[this.root.ordinals[i]!]! }))
    const numRows = written[0]!.values.length
    if (numRows === 0) return
    assert(
      written.every(({ values }) => values.length === numRows),
      'the columns of a row group have one length',
    )
    const chunks = written.flatMap(({ node, values }) => shredColumn(node, values)).map((leaf) => this.writeLeaf(leaf))
    this.numRows += numRows
    this.rowGroups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, chunk) => sum + (chunk.meta_data?.total_uncompressed_size ?? 0n), 0n),
      num_rows: BigInt(numRows),
      total_compressed_size: BigInt(this.bytes.offset - start),
    })
  }

  private writeLeaf(leaf: ShreddedLeaf): RowGroup['columns'][number] {
    const element = leaf.path.at(-1)!
    const floating = element.type === 'FLOAT' || element.type === 'DOUBLE'
    const nested = leaf.path.some((node) => node.repetition_type === 'REPEATED')
    const { chunk } = writeColumn({
      writer: this.bytes,
      column: {
        columnName: leaf.path.map((node) => node.name).join('.'),
        element,
        schemaPath: [...leaf.path],
        codec: this.codec,
        compressors: this.compressors,
        stats: true,
        statisticsTruncateLength: BOUND_BYTES,
        pageSize: PAGE_BYTES,
        columnIndex: false,
        offsetIndex: false,
        ...(floating && { encoding: 'PLAIN' as const }),
      },
      pageData: {
        values: leaf.values,
        definitionLevels: leaf.definitions,
        repetitionLevels: nested ? leaf.repetitions : [],
        maxDefinitionLevel: leaf.maxDefinition,
      },
    })
    const statistics = chunk.meta_data?.statistics
    if (floating && statistics !== undefined && leaf.values.some((value) => Number.isNaN(value))) {
      delete statistics.min_value
      delete statistics.max_value
    }
    return chunk
  }

  /** Ends the file. @returns all of its bytes */
  finish(): Uint8Array<ArrayBuffer> {
    writeMetadata(
      this.bytes,
      {
        version: 1,
        created_by: CREATED_BY,
        schema: this.elements,
        num_rows: BigInt(this.numRows),
        row_groups: this.rowGroups,
        metadata_length: 0,
        ...(this.keyValues.size > 0 && {
          key_value_metadata: Array.from(this.keyValues, ([key, value]) => ({ key, value })),
        }),
      },
      BOUND_BYTES,
    )
    this.bytes.appendUint32(MAGIC)
    return this.bytes.getBytes().slice()
  }
}
