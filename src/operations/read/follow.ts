/** A table read as it grows: the kernel says what is new, an engine reads it. */
import { type FollowBatch, latestVersion, openFollower } from '../../kernel/index.ts'
import { structType } from '../../schema/index.ts'
import { delay, throwIfAborted } from '../../support/index.ts'
import type { FollowCommand, FollowedBatch } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindWhere, resolveColumns } from './predicate.ts'
import { readScans } from './read-scans.ts'

const WHAT = 'following the table'

/**
 * Checks the start; batches come as they are asked for, and the next one is looked for only then.
 *
 * @throws DeltaError what `openFollower` throws; the iteration what `Follower.next` throws, and `LAKE_CANCELLED`
 */
export async function executeFollow(
  command: FollowCommand,
  context: OperationContext,
): Promise<AsyncIterable<FollowedBatch>> {
  const { store, engine, options, warn } = context
  const { signal } = options
  const call = { onWarning: warn, ...(signal && { signal }) }
  const last = command.untilLatest ? await latestVersion(store, call) : Number.POSITIVE_INFINITY
  const follower = await openFollower(store, engine, command, call)
  return (async function* () {
    for (;;) {
      throwIfAborted(signal, WHAT)
      if (follower.version > last) return
      const batch = await follower.next()
      if (batch !== undefined) yield followed(batch, command, context)
      else if (follower.version <= last) await delay(command.pollMs, signal)
    }
  })()
}

function followed(batch: FollowBatch, { where, select }: FollowCommand, context: OperationContext): FollowedBatch {
  const { offset, schema, scans } = batch
  const columns = resolveColumns(select, schema)
  const filter = where === undefined ? undefined : bindWhere(where, schema)
  return {
    offset,
    schema: structType(columns.map((i) => schema.fields[i]!)),
    batches: () => readScans(scans, { context, columns, filter }),
  }
}
