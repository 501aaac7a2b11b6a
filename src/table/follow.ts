/** What a table gains, batch by batch, as a program takes it. */
import type { Batch } from '../engine/index.ts'
import { rowsOf } from '../engine/index.ts'
import type { FollowOffset } from '../kernel/index.ts'
import {
  type Backend,
  type FollowCommand,
  type FollowedBatch,
  type RowForm,
  type RowObject,
  rowDecoder,
  type TableRef,
} from '../operations/index.ts'
import type { StructType } from '../schema/index.ts'
import { type FollowOptions, followFromOf, followRulesOf, runOptions } from './options.ts'

const POLL_MS = 1000

/** Some rows a table has gained, and the offset at which to go on behind them. Each method reads anew. */
export class MicroBatch {
  /** plain JSON: kept by whoever has done with the batch, it goes on behind it in another run */
  readonly offset: FollowOffset
  readonly schema: StructType
  private readonly batch: FollowedBatch
  private readonly form: RowForm | undefined

  constructor(batch: FollowedBatch, form: RowForm | undefined) {
    this.offset = batch.offset
    this.schema = batch.schema
    this.batch = batch
    this.form = form
  }

  /** Rows by column, as the engine gives them. */
  batches(): AsyncIterable<Batch> {
    return this.batch.batches()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowObject, void, undefined> {
    const decode = rowDecoder(this.schema, this.form)
    for await (const batch of this.batches()) for (const row of rowsOf(batch)) yield decode(row)
  }

  async rows(): Promise<RowObject[]> {
    const rows: RowObject[] = []
    for await (const row of this) rows.push(row)
    return rows
  }
}

/** @throws DeltaError what `followFromOf` and `followRulesOf` throw, before anything is read */
export function follow(
  backend: Backend,
  table: TableRef,
  options: FollowOptions,
): AsyncGenerator<MicroBatch, void, undefined> {
  const { where, select, as: form } = options
  const command: FollowCommand = {
    kind: 'follow',
    table,
    from: followFromOf(options),
    rules: followRulesOf(options),
    pollMs: options.pollMs ?? POLL_MS,
    untilLatest: options.untilLatest === true,
    ...(where !== undefined && { where }),
    ...(select !== undefined && { select }),
  }
  return (async function* () {
    for await (const batch of await backend.execute(command, runOptions(options))) yield new MicroBatch(batch, form)
  })()
}
