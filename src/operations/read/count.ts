/** The number of rows: from the log where it is exact there, else from footers, else by reading. */
import { type AddFile, type Snapshot, scanPages } from '../../kernel/index.ts'
import type { CountCommand, CountResult } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindRead } from './bind-read.ts'
import { liveRows } from './live-rows.ts'

/** @throws what `executeScan` throws */
export async function executeCount(command: CountCommand, context: OperationContext): Promise<CountResult> {
  const { at, where } = command
  return await context.withSnapshot(at, async (snapshot) => {
    return where === undefined ? await countAll(snapshot, context) : await countWhere(snapshot, context, where)
  })
}

/** Files whose statistics name no number are counted by the engine. */
async function countAll(snapshot: Snapshot, { engine, options }: OperationContext): Promise<CountResult> {
  const { version, store, layout } = snapshot
  const unknown: AddFile[] = []
  let count = 0
  for await (const page of scanPages(snapshot, undefined, options.signal ? { signal: options.signal } : {})) {
    for (const file of page) {
      const rows = liveRows(file)
      if (rows === undefined) unknown.push(file)
      else count += rows
    }
  }
  if (unknown.length === 0) return { version, count, source: 'log' }
  const counted = await engine.count({ store, layout, files: unknown, columns: [] }, options)
  return { version, count: count + counted, source: 'files' }
}

async function countWhere(
  snapshot: Snapshot,
  { engine, options }: OperationContext,
  where: NonNullable<CountCommand['where']>,
): Promise<CountResult> {
  const { version, store } = snapshot
  const { layout, filter } = bindRead({ where }, snapshot.layout)
  const files: AddFile[] = []
  for await (const page of scanPages(snapshot, filter, options.signal ? { signal: options.signal } : {}))
    files.push(...page)
  const count =
    files.length === 0
      ? 0
      : await engine.count({ store, layout, files, columns: [], ...(filter && { filter }) }, options)
  return { version, count, source: 'files' }
}
