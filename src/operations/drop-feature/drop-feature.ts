/**
 * Takes a table feature out of a table: cleans up what uses it, then commits the lowest protocol that holds the rest.
 *
 * Every step is a commit of its own that leaves a whole table, and each looks for itself whether it is needed: a drop that
 * was interrupted goes on when it is begun again. Source: Delta protocol, "Checkpoint Protection"; the steps and their
 * order are the reference's.
 */
import { deltaError } from '../../errors/index.ts'
import type { Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import type { DropFeatureCommand, DropFeatureResult } from '../drop-feature-command.ts'
import { BARRIERS, checkpointNewest, raiseBarrier } from './barrier.ts'
import { checkDrop, isPresent } from './check.ts'
import { cutHistory, readyMsOf } from './cut-history.ts'
import { downgrade, protectsHistory } from './downgrade.ts'
import { dropProtection } from './drop-protection.ts'
import { interruptedDowngrade } from './interrupted.ts'
import { namedUnmanaged } from './managed.ts'
import type { Drop } from './removal.ts'
import { keepMsOf, retentionText, timeText } from './retention.ts'
import { findTraces } from './traces.ts'

/**
 * @throws DeltaError those of `checkDrop` and of the feature's own file before anything is written;
 * `DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD` and `DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST` with the time from
 * which another run succeeds; `DELTA_FEATURE_DROP_CHECKPOINT_FAILED`, `DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL`,
 * conflict codes, `DELTA_TABLE_NOT_FOUND`, a `LAKE_STORAGE_…` code
 */
export async function executeDropFeature(
  command: DropFeatureCommand,
  context: OperationContext,
): Promise<DropFeatureResult> {
  const begun = await namedUnmanaged(command.feature, () =>
    context.withSnapshot(undefined, (snapshot) => begin(command, snapshot)),
  )
  if (typeof begun === 'number') {
    await checkpointNewest(command.feature, context)
    return { version: begun }
  }
  if (begun.removal.name === 'checkpointProtection') return { version: await dropProtection(begun, context) }
  const hasChanged = await cleanUp(begun, context)
  const version = begun.truncateHistory
    ? await dropWithHistory(begun, hasChanged, context)
    : await dropKeepingHistory(begun, context)
  return { version }
}

/** @returns the version of a downgrade that lacks nothing but its checkpoint, where that is all there is to do */
async function begin(command: DropFeatureCommand, snapshot: Snapshot): Promise<Drop | number> {
  const table = { path: snapshot.store.location, protocol: snapshot.protocol }
  if (!isPresent(command.feature, snapshot.protocol)) {
    const version = await interruptedDowngrade(command, snapshot)
    if (version !== undefined) return version
  }
  const drop = checkDrop(command, table)
  drop.removal.validate?.(snapshot)
  return drop
}

/** Takes every use of the feature out of the newest version. @returns whether there was any */
async function cleanUp({ removal }: Drop, context: OperationContext): Promise<boolean> {
  let hasChanged = false
  for (const step of removal.steps) {
    const isChange = await context.withSnapshot(undefined, async (snapshot) => {
      const planned = await step.plan(snapshot, context)
      await planned?.commit()
      return planned?.isChange ?? false
    })
    hasChanged ||= isChange
  }
  return hasChanged
}

/** Old versions stay; where their readers must know the feature, behind barriers. */
async function dropKeepingHistory(drop: Drop, context: OperationContext): Promise<number> {
  const isProtected = protectsHistory(drop)
  if (isProtected) for (let i = 0; i < BARRIERS; i++) await raiseBarrier(drop, context)
  const version = await downgrade(drop, context)
  if (isProtected) await checkpointNewest(drop.feature, context)
  return version
}

/** Old versions go, once they are old enough. */
async function dropWithHistory(drop: Drop, hasChanged: boolean, context: OperationContext): Promise<number> {
  await raiseBarrier(drop, context)
  if (hasChanged)
    await context.withSnapshot(undefined, (snapshot) => refuseUntilExpired(drop, snapshot, context, 'waits'))
  await context.withSnapshot(undefined, async (snapshot) => {
    const find = async () => {
      const { history, traces } = await findTraces(drop.removal, snapshot, context)
      return { history, last: traces?.last ?? -1 }
    }
    await cutHistory(snapshot, find, context)
    await refuseUntilExpired(drop, snapshot, context, 'has traces')
  })
  return await downgrade(drop, context)
}

/** @param why `waits`: the feature was in use until now, so that there are traces whatever the log shows */
async function refuseUntilExpired(
  { feature, removal }: Drop,
  snapshot: Snapshot,
  context: OperationContext,
  why: 'waits' | 'has traces',
): Promise<void> {
  const { traces, history } = await findTraces(removal, snapshot, context)
  if (traces === undefined && why === 'has traces') return
  const keepMs = keepMsOf(snapshot)
  const readyMs = readyMsOf(history, traces?.last ?? snapshot.version, keepMs, context.clock.now())
  const details = { feature, retention: retentionText(keepMs), time: timeText(readyMs), readyMs, ...traces }
  if (why === 'waits') throw deltaError('DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD', details)
  throw deltaError('DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST', details)
}
