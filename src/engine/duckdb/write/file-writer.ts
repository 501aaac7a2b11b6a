/**
 * Parquet files of a table, written by COPY.
 *
 * Every output column is cast to the exact type other readers take in, PARQUET_VERSION stays V1. Rows of several
 * partitions wait in a temporary table, from which each partition is copied: that gives files of known size, in order,
 * under their final names, with no partition text passing through the engine. A failed write deletes every file it began.
 */

import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { causeText, deltaError } from '../../../errors/index.ts'
import {
  formatPartitionValue,
  type PartitionValues,
  physicalName,
  type StatisticsLeaf,
  statisticsLeaves,
} from '../../../kernel/index.ts'
import type { StructField, Value } from '../../../schema/index.ts'
import { makeFolder } from '../../../storage/fs/index.ts'
import { dataFolder, type WritePlan, type WrittenFile } from '../../index.ts'
import type { DuckDatabase, DuckSession, QueryOptions } from '../instance.ts'
import { pathList, quoteIdent, quoteLiteral } from '../sql-text.ts'
import { literal } from '../values/literal.ts'
import { readVector } from '../values/read-vector.ts'
import { type CopiedFile, copiedFile, leafKey, statsOf } from './copied-file.ts'
import { fieldIds } from './field-ids.ts'
import { type FloatColumn, floatColumns, mayLoseNegativeZero, WITHOUT_DICTIONARY } from './negative-zero.ts'
import { RowFinish } from './row-finish.ts'
import { writeFailure } from './write-failure.ts'

const COMPRESSION = {
  zstd: 'COMPRESSION zstd, COMPRESSION_LEVEL 1',
  snappy: 'COMPRESSION snappy',
  uncompressed: 'COMPRESSION uncompressed',
} as const

/** So many partitions are found by reading the rows once for each, which is cheaper than sorting them. */
const MAX_UNSORTED = 8

/** Files that end behind a row group come near a size only where it is that of several. */
const LEAST_STREAMED = 32 * 1024 * 1024

export interface RelationTraits {
  /** all rows are known to be of one partition */
  readonly hasOnePartition?: boolean
  /** the partition of all rows, where it is known: as the log has it, by physical name */
  readonly partitionValues?: PartitionValues | undefined
  /** the relation is columns of a table: reading it again costs little and gives the same rows */
  readonly isTable?: boolean
}

export class FileWriter {
  readonly files: WrittenFile[] = []
  private readonly database: DuckDatabase
  private readonly session: DuckSession
  private readonly plan: WritePlan
  private readonly options: QueryOptions
  private readonly stored: readonly { field: StructField; ordinal: number }[]
  private readonly partition: readonly { field: StructField; ordinal: number }[]
  private readonly floats: readonly FloatColumn[]
  private readonly leaves: readonly StatisticsLeaf[]
  private readonly finish: RowFinish
  /** whether rows that come in one partition may leave in several */
  private readonly fillsPartition: boolean
  /** rows have come in many partitions, and will again */
  private isScattered = false
  /** keys and paths begun, for `abort` */
  private readonly begun: { key: string; path: string }[] = []

  constructor(database: DuckDatabase, session: DuckSession, plan: WritePlan, options: QueryOptions) {
    this.database = database
    this.session = session
    this.plan = plan
    this.options = options
    const { schema, partitionColumns, storesPartitions = false } = plan.layout
    const columns = schema.fields.map((field, ordinal) => ({ field, ordinal }))
    this.partition = partitionColumns.map((name) => columns.find(({ field }) => field.name === name)!)
    const own = columns.filter(({ field }) => !partitionColumns.includes(field.name) && field.type.kind !== 'void')
    this.stored = storesPartitions ? [...own, ...this.partition] : own
    this.floats = floatColumns(this.stored, plan.layout)
    this.leaves = statisticsLeaves(plan.layout, plan.statistics)
    this.finish = new RowFinish(session, plan, options)
    this.fillsPartition = fillsPartition(plan)
    if (own.length === 0) {
      throw deltaError('DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION', { columns: partitionColumns.join(', ') })
    }
  }

  /** Rows written so far. */
  get numRows(): number {
    return this.files.reduce((sum, file) => sum + file.numRecords, 0)
  }

