/** Takes old history out of the log, as far as a drop with TRUNCATE HISTORY may. */
import { cleanupLog, expiryMs, type KeptHistory, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { keepMsOf } from './retention.ts'

/**
 * Deletes what is older than the table's retention of truncated history; of a table that keeps none, what has to go.
 *
 * @param find looks for the newest version that has to go, -1 where none has to; asked only where no history is kept
 */
export async function cutHistory(
  snapshot: Snapshot,
  find: () => Promise<{ readonly history: KeptHistory; readonly last: number }>,
  { clock }: OperationContext,
): Promise<void> {
  const keepMs = keepMsOf(snapshot)
  if (keepMs > 0) {
    await cleanupLog(snapshot, { clock, keepMs })
    return
  }
  const { history, last } = await find()
  const beginning = beginningBehind(history, last)
  if (beginning !== undefined) await cleanupLog(snapshot, { clock, beginning })
}

/** The newest checkpoint behind a version, the one that a drop has just made only where there is no other. */
export function beginningBehind({ commits, checkpoints }: KeptHistory, last: number): number | undefined {
  const newest = commits.at(-1)?.version ?? 0
  const possible = checkpoints.map(({ version }) => version).filter((version) => version > last)
  return possible.findLast((version) => version < newest) ?? possible.at(-1)
}

/** When a version, and all before it, can go: at once where the table keeps no history. */
export function readyMsOf(history: KeptHistory, last: number, keepMs: number, nowMs: number): number {
  return keepMs === 0 ? nowMs : (expiryMs(history, last, keepMs) ?? nowMs + keepMs)
}
