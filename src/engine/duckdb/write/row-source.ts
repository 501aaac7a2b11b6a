/**
 * Rows that are values already: appended to a temporary table in chunks, and copied to files once there is about a
 * file's worth. The table spills to disk under the memory limit.
 */
import type { DuckDBAppender } from '@duckdb/node-api'
import type { Row, StructType, Value } from '../../../schema/index.ts'
import { throwIfAborted } from '../../../support/index.ts'
import type { RowSource } from '../../index.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { CHUNK_ROWS, ChunkBuilder } from '../values/write-chunk.ts'
import { type SourceCounts, tableColumns, type WriteJob } from './job.ts'
import { SizeGuess } from './size-guess.ts'

type Rows = Extract<RowSource, { kind: 'rows' }>

export async function writeRows(source: Rows, job: WriteJob): Promise<SourceCounts> {
  const staging = await RowStaging.open(source.schema, job)
  for await (const rows of source.rows) {
    throwIfAborted(job.options.signal, 'the write')
    await staging.add(rows)
  }
  await staging.finish()
  return { numFiltered: 0, numRejected: 0 }
}

/** Collects rows in the temporary table `staged` and writes them out in files' worths. */
export class RowStaging {
  private readonly job: WriteJob
  private readonly builder: ChunkBuilder
  private readonly relation: string
  private readonly createSql: string
  private readonly guess: SizeGuess
  private appender: DuckDBAppender | undefined
  private pending: Row[] = []
  private staged = 0
  /** whether the table is there and holds only rows not yet written */
  private begun = false

  private constructor(schema: StructType, job: WriteJob, builder: ChunkBuilder) {
    this.job = job
    this.builder = builder
    this.guess = new SizeGuess(job.plan.targetFileSize)
    const stored = schema.fields.map((field, i) => ({ field, i })).filter(({ field }) => field.type.kind !== 'void')
    this.createSql = `CREATE OR REPLACE TEMP TABLE staged (${stored
      .map(({ field, i }) => `c${i} ${sqlType(field.type, LOGICAL)}`)
      .join(', ')})`
    const columns = tableColumns({ schema, naming: LOGICAL, columnSql: (i) => `c${i}` }, job.plan)
    this.relation = `SELECT ${columns} FROM staged`
  }

  static async open(schema: StructType, job: WriteJob): Promise<RowStaging> {
    return new RowStaging(schema, job, new ChunkBuilder(await import('@duckdb/node-api'), schema, LOGICAL))
  }

  async add(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      this.pending.push(row)
      if (this.pending.length === CHUNK_ROWS) await this.append()
    }
  }

  async finish(): Promise<void> {
    await this.append()
    await this.flush()
  }

  private async append(): Promise<void> {
    if (this.pending.length === 0) return
    await this.begin()
    this.appender ??= await this.job.session.connection.createAppender('staged')
    this.appender.appendDataChunk(this.builder.build(this.pending))
    this.staged += this.pending.length
    this.guess.add(this.pending.reduce((sum, row) => sum + rawSize(row), 0))
    this.pending = []
    if (this.guess.isFull) await this.flush()
  }

  private async begin(): Promise<void> {
    if (this.begun) return
    await this.job.session.run(this.createSql, this.job.options)
    this.begun = true
  }

  /** Rows in the appender are not in the table before it is closed. */
  private endAppending(): void {
    this.appender?.closeSync()
    this.appender = undefined
  }

  private async flush(): Promise<void> {
    this.endAppending()
    if (this.staged === 0) return
    this.begun = false
    const before = this.job.writer.files.length
    await this.job.writer.write(this.relation)
    this.guess.written(this.job.writer.files.slice(before).reduce((sum, file) => sum + file.size, 0))
    this.staged = 0
    this.job.report()
  }
}

/** Bytes a value takes before encoding, roughly. */
function rawSize(value: Value | Row): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length + 4
  if (Array.isArray(value)) return (value as readonly Value[]).reduce<number>((sum, item) => sum + rawSize(item), 4)
  if (value !== null && typeof value === 'object' && 'key' in value) {
    const entry = value as unknown as { key: Value; value: Value }
    return rawSize(entry.key) + rawSize(entry.value)
  }
  return 8
}
