/**
 * Which files of the log give a version: a checkpoint to start from and the commits after it.
 *
 * The newest complete checkpoint found by listing wins; the hint only says where listing begins. Source: Delta protocol,
 * "Action Reconciliation", "Checkpoints".
 */
import { type DeltaError, deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { type CheckpointCandidate, completeCheckpoints } from './checkpoint-candidate.ts'
import { type CheckpointHint, readHint } from './hint.ts'
import { type CompactionFile, type LogFile, type LogListing, listLog, newestVersion, tableNotFound } from './listing.ts'
import { probeLog, probeLogDown } from './probing.ts'
import type { WarningList } from './warnings.ts'

/** One way to build a version. */
export interface Segment {
  readonly version: number
  readonly checkpoint: CheckpointCandidate | undefined
  /** after the checkpoint, ascending, without a gap */
  readonly commits: readonly LogFile[]
  /** stands in for commits that are gone */
  readonly compactions: readonly CompactionFile[]
  /** the commit file of the version itself, where the listing has it */
  readonly ownCommit: LogFile | undefined
  /** the checksum of the version itself, where the listing has it */
  readonly checksum: LogFile | undefined
}

export interface LogView {
  readonly listing: LogListing
  /** the version wanted: the latest unless one was asked for */
  readonly version: number
}

export interface OpenLogOptions {
  readonly version?: number
  readonly warnings: WarningList
  readonly signal?: AbortSignal
}

/**
 * Lists as much of the log as the wanted version needs.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `DELTA_VERSION_NOT_FOUND`
 */
export async function openLog(store: ObjectStore, options: OpenLogOptions): Promise<LogView> {
  const hint = await readHint(store, options.warnings, options.signal)
  const listing = (await listFromHint(store, hint, options)) ?? (await listWhole(store, options))
  const newest = newestVersion(listing) ?? tableNotFound(store)
  const version = options.version ?? newest
  if (!isVersion(version) || version > newest) throw versionNotFound(store, version, listing)
  return { listing, version }
}

/** @returns undefined where the hint leads to no checkpoint at or below the wanted version */
async function listFromHint(
  store: ObjectStore,
  hint: CheckpointHint | undefined,
  { version: wanted, warnings, signal }: OpenLogOptions,
): Promise<LogListing | undefined> {
  if (hint === undefined || (wanted !== undefined && wanted < hint.version)) return undefined
  const options = { from: hint.version, ...(signal && { signal }) }
  const listing = store.capabilities.list
    ? await listLog(store, options)
    : await probeLog(store, { ...options, hint, ...(wanted !== undefined && { to: wanted }) })
  const [newest] = completeCheckpoints(listing, wanted ?? Number.MAX_SAFE_INTEGER)
  if (newest === undefined) {
    warnings.add(`_last_checkpoint names version ${hint.version}, which has no complete checkpoint; the log was listed`)
    return undefined
  }
  if (newest.version > hint.version && wanted === undefined) {
    warnings.add(`_last_checkpoint names version ${hint.version}, but version ${newest.version} has a checkpoint`)
  }
  return listing
}

async function listWhole(store: ObjectStore, { version, warnings, signal }: OpenLogOptions): Promise<LogListing> {
  const from = { from: 0, ...(signal && { signal }) }
  if (store.capabilities.list) {
    const listing = await listLog(store, from)
    const newest = completeCheckpoints(listing, Number.MAX_SAFE_INTEGER)[0]
    if (newest !== undefined && version === undefined && warnings.texts.length === 0) {
      warnings.add(`there is no _last_checkpoint, but version ${newest.version} has a checkpoint; the log was listed`)
    }
    return listing
  }
  const upwards = await probeLog(store, from)
  if (version === undefined || upwards.commits.length > 0) return upwards
  return await probeLogDown(store, version, signal)
}

/** Whether a number that somebody asked for can be a version at all. */
export function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 0
}

/** Everything the log folder holds; a store that cannot list is probed from its hint, else from version 0. */
export async function openWholeLog(store: ObjectStore, options: OpenLogOptions): Promise<LogListing> {
  if (store.capabilities.list) return await listWhole(store, options)
  const hint = await readHint(store, options.warnings, options.signal)
  const whole = await listWhole(store, options)
  if (whole.commits.length > 0 || hint === undefined) return whole
  return (await listFromHint(store, hint, options)) ?? whole
}

/**
 * The ways to build a version, the best first; later ones start from older checkpoints and at last from version 0.
 *
 * @throws DeltaError `DELTA_VERSIONS_NOT_CONTIGUOUS`, `DELTA_TRUNCATED_TRANSACTION_LOG`, `DELTA_VERSION_NOT_FOUND` when
 * there is no way
 */
