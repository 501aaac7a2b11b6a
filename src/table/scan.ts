/** A read of a table that has not begun: nothing is opened before rows are asked for. */
import type { Batch } from '../engine/index.ts'
import {
  type Backend,
  type RowObject,
  rowDecoder,
  type ScanCommand,
  type ScanResult,
  type TableRef,
} from '../operations/index.ts'
import type { Value } from '../schema/index.ts'
import { readPointOf, runOptions, type ScanOptions } from './options.ts'

/** Rows of one version of a table, in no promised order across files. Each method reads anew. */
export class TableScan {
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

/** The rows of a batch, each as values in the order of the batch's schema. */
export function* rowsOf(batch: Batch): Generator<readonly Value[], void, undefined> {
  const columns = batch.schema.fields.map((_, i) => batch.column(i))
  for (let row = 0; row < batch.numRows; row++) yield columns.map((column) => column[row] ?? null)
}
