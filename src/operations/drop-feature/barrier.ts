/** Commits without a change, each with a checkpoint: where readers that know less stop going back. */
import { causeText, deltaError } from '../../errors/index.ts'
import { isManagedLog, publishedVersion, type Snapshot, writeCheckpoint } from '../../kernel/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import { beginChange, commitChange } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import type { Drop } from './removal.ts'

/** A reader whose newest checkpoint is broken tries two older ones. */
export const BARRIERS = 3
const TRIES = 3

/**
 * Makes an empty commit and a checkpoint at it, or at a later version where others write meanwhile.
 *
 * @throws DeltaError `DELTA_FEATURE_DROP_CHECKPOINT_FAILED`, conflict codes, `LAKE_COMMIT_UNKNOWN`
 */
export async function raiseBarrier({ feature, removal }: Drop, context: OperationContext): Promise<void> {
  await context.withSnapshot(undefined, async (snapshot) => {
    const change = beginChange(snapshot, context, { operation: 'Empty Commit', drops: removal.name })
    return await commitChange(change, context)
  })
  await checkpointNewest(feature, context)
}

/** @throws DeltaError `DELTA_FEATURE_DROP_CHECKPOINT_FAILED` after three tries */
export async function checkpointNewest(feature: string, context: OperationContext): Promise<void> {
  for (let tries = 1; ; tries++) {
    throwIfAborted(context.options.signal, 'dropping a feature')
    let version = -1
    try {
      return await context.withSnapshot(undefined, async (snapshot) => {
        version = snapshot.version
        requirePublished(snapshot)
        await writeCheckpoint(snapshot, { clock: context.clock })
      })
    } catch (cause) {
      if (tries < TRIES) continue
      const details = { feature, tries, version, cause: causeText(cause) }
      throw deltaError('DELTA_FEATURE_DROP_CHECKPOINT_FAILED', details, { cause })
    }
  }
}

/** Only what lies published of a managed table can be summed up. */
function requirePublished({ store, version }: Snapshot): void {
  if (!isManagedLog(store) || (publishedVersion(store) ?? -1) >= version) return
  throw deltaError('LAKE_STORAGE_UNAVAILABLE', {
    operation: 'publish',
    key: `version ${version}`,
    cause: 'the catalog has ratified it, and it is not published yet',
  })
}
