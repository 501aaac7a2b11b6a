/**
 * Which files give the changes of a range of versions.
 *
 * The whole range is checked before the first row comes: the feed must be on at every version, and every schema of the
 * range must be readable by the one rows are given in. Source: Delta protocol, "Change Data Files".
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import {
  type LoadedCommit,
  type LoadOptions,
  loadCommits,
  newestVersion,
  versionNotFound,
  WarningList,
} from '../log/index.ts'
import { property } from '../properties/index.ts'
import type { ScanFile } from '../scan/scan-file.ts'
import { inCommitTimestampOf } from '../snapshot/commit-times.ts'
import type { LogEngine } from '../snapshot/file-index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { loadState, nextState, type VersionState } from '../snapshot/load-state.ts'
import { commitInfoOf } from '../snapshot/small-state.ts'
import { type CommitTimeline, loadTimeline, versionAtTimestamp } from '../snapshot/time-travel.ts'
import { type ChangeOrigin, changeLayout } from './change-columns.ts'
import { changesOfCommit } from './changes-of-commit.ts'
import { unreadableReason } from './read-compatible.ts'

/** A version, or a time: the first version at or after it where a range begins, the last at or before it where it ends. */
export type ChangeBound = { readonly version: number } | { readonly timestampMs: number }

export interface ChangeRange {
  readonly from: ChangeBound
  /** included; the latest version when absent, or when the table has nothing as new */
  readonly to?: ChangeBound
}

/** Files of one shape, whose rows follow those of the scan before. */
export interface ChangeScan {
  readonly origin: ChangeOrigin
  readonly layout: TableLayout
  readonly files: readonly ScanFile[]
}

export interface ChangePlan {
  readonly from: number
  readonly to: number
  /** the table's columns, then `_change_type`, `_commit_version` and `_commit_timestamp` */
  readonly schema: StructType
  /** of the scans of each origin; both have the schema */
  readonly layouts: Readonly<Record<ChangeOrigin, TableLayout>>
  /** by version, at most some files at a time; commits are read as it goes on */
  scans(): AsyncIterable<ChangeScan>
}

interface ReadOptions {
  readonly warnings: WarningList
  readonly signal?: AbortSignal
}

interface Versions {
  readonly from: number
  readonly to: number
}

const MAX_FILES = 1_000

/**
 * Plans the changes of the versions of a range, both ends included.
 *
 * Columns are those of the latest version, or, where the table maps columns or the range cannot be read by those, of the
 * range's last version.
 *
 * @throws DeltaError `DELTA_MISSING_CHANGE_DATA`, `DELTA_CDC_START_VERSION_AFTER_LATEST`, `DELTA_INVALID_CDC_RANGE`,
 * `DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE`, `DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA`,
 * `DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS`,
 * `DELTA_VERSIONS_NOT_CONTIGUOUS`, and what `loadSnapshot` throws for the log
 */
export async function planChanges(
  store: ObjectStore,
  log: LogEngine,
  range: ChangeRange,
  { signal, onWarning }: LoadOptions = {},
): Promise<ChangePlan> {
  const options = { warnings: new WarningList(onWarning), ...(signal && { signal }) }
  const timeline = await loadTimeline(store, log, options.warnings, signal)
  const { from, to } = await resolveRange(store, log, { range, timeline }, options)
  const first = await loadState(store, log, { ...options, version: from })
  const commits = await commitsOfRange(store, timeline, { from, to }, options)
  const states = changedStates(store, first, commits)
  requireFeed(store, states, { from, to })
  const isLatest = to === newestVersion(timeline.listing)
  const latest = isLatest ? states.at(-1)! : await loadState(store, log, options)
  const table = readLayout(states, { from, to, latest, path: store.location })
  const layouts = { recorded: changeLayout(table, 'recorded'), inferred: changeLayout(table, 'inferred') }
  const partitioned = table.partitionColumns.length > 0
  const scans = () => scansOf(commits, { layouts, partitioned, signal })
  return { from, to, schema: layouts.inferred.schema, layouts, scans }
}

async function resolveRange(
  store: ObjectStore,
  log: LogEngine,
  { range, timeline }: { range: ChangeRange; timeline: CommitTimeline },
  { signal }: ReadOptions,
): Promise<Versions> {
  const options = signal === undefined ? {} : { signal }
  const latest = newestVersion(timeline.listing)!
  const start =
    'version' in range.from ? range.from.version : await firstVersionSince(store, log, range.from.timestampMs, options)
  const path = store.location
  if (start > latest) throw deltaError('DELTA_CDC_START_VERSION_AFTER_LATEST', { start, latest, path })
  if (!Number.isSafeInteger(start) || start < 0) throw versionNotFound(store, start, timeline.listing)
  const end = await lastVersion(store, log, { bound: range.to, latest }, options)
  if (end < start) throw deltaError('DELTA_INVALID_CDC_RANGE', { start, end, path })
  return { from: start, to: end }
}