export function* planSegments(store: ObjectStore, view: LogView, options: PlanOptions): Iterable<Segment> {
  const { listing, version } = view
  const anchors: (CheckpointCandidate | undefined)[] = completeCheckpoints(listing, version)
  if (listing.from === 0) anchors.push(undefined)
  let firstFault: DeltaError | undefined
  let planned = 0
  for (const anchor of anchors) {
    const plan = planSegment(store, view, anchor, options)
    if ('fault' in plan) firstFault ??= plan.fault
    else {
      if (planned++ === 0) warnOfStray(listing, plan, options.warnings)
      yield plan
    }
  }
  if (planned === 0) throw firstFault ?? versionNotFound(store, version, listing)
}

interface PlanOptions {
  /** whether somebody asked for this very version */
  readonly asked: boolean
  readonly warnings: WarningList
}

function planSegment(
  store: ObjectStore,
  { listing, version }: LogView,
  checkpoint: CheckpointCandidate | undefined,
  { asked, warnings }: PlanOptions,
): Segment | { readonly fault: DeltaError } {
  const first = checkpoint === undefined ? 0 : checkpoint.version + 1
  const commits = listing.commits.slice(indexFrom(listing.commits, first), indexFrom(listing.commits, version + 1))
  const filled = fillGaps(listing, commits, first, version)
  if ('missing' in filled) {
    const { missing } = filled
    if (missing === 0 && asked) return { fault: versionNotFound(store, version, listing) }
    if (missing === 0) return { fault: truncated(store, listing) }
    return { fault: notContiguous(store, listing, { missing, from: first, to: version }) }
  }
  for (const { key, from, version: to } of filled.compactions) {
    warnings.add(`the commits ${from} to ${to} are gone; ${key} stands in for them`)
  }
  const ownCommit = commits.at(-1) ?? listing.commits[indexFrom(listing.commits, version)]
  return {
    version,
    checkpoint,
    commits,
    compactions: filled.compactions,
    ownCommit: ownCommit?.version === version ? ownCommit : undefined,
    checksum: listing.checksums.find((file) => file.version === version),
  }
}

/** The place of the first file at or above a version. */
function indexFrom(files: readonly LogFile[], version: number): number {
  let low = 0
  let high = files.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (files[middle]!.version < version) low = middle + 1
    else high = middle
  }
  return low
}

/** Compacted files are used only where commits are missing: those present say themselves what they hold. */
function fillGaps(
  listing: LogListing,
  commits: readonly LogFile[],
  first: number,
  last: number,
): { missing: number } | { compactions: CompactionFile[] } {
  const compactions: CompactionFile[] = []
  let next = first
  let at = 0
  while (next <= last) {
    while (at < commits.length && commits[at]!.version < next) at++
    if (commits[at]?.version === next) next++
    else {
      const filler = listing.compactions.find((file) => file.from === next && file.version <= last && file.size > 0)
      if (filler === undefined) return { missing: next }
      compactions.push(filler)
      next = filler.version + 1
    }
  }
  return { compactions }
}

/** A checkpoint far above the commits below it was hardly written by this table. */
function warnOfStray(listing: LogListing, { checkpoint }: Segment, warnings: WarningList): void {
  if (checkpoint === undefined) return
  const below = listing.commits[indexFrom(listing.commits, checkpoint.version) - 1]
  if (below === undefined || below.version === checkpoint.version - 1) return
  warnings.add(
    `the checkpoint of version ${checkpoint.version} is used, but the commits below it end at ${below.version}`,
  )
}

/** The oldest version that can be built, as far as the listing tells. */
export function earliestVersion(listing: LogListing): number | undefined {
  const oldest = completeCheckpoints(listing, Number.MAX_SAFE_INTEGER).at(-1)?.version
  return listing.commits[0]?.version === 0 ? 0 : oldest
}

export function versionNotFound(store: ObjectStore, version: number, listing: LogListing): DeltaError {
  const earliest = earliestVersion(listing) ?? 'none'
  const latest = newestVersion(listing) ?? 'none'
  return deltaError('DELTA_VERSION_NOT_FOUND', { version, path: store.location, earliest, latest })
}

function truncated(store: ObjectStore, listing: LogListing): DeltaError {
  const first = listing.commits[0]?.version ?? newestVersion(listing)
  return deltaError('DELTA_TRUNCATED_TRANSACTION_LOG', {
    path: store.location,
    first,
    readable: 'no version can be read',
  })
}

function notContiguous(
  store: ObjectStore,
  listing: LogListing,
  gap: { missing: number; from: number; to: number },
): DeltaError {
  const base = completeCheckpoints(listing, gap.missing - 1)[0]?.version ?? 0
  const readable =
    gap.missing === base ? 'no older version can be read' : `versions ${base} to ${gap.missing - 1} can still be read`
  return deltaError('DELTA_VERSIONS_NOT_CONTIGUOUS', { path: store.location, ...gap, readable })
}
