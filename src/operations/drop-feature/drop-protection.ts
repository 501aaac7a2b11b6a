/**
 * Drops checkpointProtection: only when nothing is left that it protects. Source: Delta protocol, "Checkpoint Protection".
 */
import { deltaError } from '../../errors/index.ts'
import { keptHistory, property, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { raiseBarrier } from './barrier.ts'
import { cutHistory, readyMsOf } from './cut-history.ts'
import { downgrade } from './downgrade.ts'
import type { Drop } from './removal.ts'
import { keepMsOf, retentionText, timeText } from './retention.ts'

/**
 * @returns the version made
 * @throws DeltaError `DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD` with the time from which another
 * run succeeds, those of `executeDropFeature`
 */
export async function dropProtection(drop: Drop, context: OperationContext): Promise<number> {
  if (await context.withSnapshot(undefined, holdsProtected)) {
    await raiseBarrier(drop, context)
    await context.withSnapshot(undefined, async (snapshot) => {
      const last = protectedVersion(snapshot) - 1
      await cutHistory(snapshot, async () => ({ history: await keptHistory(snapshot), last }), context)
      if (await holdsProtected(snapshot)) throw await tooEarly(snapshot, context)
    })
  }
  for (const step of drop.removal.steps) {
    await context.withSnapshot(undefined, async (snapshot) => await (await step.plan(snapshot, context))?.commit())
  }
  return await downgrade(drop, context)
}

export function protectedVersion({ configuration }: Snapshot): number {
  return property(configuration, 'requireCheckpointProtectionBeforeVersion')
}

/** Whether a commit or the beginning of the log lies before the version that protection counts from. */
export async function holdsProtected(snapshot: Snapshot): Promise<boolean> {
  const before = protectedVersion(snapshot)
  const { commits, checkpoints } = await keptHistory(snapshot)
  return [...commits, ...checkpoints].some(({ version }) => version < before)
}

async function tooEarly(snapshot: Snapshot, { clock }: OperationContext) {
  const version = protectedVersion(snapshot)
  const keepMs = keepMsOf(snapshot)
  const readyMs = readyMsOf(await keptHistory(snapshot), version - 1, keepMs, clock.now())
  const details = { version, retention: retentionText(keepMs), time: timeText(readyMs), readyMs }
  return deltaError('DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD', details)
}
