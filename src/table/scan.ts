/** A read of a table that has not begun: nothing is opened before rows are asked for. */
import { type ArrowStream, toArrow } from '../arrow/index.ts'
import type { Batch } from '../engine/index.ts'
import { rowsOf } from '../engine/index.ts'
import { deltaError } from '../errors/index.ts'
import {
  type Backend,
  type MergeSource,
  type RowObject,
  rowDecoder,
  type ScanCommand,
  type ScanResult,
  type TableRef,
} from '../operations/index.ts'
import { readPointOf, runOptions, type ScanOptions } from './options.ts'
import type { MergeInput } from './table-rows.ts'

/** Rows of one version of a table, in no promised order across files. Each method reads anew. */
export class TableScan implements MergeInput {
  private readonly backend: Backend
  private readonly command: ScanCommand
  private readonly options: ScanOptions

  constructor(backend: Backend, table: TableRef, options: ScanOptions) {
    this.backend = backend
    this.options = options
    const at = readPointOf(options)
    this.command = {
      kind: 'scan',
      table,
      ...(at === undefined ? {} : { at }),
      ...(options.where === undefined ? {} : { where: options.where }),
      ...(options.select === undefined ? {} : { select: options.select }),
      ...(options.rowIds === undefined ? {} : { rowIds: options.rowIds }),
      ...(options.limit === undefined ? {} : { limit: options.limit }),
    }
  }

  /** Opens the table and plans the read. */
  async open(): Promise<ScanResult> {
    return await this.backend.execute(this.command, runOptions(this.options))
  }

  /** Rows by column, as the engine gives them: values as `schema/value.ts` says. */
  async *batches(): AsyncGenerator<Batch, void, undefined> {
    const result = await this.open()
    yield* result.batches()
  }

  /** Rows one by one; the memory used does not grow with their number. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowObject, void, undefined> {
    const result = await this.open()
    const decode = rowDecoder(result.schema, this.options.as)
    for await (const batch of result.batches()) {
      for (const row of rowsOf(batch)) yield decode(row)
    }
  }

  /**
   * The rows as Arrow, batch by batch: a form that other libraries take in bulk. `src/arrow/to-arrow.ts` has the types.
   *
   * ```ts
   * const { schema, batches } = await orders.scan({ where: "country = 'FR'" }).arrow()
   * ```
   */
  async arrow(): Promise<ArrowStream> {
    const { schema, batches } = await this.open()
    return await toArrow(schema, batches())
  }

  /** The rows as the source of a MERGE. */
  asMergeSource(): MergeSource {
    const { table, at, where, select, limit, rowIds } = this.command
    if (limit !== undefined || rowIds) {
      throw deltaError('LAKE_USAGE', {
        problem: 'a scan with a limit or with ids of rows is the source of a MERGE',
        advice: 'give all of its rows, or those you read of it',
      })
    }
    return { kind: 'table', table, ...(at && { at }), ...(where !== undefined && { where }), ...(select && { select }) }
  }

  /** All rows at once. */
  async rows(): Promise<RowObject[]> {
    const rows: RowObject[] = []
    for await (const row of this) rows.push(row)
    return rows
  }

  /** The number of rows, without reading them where the log or footers know it; `limit` does not count. */
  async count(): Promise<number> {
    const { table, at, where } = this.command
    const command = { kind: 'count', table, ...(at && { at }), ...(where !== undefined && { where }) } as const
    return (await this.backend.execute(command, runOptions(this.options))).count
  }
}