  /**
   * Writes the rows of a relation, which should be about one file's worth.
   *
   * @param relation a SELECT that gives `d<ordinal>` of the table's type for every column that is not void
   */
  async write(
    relation: string,
    { hasOnePartition = false, partitionValues, isTable = false }: RelationTraits = {},
  ): Promise<void> {
    const before = this.numRows
    const filled = await this.finish.fill(relation)
    try {
      const checked = await this.finish.checked(filled)
      if (this.partition.length === 0) await this.writeFile(new Map(), checked)
      else if (partitionValues !== undefined && !this.fillsPartition) await this.writeFile(partitionValues, checked)
      else if (hasOnePartition && !this.fillsPartition) await this.writePartition(checked)
      else await this.writePartitions(checked, isTable && this.isPlain)
    } catch (error) {
      throw await this.finish.explain(error, filled)
    }
    this.finish.written(this.numRows - before)
  }

  /** Whether rows can go into files as they come, without a second look at any of them. */
  get canStream(): boolean {
    const { maxRecordsPerFile, targetFileSize } = this.plan
    const isEven = maxRecordsPerFile === undefined && targetFileSize >= LEAST_STREAMED
    return this.isPlain && isEven && this.partition.length === 0 && this.floats.length === 0
  }

  /** Whether rows are written as they are. */
  private get isPlain(): boolean {
    const { computed = [], numbered = [], checks = [] } = this.plan
    return computed.length + numbered.length + checks.length === 0
  }

  /**
   * Writes the rows of a relation, however many, into files of about the size the plan wants; only where `canStream`.
   *
   * @param relation as in `write`; it is read once
   * @throws what is no error of the catalogue where the relation itself failed
   */
  async stream(relation: string): Promise<void> {
    const folder = dataFolder(this.plan, new Map())
    const name = this.freshName()
    const local = this.plan.store.localPath?.(folder + name)
    const directory = local === undefined ? this.database.tempFile('') : dirname(local)
    await this.makeFolder(directory, folder + name)
    const more = `, FILE_SIZE_BYTES ${this.plan.targetFileSize}, FILENAME_PATTERN ${quoteLiteral(`${name}-{i}`)}, OVERWRITE_OR_IGNORE`
    const checked = await this.finish.checked(relation)
    const rows = await this.session.query(this.copySql(checked, directory, more), this.options).catch(async (cause) => {
      for (const file of await readdir(directory)) if (file.startsWith(name)) await rm(join(directory, file))
      // a failure that names another file is one of reading
      throw await this.finish.explain(
        causeText(cause).includes(name) ? writeFailure(cause, folder + name) : cause,
        relation,
      )
    })
    const files = rows.map((row) => ({ path: String(row[0]), copied: copiedFile(row) }))
    const begun = files.map(({ path, copied }) => ({ key: folder + basename(path), path, copied }))
    this.begun.push(...begun)
    for (const { key, path, copied } of begun) await this.finishFile({ key, path }, copied, new Map())
  }

  /** Deletes every file begun. */
  async abort(): Promise<void> {
    for (const { key, path } of this.begun) {
      await rm(path, { force: true })
      if (this.plan.store.localPath === undefined) await this.plan.store.delete(key)
    }
  }

  /** Straight into a file: nothing waits. */
  private async writePartition(relation: string): Promise<void> {
    const values = this.partition.map(({ ordinal }) => `d${ordinal}`)
    const [partition] = await this.partitions(`SELECT 1::BIGINT, ${values.join(', ')} FROM (${relation}) LIMIT 1`)
    if (partition !== undefined) await this.writeFile(this.partitionTexts(partition.values), relation)
  }

  /** @param isTable whether the rows need not wait in a table, for they lie in one */
  private async writePartitions(relation: string, isTable: boolean): Promise<void> {
    const numbered = `SELECT *, row_number() OVER () AS r FROM (${relation})`
    if (this.isScattered) return this.writeSorted(numbered)
    if (!isTable) await this.run(`CREATE OR REPLACE TEMP TABLE waiting AS SELECT * FROM (${relation})`)
    const [rows, place] = isTable ? [`(${relation})`, `any_value(${this.keys()[0]})`] : ['waiting', 'min(rowid)']
    const partitions = await this.partitions(`SELECT count(*)::BIGINT, ${this.keyValues()}
      FROM ${rows} GROUP BY ${this.keys().join(', ')} ORDER BY ${place}`)
    this.isScattered = partitions.length > MAX_UNSORTED
    if (this.isScattered) await this.writeSorted(isTable ? numbered : 'SELECT *, rowid AS r FROM waiting')
    for (const { values } of this.isScattered ? [] : partitions) {
      const own = partitions.length === 1 ? 'true' : this.isOf(values)
      await this.writeFile(this.partitionTexts(values), `SELECT * FROM ${rows} WHERE ${own}`)
    }
    if (!isTable) await this.run('DROP TABLE waiting')
  }

