/**
 * Writes rows as Parquet files, one or more a partition.
 *
 * Rows are kept as they come until there are enough for a row group; a file is ended when it is big enough. On failure
 * every file that was put is deleted again.
 */
import { assert } from '../../errors/index.ts'
import { formatPartitionValue, type PartitionValues, physicalName } from '../../kernel/index.ts'
import { type Compressor, ParquetWriter, type ParquetWriterOptions } from '../../parquet/index.ts'
import { type Row, type StructType, structType } from '../../schema/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import {
  dataFolder,
  type EngineOptions,
  type RowSource,
  type WritePlan,
  type WriteResult,
  type WrittenFile,
} from '../index.ts'
import { rowAdapter } from './adapt-rows.ts'
import { copiedRows, copiedSchema } from './copy.ts'
import { FileStatistics } from './file-statistics.ts'
import { physicalField } from './physical-schema.ts'
import { filledOrdinals, rowFinisher } from './row-finish.ts'
import { sortedRows } from './sorted-rows.ts'
import { type TextCounts, textRows, textSchema } from './text-source.ts'

const WHAT = 'the write'
/** Rows of one row group. */
const GROUP_ROWS = 20_000
/** Rows kept over all partitions before the fullest is made bytes. */
const MAX_PENDING_ROWS = 100_000

export interface JsWriteOptions extends EngineOptions {
  /** for files that should have zstd, which are snappy without it */
  readonly zstd?: Compressor
}

/** See `Engine.write`. */
export async function write(source: RowSource, plan: WritePlan, options: JsWriteOptions = {}): Promise<WriteResult> {
  const writer = new PartitionedWriter(plan, options)
  const counts: TextCounts = { numFiltered: 0, numRejected: 0 }
  try {
    const adapt = rowAdapter(sourceSchema(source), plan.layout.schema, filledOrdinals(plan))
    const finish = rowFinisher(plan)
    for await (const rows of sourceRows(source, counts, options)) {
      throwIfAborted(options.signal, WHAT)
      for (const row of rows) {
        const adapted = adapt(row)
        finish(adapted)
        await writer.add(adapted)
      }
    }
    return { files: await writer.finish(), numRows: writer.numRows, ...counts }
  } catch (error) {
    await writer.discard()
    throw error
  }
}

function sourceSchema(source: RowSource): StructType {
  if (source.kind === 'rows' || source.kind === 'query') return source.schema
  if (source.kind === 'text') return textSchema(source)
  return copiedSchema(source)
}

function sourceRows(source: RowSource, counts: TextCounts, options: EngineOptions): AsyncIterable<readonly Row[]> {
  assert(source.kind !== 'query', 'an engine without SQL is given no query')
  if (source.kind === 'rows') return source.rows
  if (source.kind === 'text') return textRows(source, counts)
  return source.curve === undefined ? copiedRows(source, options) : sortedRows(source.curve, source, options)
}

/** A partition with rows that are in no finished file yet. */
interface OpenPartition {
  readonly values: PartitionValues
  rows: Row[]
  file: { readonly parquet: ParquetWriter; readonly statistics: FileStatistics } | undefined
}

class PartitionedWriter {
  numRows = 0
  private readonly plan: WritePlan
  private readonly options: JsWriteOptions
  private readonly partitions = new Map<string, OpenPartition>()
  private readonly files: WrittenFile[] = []
  private readonly partitionOrdinals: readonly number[]
  /** columns that are stored, as ordinals and as files name them */
  private readonly storedOrdinals: readonly number[]
  private readonly storedSchema: StructType
  private pendingRows = 0

  constructor(plan: WritePlan, options: JsWriteOptions) {
    const { schema, partitionColumns, storesPartitions = false } = plan.layout
    this.plan = plan
    this.options = options
    this.partitionOrdinals = partitionColumns.map((name) => schema.fields.findIndex((field) => field.name === name))
    const own = schema.fields.map((_, i) => i).filter((i) => !this.partitionOrdinals.includes(i))
    this.storedOrdinals = storesPartitions ? [...own, ...this.partitionOrdinals] : own
    this.storedSchema = structType(this.storedOrdinals.map((i) => physicalField(schema.fields[i]!, plan.layout)))
  }

