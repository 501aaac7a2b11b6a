/** A read of what changed that has not begun: nothing is opened before rows are asked for. */
import type { Batch } from '../engine/index.ts'
import { rowsOf } from '../engine/index.ts'
import {
  type Backend,
  type ChangesCommand,
  type ChangesResult,
  type RowObject,
  rowDecoder,
  type TableRef,
} from '../operations/index.ts'
import { type ChangesOptions, changeRangeOf, runOptions } from './options.ts'

/**
 * Rows that changed, version after version; of a version what was deleted comes before what was inserted, unless its
 * writer recorded another order. Each method reads anew.
 */
export class TableChanges {
  private readonly backend: Backend
  private readonly command: ChangesCommand
  private readonly options: ChangesOptions

  constructor(backend: Backend, table: TableRef, options: ChangesOptions) {
    const { where, select, limit } = options
    this.backend = backend
    this.options = options
    this.command = {
      kind: 'changes',
      table,
      range: changeRangeOf(options),
      ...(where !== undefined && { where }),
      ...(select !== undefined && { select }),
      ...(limit !== undefined && { limit }),
    }
  }

  /** Reads the log and checks the range. */
  async open(): Promise<ChangesResult> {
    return await this.backend.execute(this.command, runOptions(this.options))
  }

  /** Rows by column, as the engine gives them. */
  async *batches(): AsyncGenerator<Batch, void, undefined> {
    yield* (await this.open()).batches()
  }

  /** Rows one by one; the memory used does not grow with their number. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowObject, void, undefined> {
    const result = await this.open()
    const decode = rowDecoder(result.schema, this.options.as)
    for await (const batch of result.batches()) for (const row of rowsOf(batch)) yield decode(row)
  }

  /** All rows at once. */
  async rows(): Promise<RowObject[]> {
    const rows: RowObject[] = []
    for await (const row of this) rows.push(row)
    return rows
  }
}