  /**
   * Each partition is one range of a sorted table.
   *
   * @param relation with the row's place among all as `r`
   */
  private async writeSorted(relation: string): Promise<void> {
    const keys = this.keys().join(', ')
    await this.run(`CREATE OR REPLACE TEMP TABLE sorted AS
      SELECT * EXCLUDE (r) FROM (${relation}) ORDER BY ${keys}, r`)
    const partitions = await this.partitions(`SELECT count(*)::BIGINT, ${this.keyValues()}
      FROM sorted GROUP BY ${keys} ORDER BY min(rowid)`)
    let first = 0n
    for (const { count, values } of partitions) {
      const range = `rowid BETWEEN ${first} AND ${first + count - 1n}`
      await this.writeFile(this.partitionTexts(values), `SELECT * FROM sorted WHERE ${range} ORDER BY rowid`)
      first += count
    }
    await this.run('DROP TABLE sorted')
  }

  /** -0.0 and 0.0 are partitions of their own; as texts they differ. */
  private keys(): string[] {
    return this.partition.map(({ field, ordinal }) => (isFloat(field) ? `d${ordinal}::VARCHAR` : `d${ordinal}`))
  }

  private keyValues(): string {
    return this.partition.map(({ ordinal }) => `any_value(d${ordinal})`).join(', ')
  }

  /** True for the rows of a partition. */
  private isOf(values: readonly Value[]): string {
    const keys = this.keys()
    const tests = this.partition.map(({ field }, i) => {
      const value = values[i]!
      if (value === null) return `${keys[i]} IS NULL`
      return `${keys[i]} = ${literal(value, field.type)}${isFloat(field) ? '::VARCHAR' : ''}`
    })
    return tests.join(' AND ')
  }

  /** @param sql a count, then the partition columns */
  private async partitions(sql: string): Promise<{ count: bigint; values: readonly Value[] }[]> {
    const partitions: { count: bigint; values: readonly Value[] }[] = []
    for await (const chunk of this.session.stream(sql, this.options)) {
      const counts = readVector(chunk.getColumnVector(0), { kind: 'long' }) as bigint[]
      const columns = this.partition.map(({ field }, i) => readVector(chunk.getColumnVector(i + 1), field.type))
      for (let row = 0; row < chunk.rowCount; row++) {
        partitions.push({ count: counts[row]!, values: columns.map((column) => column[row]!) })
      }
    }
    return partitions
  }

  private partitionTexts(values: readonly Value[]): PartitionValues {
    return new Map(
      this.partition.map(({ field }, i) => [
        physicalName(field, this.plan.layout),
        formatPartitionValue(values[i]!, field.type, field.name),
      ]),
    )
  }

  /** The rows of a partition, in one file, or in several where the plan limits the rows of one. */
  private async writeFile(partitionValues: PartitionValues, relation: string): Promise<void> {
    const { maxRecordsPerFile: most } = this.plan
    if (most === undefined) return this.writeOneFile(partitionValues, relation)
    await this.run(`CREATE OR REPLACE TEMP TABLE counted AS SELECT * FROM (${relation})`)
    const [count] = (await this.session.query('SELECT count(*)::BIGINT FROM counted', this.options))[0]!
    for (let first = 0; first < Number(count); first += most) {
      const rows = `SELECT * FROM counted WHERE rowid BETWEEN ${first} AND ${first + most - 1} ORDER BY rowid`
      await this.writeOneFile(partitionValues, rows)
    }
    await this.run('DROP TABLE counted')
  }

  private async writeOneFile(partitionValues: PartitionValues, relation: string): Promise<void> {
    const key = `${dataFolder(this.plan, partitionValues)}${this.freshName()}.parquet`
    const path = this.plan.store.localPath?.(key) ?? this.database.tempFile('.parquet')
    await this.makeFolder(dirname(path), key)
    this.begun.push({ key, path })
    await this.finishFile({ key, path }, await this.copyExactly(relation, path, key), partitionValues)
  }

  private freshName(): string {
    return `${this.plan.filePrefix ?? ''}${randomUUID().replaceAll('-', '')}`
  }