  async add(row: Row): Promise<void> {
    const partition = this.partitionOf(row)
    partition.rows.push(row)
    this.numRows++
    this.pendingRows++
    if (this.isFull(partition)) {
      await this.encode(partition)
      await this.endFile(partition)
    } else if (partition.rows.length >= GROUP_ROWS) await this.encode(partition)
    else if (this.pendingRows >= MAX_PENDING_ROWS) await this.encode(this.fullest())
  }

  private get compression(): NonNullable<ParquetWriterOptions['compression']> {
    const { zstd } = this.options
    if (this.plan.compression === 'uncompressed') return 'uncompressed'
    return this.plan.compression === 'zstd' && zstd !== undefined ? { zstd } : 'snappy'
  }

  /** Whether a partition has as many rows as a file may hold. */
  private isFull({ rows, file }: OpenPartition): boolean {
    const { maxRecordsPerFile } = this.plan
    return maxRecordsPerFile !== undefined && rows.length + (file?.statistics.numRecords ?? 0) >= maxRecordsPerFile
  }

  async finish(): Promise<readonly WrittenFile[]> {
    for (const partition of this.partitions.values()) {
      if (partition.rows.length > 0) await this.encode(partition)
      await this.endFile(partition)
    }
    return this.files
  }

  /** Deletes what was put; a file that cannot be deleted is in no commit and left to vacuum. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.files.map((file) => this.plan.store.delete(file.key)))
  }

  private partitionOf(row: Row): OpenPartition {
    const { layout } = this.plan
    const values = new Map(
      this.partitionOrdinals.map((ordinal) => {
        const field = layout.schema.fields[ordinal]!
        return [physicalName(field, layout), formatPartitionValue(row[ordinal]!, field.type, field.name)]
      }),
    )
    const key = JSON.stringify([...values.values()])
    const known = this.partitions.get(key)
    if (known !== undefined) return known
    const partition: OpenPartition = { values, rows: [], file: undefined }
    this.partitions.set(key, partition)
    return partition
  }

  private fullest(): OpenPartition {
    return [...this.partitions.values()].reduce((a, b) => (b.rows.length > a.rows.length ? b : a))
  }

  /** Makes the pending rows of a partition a row group. */
  private async encode(partition: OpenPartition): Promise<void> {
    const { rows } = partition
    partition.file ??= {
      parquet: new ParquetWriter(this.storedSchema, { compression: this.compression }),
      statistics: new FileStatistics(this.plan),
    }
    const { parquet, statistics } = partition.file
    for (const row of rows) statistics.add(row)
    parquet.writeRowGroup(this.storedOrdinals.map((ordinal) => rows.map((row) => row[ordinal]!)))
    this.pendingRows -= rows.length
    partition.rows = []
    if (parquet.size >= this.plan.targetFileSize) await this.endFile(partition)
    this.options.onProgress?.({ rows: this.numRows, bytes: parquet.size, files: this.files.length })
  }

  private async endFile(partition: OpenPartition): Promise<void> {
    const { file } = partition
    if (file === undefined) return
    partition.file = undefined
    const bytes = file.parquet.finish()
    const { compression } = this
    const suffix = typeof compression === 'object' ? '.zstd' : compression === 'snappy' ? '.snappy' : ''
    const { filePrefix = 'part-' } = this.plan
    const key = `${dataFolder(this.plan, partition.values)}${filePrefix}${randomUuid()}${suffix}.parquet`
    const { signal } = this.options
    // known before it is put: a put that failed may have had its effect
    this.files.push({
      key,
      partitionValues: partition.values,
      size: bytes.length,
      modificationTime: Date.now(),
      numRecords: file.statistics.numRecords,
      stats: file.statistics.format(),
    })
    await this.plan.store.put(key, bytes, signal === undefined ? {} : { signal })
  }
}

/** A random UUID; `crypto.randomUUID` is missing where a page was not loaded over HTTPS. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
