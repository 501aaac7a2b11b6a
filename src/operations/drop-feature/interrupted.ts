/** A drop whose last commit stands and whose checkpoint behind it does not. */
import { keptHistory, property, readCommit, type Snapshot } from '../../kernel/index.ts'
import { isJsonObject } from '../../support/index.ts'
import type { DropWish } from './check.ts'

/**
 * @returns the version by which this very feature left the table, where no checkpoint at or behind it lets readers begin
 * that do not know the feature
 */
export async function interruptedDowngrade(wish: DropWish, snapshot: Snapshot): Promise<number | undefined> {
  const { configuration, store } = snapshot
  const version = property(configuration, 'requireCheckpointProtectionBeforeVersion')
  if (version === 0 || wish.truncateHistory) return undefined
  const { checkpoints } = await keptHistory(snapshot)
  if (checkpoints.some((checkpoint) => checkpoint.version >= version)) return undefined
  const { actions } = await readCommit(store, version)
  const told = actions.flatMap((action) => ('commitInfo' in action ? [action.commitInfo] : []))[0]
  const parameters = told?.operation === 'DROP FEATURE' ? told.operationParameters : undefined
  return isJsonObject(parameters) && parameters.featureName === wish.feature ? version : undefined
}