  private async makeFolder(directory: string, key: string): Promise<void> {
    await makeFolder(directory).catch((cause: unknown) => {
      throw writeFailure(cause, key)
    })
  }

  /** Takes in a file that is written; one without rows goes. */
  private async finishFile(
    { key, path }: { readonly key: string; readonly path: string },
    copied: CopiedFile,
    partitionValues: PartitionValues,
  ): Promise<void> {
    if (copied.numRecords === 0) return rm(path, { force: true })
    const stats = statsOf(copied, this.leaves, await this.nestedNulls(path, copied.numRecords), this.plan)
    const { size, mtimeMs } = await this.store(key, path)
    this.files.push({
      key,
      partitionValues,
      size,
      modificationTime: Math.floor(mtimeMs),
      numRecords: copied.numRecords,
      stats,
    })
  }

  private async copyExactly(relation: string, path: string, key: string): Promise<CopiedFile> {
    const copied = await this.copy(relation, { path, key, more: '' })
    const look = { columns: this.floats, copied, path, relation }
    return this.floats.length > 0 && (await mayLoseNegativeZero(this.session, look, this.options))
      ? await this.copy(relation, { path, key, more: WITHOUT_DICTIONARY })
      : copied
  }

  private async copy(
    relation: string,
    { path, key, more }: { path: string; key: string; more: string },
  ): Promise<CopiedFile> {
    try {
      return copiedFile((await this.session.query(this.copySql(relation, path, more), this.options))[0]!)
    } catch (cause) {
      // out of memory leaves a part of the file
      await rm(path, { force: true })
      throw writeFailure(cause, key)
    }
  }

  private copySql(relation: string, path: string, more: string): string {
    const columns = this.stored.map(
      ({ field, ordinal }) => `d${ordinal} AS ${quoteIdent(physicalName(field, this.plan.layout))}`,
    )
    const ids = fieldIds(
      this.stored.map(({ field }) => field),
      this.plan.layout,
    )
    return `COPY (SELECT ${columns.join(', ')} FROM (${relation})) TO ${quoteLiteral(path)}
      (FORMAT parquet, ${COMPRESSION[this.plan.compression]}, RETURN_STATS${more}${ids === undefined ? '' : `, FIELD_IDS ${ids}`})`
  }

  private async run(sql: string): Promise<void> {
    try {
      await this.session.run(sql, this.options)
    } catch (cause) {
      throw writeFailure(cause, 'the rows')
    }
  }

  /** COPY counts the nulls inside of a list or map, not the lists and maps that are null. */
  private async nestedNulls(path: string, numRecords: number): Promise<ReadonlyMap<string, number>> {
    const nested = this.leaves.filter(({ type }) => ['array', 'map', 'variant'].includes(type.kind))
    if (nested.length === 0) return new Map()
    const counts = nested.map(({ path: names }) => `count(${names.map(quoteIdent).join('.')})::BIGINT`)
    const rows = await this.session.query(
      `SELECT ${counts.join(', ')} FROM read_parquet(${pathList([path])}, hive_partitioning=false) t`,
      this.options,
    )
    return new Map(nested.map((leaf, i) => [leafKey(leaf), numRecords - Number(rows[0]![i])]))
  }

  /** Makes a finished file durable: on disk in a local folder, else in its store. */
  private async store(key: string, path: string): Promise<{ size: number; mtimeMs: number }> {
    const { store } = this.plan
    try {
      if (store.localPath === undefined) {
        const bytes = await readFile(path)
        await store.put(key, bytes)
        await rm(path, { force: true })
        return { size: bytes.length, mtimeMs: Date.now() }
      }
      const written = await syncPath(path)
      // the names of the file and of directories made for it must last as well
      let directory = dirname(path)
      for (const _ of key.split('/')) {
        await syncPath(directory)
        directory = dirname(directory)
      }
      return written
    } catch (cause) {
      throw writeFailure(cause, key)
    }
  }
}

function isFloat({ type }: StructField): boolean {
  return type.kind === 'float' || type.kind === 'double'
}

function fillsPartition({ layout, computed = [], numbered = [] }: WritePlan): boolean {
  const { schema, partitionColumns } = layout
  return [...computed, ...numbered].some(({ ordinal }) => partitionColumns.includes(schema.fields[ordinal]!.name))
}

async function syncPath(path: string): Promise<{ size: number; mtimeMs: number }> {
  const file = await open(path, 'r')
  try {
    await file.sync()
    return await file.stat()
  } finally {
    await file.close()
  }
}
