/** Where a streaming read begins. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { firstVersionSince } from '../changes/plan-changes.ts'
import { type LoadOptions, latestVersion, WarningList } from '../log/index.ts'
import type { LogEngine } from '../snapshot/file-index.ts'
import { loadState } from '../snapshot/load-state.ts'
import { loadTimeline } from '../snapshot/time-travel.ts'
import { requireAdditive } from './changed-table.ts'
import { Follower, type FollowRules } from './follower.ts'
import type { FollowOffset } from './offset.ts'

/**
 * `snapshot`: the table as it is, then what comes; `latest`: only what comes; a version or a time: that version, or the
 * first at or after the time, and what comes; `offset`: what comes behind a batch of an earlier run.
 */
export type FollowFrom =
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'timestamp'; readonly timestampMs: number }
  | { readonly kind: 'offset'; readonly offset: FollowOffset }

/**
 * Begins to follow a table.
 *
 * @throws DeltaError `DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE` for an offset of another table,
 * `DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG`, `DELTA_MISSING_CHANGE_DATA`, `DELTA_VERSION_NOT_FOUND`,
 * `DELTA_TIMESTAMP_GREATER_THAN_COMMIT`, what loading a snapshot throws
 */
export async function openFollower(
  store: ObjectStore,
  log: LogEngine,
  { from, rules }: { readonly from: FollowFrom; readonly rules: FollowRules },
  { signal, onWarning }: LoadOptions = {},
): Promise<Follower> {
  const options = { warnings: new WarningList(onWarning), ...(signal && { signal }) }
  const latest = await latestVersion(store, signal === undefined ? {} : { signal })
  const version = await startVersion(store, log, { from, latest }, signal)
  const state = await loadState(store, log, { ...options, version: version === latest + 1 ? latest : version })
  const tableId = state.metadata.id
  const lastFileMs = rules.readChangeFeed ? await fileTimeBefore(store, log, version, options) : undefined
  const begun = { rules, state, ...(lastFileMs !== undefined && { lastFileMs }), ...(signal && { signal }) }
  if (from.kind !== 'offset') {
    const offset = { tableId, version, index: 0, initialSnapshot: from.kind === 'snapshot' }
    return new Follower(store, log, { ...begun, offset })
  }
  const { offset } = from
  if (offset.tableId !== tableId) {
    const details = { path: store.location, oldId: offset.tableId, newId: tableId }
    throw deltaError('DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE', details)
  }
  const isBehindCommit = !offset.initialSnapshot && version > 0 && version <= latest && !rules.allowRenameAndDrop
  if (isBehindCommit && state.layout.columnMapping !== 'none') {
    requireAdditive(store.location, await loadState(store, log, { ...options, version: version - 1 }), state)
  }
  return new Follower(store, log, { ...begun, offset })
}

/** The feed of a range and the feed that is followed say the same times of a log whose files share theirs. */
async function fileTimeBefore(
  store: ObjectStore,
  log: LogEngine,
  version: number,
  { warnings, signal }: { readonly warnings: WarningList; readonly signal?: AbortSignal },
): Promise<number | undefined> {
  const { files } = await loadTimeline(store, log, warnings, signal)
  return files.findLast(({ file }) => file.version < version)?.fileMs
}

async function startVersion(
  store: ObjectStore,
  log: LogEngine,
  { from, latest }: { readonly from: FollowFrom; readonly latest: number },
  signal: AbortSignal | undefined,
): Promise<number> {
  switch (from.kind) {
    case 'snapshot':
      return latest
    case 'latest':
      return latest + 1
    case 'version':
      return from.version
    case 'timestamp':
      return await firstVersionSince(store, log, from.timestampMs, signal === undefined ? {} : { signal })
    case 'offset':
      return from.offset.version
  }
}