async function lastVersion(
  store: ObjectStore,
  log: LogEngine,
  { bound, latest }: { bound: ChangeBound | undefined; latest: number },
  options: LoadOptions,
): Promise<number> {
  if (bound === undefined) return latest
  if ('version' in bound) return Math.min(bound.version, latest)
  return await versionAtTimestamp(store, log, bound.timestampMs, { ...options, afterLast: 'latest' })
}

/**
 * The first version committed at or after a time.
 *
 * @throws DeltaError `DELTA_TIMESTAMP_GREATER_THAN_COMMIT` when there is none yet
 */
export async function firstVersionSince(
  store: ObjectStore,
  log: LogEngine,
  timestampMs: number,
  options: LoadOptions = {},
): Promise<number> {
  try {
    const before = await versionAtTimestamp(store, log, timestampMs - 1)
    return before + 1
  } catch (error) {
    if (isDeltaError(error, 'DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION')) return Number(error.details.version)
    if (!isDeltaError(error, 'DELTA_TIMESTAMP_GREATER_THAN_COMMIT')) throw error
    return await versionAtTimestamp(store, log, timestampMs, options)
  }
}

interface TimedCommit {
  readonly commit: LoadedCommit
  readonly timestampMs: number
}

async function commitsOfRange(
  store: ObjectStore,
  { files, inCommit }: CommitTimeline,
  { from, to }: Versions,
  options: ReadOptions,
): Promise<TimedCommit[]> {
  const wanted = files.filter(({ file }) => file.version >= from && file.version <= to)
  const missing = Array.from({ length: to - from + 1 }, (_, i) => from + i).find(
    (v, i) => wanted[i]?.file.version !== v,
  )
  if (missing !== undefined) {
    const first = files[0]?.file.version ?? 'none'
    const readable = `the oldest commit that is there is ${first}`
    throw deltaError('DELTA_VERSIONS_NOT_CONTIGUOUS', { path: store.location, missing, from, to, readable })
  }
  const commits = await loadCommits(
    store,
    wanted.map(({ file }) => file),
    options,
  )
  return commits.map((commit, i) => {
    const counts = inCommit !== undefined && commit.version >= inCommit.fromVersion
    const own = counts ? inCommitTimestampOf(commitInfoOf(commit.small)) : undefined
    return { commit, timestampMs: own ?? wanted[i]!.fileMs }
  })
}

/** The state at the first version of the range, and at each that has other metadata than the one before. */
function changedStates(store: ObjectStore, first: VersionState, commits: readonly TimedCommit[]): VersionState[] {
  const states = [first]
  let state = first
  for (const { commit } of commits.slice(1)) {
    const before = state
    state = nextState(store, state, commit.small)
    if (state.layout !== before.layout) states.push(state)
  }
  return states
}

function requireFeed(store: ObjectStore, states: readonly VersionState[], { from, to }: Versions): void {
  const without = states.find(({ metadata }) => !property(metadata.configuration, 'enableChangeDataFeed'))
  if (without === undefined) return
  throw deltaError('DELTA_MISSING_CHANGE_DATA', {
    path: store.location,
    start: from,
    end: to,
    version: without.version,
  })
}

/** The shape rows are given in, for which every shape of the range must do. */
function readLayout(
  states: readonly VersionState[],
  { from, to, latest, path }: Versions & { readonly latest: VersionState; readonly path: string },
): TableLayout {
  const last = states.at(-1)!
  const fault = (by: VersionState) => {
    // schemas set in the range first, then the one it begins with: the reference tells them apart in this order
    for (const { layout, version } of [...states.slice(1), states[0]!]) {
      const reason = unreadableReason(layout, by.layout)
      if (reason !== undefined) return { reason, version }
    }
    return undefined
  }
  const mapped = latest.layout.columnMapping !== 'none'
  if (!mapped && fault(latest) === undefined) return latest.layout
  const found = fault(last)
  if (found === undefined) return last.layout
  throw deltaError(
    found.version === from
      ? 'DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA'
      : 'DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE',
    { path, start: from, end: to, ...found },
  )
}

interface ScanWay {
  readonly layouts: Readonly<Record<ChangeOrigin, TableLayout>>
  readonly partitioned: boolean
  readonly signal: AbortSignal | undefined
}

async function* scansOf(
  commits: readonly TimedCommit[],
  { layouts, partitioned, signal }: ScanWay,
): AsyncGenerator<ChangeScan> {
  let origin: ChangeOrigin = 'inferred'
  let files: ScanFile[] = []
  for (const { commit, timestampMs } of commits) {
    throwIfAborted(signal, 'reading changes')
    const actions = [...commit.small, ...(await commit.fileLines())]
    const changes = changesOfCommit({ version: commit.version, timestampMs, actions, partitioned })
    if (files.length > 0 && (changes.origin !== origin || files.length >= MAX_FILES)) {
      yield { origin, layout: layouts[origin], files }
      files = []
    }
    origin = changes.origin
    for (const file of changes.files) files.push(file)
  }
  if (files.length > 0) yield { origin, layout: layouts[origin], files }
}
