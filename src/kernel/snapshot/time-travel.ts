/**
 * Versions by the time they were committed.
 *
 * Before in-commit timestamps were enabled a version's time is the modification time of its commit file, made strictly
 * increasing. Source: Delta protocol, "In-Commit Timestamps", "Recommendations for Readers of Tables with In-Commit
 * Timestamps".
 */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { formatTimestamp, mapParallel, throwIfAborted } from '../../support/index.ts'
import {
  completeCheckpoints,
  type LoadOptions,
  type LogFile,
  type LogListing,
  newestVersion,
  openWholeLog,
  tableNotFound,
  WarningList,
} from '../log/index.ts'
import { type InCommitTimestamps, inCommitTimestampOf, inCommitTimestamps, readCommitInfo } from './commit-times.ts'
import type { LogEngine } from './file-index.ts'
import { loadLatestSmall } from './load-small.ts'

/** A version of the log with its time. */
export interface VersionEntry {
  readonly version: number
  readonly timestampMs: number
  /**
   * where the time is from: written in the commit, the file's own, or the file's raised above the one before because
   * it was not later (as after a copy of the table)
   */
  readonly timestampSource: 'in-commit' | 'file' | 'adjusted'
}

export interface VersionAtOptions extends LoadOptions {
  /** what a time after the last commit gives: an error, which is the default, or the latest version */
  readonly afterLast?: 'refuse' | 'latest'
}

const PARALLEL_READS = 8

/** Commits that are there, ascending, with what is needed to time them. */
export interface CommitTimeline {
  readonly listing: LogListing
  /** of the newest metadata; undefined where file times count */
  readonly inCommit: InCommitTimestamps | undefined
  /** every commit file, from the oldest one there; times of files made strictly increasing */
  readonly files: readonly { readonly file: LogFile; readonly fileMs: number; readonly raised: boolean }[]
}

export async function loadTimeline(
  store: ObjectStore,
  log: LogEngine,
  warnings: WarningList,
  signal?: AbortSignal,
): Promise<CommitTimeline> {
  const options = { warnings, ...(signal && { signal }) }
  const { small } = await loadLatestSmall(store, log, options)
  const listing = await openWholeLog(store, options)
  if (newestVersion(listing) === undefined) tableNotFound(store)
  const inCommit = small.metadata && inCommitTimestamps(small.metadata)
  return { listing, inCommit, files: increasing(listing.commits, warnings) }
}

function increasing(commits: readonly LogFile[], warnings: WarningList): CommitTimeline['files'] {
  let lastMs = Number.NEGATIVE_INFINITY
  let raisedCount = 0
  const files = commits.map((file) => {
    const raised = file.modifiedMs <= lastMs
    if (raised) raisedCount++
    const fileMs = raised ? lastMs + 1 : file.modifiedMs
    lastMs = fileMs
    return { file, fileMs, raised }
  })
  if (raisedCount > 0 && raisedCount * 2 >= files.length - 1) {
    warnings.add(
      `${raisedCount + 1} of ${files.length} commit files share a modification time or go back in it: the log was copied, and times before the copy are lost`,
    )
  }
  return files
}

/** The times of some commits of a timeline, in their order. */
export async function timeCommits(
  store: ObjectStore,
  timeline: CommitTimeline,
  files: CommitTimeline['files'],
  signal?: AbortSignal,
): Promise<VersionEntry[]> {
  return await mapParallel(files, PARALLEL_READS, async ({ file, fileMs, raised }): Promise<VersionEntry> => {
    throwIfAborted(signal, 'reading commit times')
    const inCommit = await inCommitMs(store, timeline, file, signal)
    if (inCommit !== undefined) return { version: file.version, timestampMs: inCommit, timestampSource: 'in-commit' }
    return { version: file.version, timestampMs: fileMs, timestampSource: raised ? 'adjusted' : 'file' }
  })
}

async function inCommitMs(
  store: ObjectStore,
  { inCommit }: CommitTimeline,
  file: LogFile,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (inCommit === undefined || file.version < inCommit.fromVersion) return undefined
  return inCommitTimestampOf(await readCommitInfo(store, file, signal))
}

/** The commits of versions that can still be rebuilt: those from version 0 or from the oldest complete checkpoint on. */
function reachable({ listing, files }: CommitTimeline): CommitTimeline['files'] {
  const oldest = completeCheckpoints(listing, Number.MAX_SAFE_INTEGER).at(-1)?.version ?? Number.MAX_SAFE_INTEGER
  const first = files[0]?.file.version === 0 ? 0 : oldest
  return files.filter(({ file }) => file.version >= first)
}

/**
 * The versions that the log can still rebuild, ascending, with their times.
 *
 * @throws what `loadSnapshot` throws for the log
 */
export async function listVersions(
  store: ObjectStore,
  log: LogEngine,
  { signal, onWarning }: LoadOptions = {},
): Promise<readonly VersionEntry[]> {
  const timeline = await loadTimeline(store, log, new WarningList(onWarning), signal)
  return await timeCommits(store, timeline, reachable(timeline), signal)
}

/**
 * The newest version committed at or before a time.
 *
 * @throws DeltaError `DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION`, `DELTA_TIMESTAMP_GREATER_THAN_COMMIT`, both naming
 * the nearest usable version
 */
export async function versionAtTimestamp(
  store: ObjectStore,
  log: LogEngine,
  timestampMs: number,
  { signal, onWarning, afterLast = 'refuse' }: VersionAtOptions = {},
): Promise<number> {
  const timeline = await loadTimeline(store, log, new WarningList(onWarning), signal)
  const commits = reachable(timeline)
  const era = commits.slice(...eraAt(timeline, commits, timestampMs))
  const entryAt = async (index: number) => (await timeCommits(store, timeline, [era[index]!], signal))[0]!
  let low = 0
  let high = era.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((await entryAt(middle)).timestampMs <= timestampMs) low = middle + 1
    else high = middle
  }
  if (low === 0) {
    const first = commits[0] && (await timeCommits(store, timeline, [commits[0]], signal))[0]
    throw outOfRange(store, 'DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION', timestampMs, first)
  }
  const found = await entryAt(low - 1)
  const isLast = found.version === newestVersion(timeline.listing)
  if (isLast && found.timestampMs < timestampMs && afterLast === 'refuse') {
    throw outOfRange(store, 'DELTA_TIMESTAMP_GREATER_THAN_COMMIT', timestampMs, found)
  }
  return found.version
}

/** From the enablement time on only versions with in-commit timestamps count, before it only those without. */
function eraAt(
  { inCommit }: CommitTimeline,
  commits: CommitTimeline['files'],
  timestampMs: number,
): [start: number, end: number] {
  if (inCommit === undefined || inCommit.fromMs === undefined) return [0, commits.length]
  const boundary = commits.findIndex(({ file }) => file.version >= inCommit.fromVersion)
  if (boundary <= 0) return [0, commits.length]
  return timestampMs >= inCommit.fromMs ? [boundary, commits.length] : [0, boundary]
}

function outOfRange(
  store: ObjectStore,
  code: 'DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION' | 'DELTA_TIMESTAMP_GREATER_THAN_COMMIT',
  timestampMs: number,
  nearest: VersionEntry | undefined,
): Error {
  return deltaError(code, {
    path: store.location,
    timestamp: formatMs(timestampMs),
    version: nearest?.version,
    versionTime: nearest && formatMs(nearest.timestampMs),
  })
}

function formatMs(ms: number): string {
  return Number.isSafeInteger(ms) ? formatTimestamp(BigInt(ms) * 1000n) : String(ms)
}
