/** Several tables under names, queried by SQL: `connect({ tables }).sql('select …')`. */
import type { Batch } from '../engine/index.ts'
import { rowsOf } from '../engine/index.ts'
import { type RowForm, type RowObject, rowDecoder } from '../operations/index.ts'
import type { StructType } from '../schema/index.ts'
import type { MergeInput } from '../table/index.ts'
import type { SqlResult } from './result.ts'
import { type RunOptions, SqlSession, type SqlSessionOptions } from './session.ts'

export interface SqlOptions extends RunOptions {
  /** how values are given, as for `DeltaTable.scan` */
  readonly as?: RowForm
}

/** What a statement gives; it is read once, by one of its methods. */
export class SqlRows {
  readonly schema: StructType
  private readonly result: SqlResult
  private readonly form: RowForm | undefined

  constructor(result: SqlResult, form: RowForm | undefined) {
    this.schema = result.schema
    this.result = result
    this.form = form
  }

  /** Rows by column, values as `schema/value.ts` says. */
  batches(): AsyncIterable<Batch> {
    return this.result.batches
  }

  /** Rows one by one; the memory used does not grow with their number. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowObject, void, undefined> {
    const decode = rowDecoder(this.schema, this.form)
    for await (const batch of this.result.batches) for (const row of rowsOf(batch)) yield decode(row)
  }

  /** All rows at once. */
  async rows(): Promise<RowObject[]> {
    const rows: RowObject[] = []
    for await (const row of this) rows.push(row)
    return rows
  }
}

/** Tables that one connection knows by name. Each statement reads each table at its newest version, unless it names one. */
export class Lake {
  private readonly session: SqlSession
  private readonly onClose: () => Promise<void>

  constructor(options: SqlSessionOptions, onClose: () => Promise<void>) {
    this.session = new SqlSession(options)
    this.onClose = onClose
  }

  /**
   * Runs one statement.
   *
   * @throws what `SqlSession.run` throws
   */
  async sql(text: string, options: SqlOptions = {}): Promise<SqlRows> {
    return new SqlRows(await this.session.run(text, options), options.as)
  }

  /**
   * A SELECT as the source of a MERGE: `table.merge(await lake.source('select …'), …)`. Its rows never leave the engine.
   *
   * @throws what `SqlSession.run` throws
   */
  async source(text: string, options: RunOptions = {}): Promise<MergeInput> {
    const query = await this.session.plan(text, options)
    return { asMergeSource: () => ({ kind: 'query', ...query }) }
  }

  /** Frees what the connection opened. */
  async close(): Promise<void> {
    await this.session.close()
    await this.onClose()
  }
}
