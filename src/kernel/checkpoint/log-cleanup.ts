/**
 * Takes expired commits and checkpoints out of the log.
 *
 * A checkpoint behind the cutoff becomes the new beginning; it, its commit and all that is later stay. Whatever is
 * deleted is below that beginning, so the table loads after any subset of the deletions. Source: Delta protocol,
 * "Metadata Cleanup", "Checkpoint Protection".
 */
import { isDeltaError, StorageError } from '../../errors/index.ts'
import type { ObjectMeta } from '../../storage/index.ts'
import { type Clock, DAY_MS, MINUTE_MS, mapParallel, systemClock } from '../../support/index.ts'
import { decodePath, LOG_PREFIX, parseLogName, SIDECAR_PREFIX, STAGED_COMMIT_PREFIX } from '../paths/index.ts'
import { property } from '../properties/index.ts'
import type { CheckpointFile } from '../snapshot/file-index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { mayForget } from './checkpoint-protection.ts'
import { ensureClassicName } from './classic-name.ts'
import { completeCheckpoints, type LogCheckpoint, type LogFile } from './log-files.ts'
import { hasV2Policy } from './write-checkpoint.ts'

export interface CleanupOptions {
  readonly clock?: Clock
  /**
   * milliseconds of history that stay, counted to the minute, whatever the table's properties say; absent: what they say,
   * counted to midnight UTC
   */
  readonly keepMs?: number
  /** instead: the version of a checkpoint that the log is to begin with, however young it is */
  readonly beginning?: number
}

/** Deletions under way at once. */
const PARALLEL = 8

/** @returns how many objects were deleted; 0 when nothing is expired or nothing could begin the log anew */
export async function cleanupLog(snapshot: Snapshot, options: CleanupOptions = {}): Promise<number> {
  const nowMs = (options.clock ?? systemClock).now()
  const cutoffMs = cutoffOf(snapshot, nowMs, options)
  if (cutoffMs === undefined) return 0
  const { files, cutoffVersion } = await expiredFiles(snapshot, cutoffMs)
  // a checkpoint of the first version that stays is as good a beginning
  const highest = options.beginning ?? (options.keepMs === undefined ? cutoffVersion : cutoffVersion + 1)
  const checkpoint = await newBeginning(snapshot, files, highest)
  if (checkpoint === undefined) return 0
  const beginning = checkpoint.version
  const phases = deletionPhases(files, beginning)
  const expires = phases.some((keys) => keys.length > 0)
  if (expires && !(await mayForget(snapshot, files, beginning))) return 0
  if (expires && hasV2Policy(snapshot)) await ensureClassicName(snapshot, checkpoint)
  let deleted = 0
  for (const keys of phases) deleted += await deleteAll(snapshot, keys)
  deleted += await deleteAll(snapshot, await stagedCommits(snapshot, beginning))
  return deleted + (await deleteAll(snapshot, await orphanSidecars(snapshot, nowMs)))
}

/** @returns undefined for a table that is left alone */
function cutoffOf(
  { configuration }: Snapshot,
  nowMs: number,
  { keepMs, beginning }: CleanupOptions,
): number | undefined {
  if (beginning !== undefined) return Number.POSITIVE_INFINITY
  if (keepMs !== undefined) return Math.floor((nowMs - keepMs) / MINUTE_MS) * MINUTE_MS
  if (!property(configuration, 'enableExpiredLogCleanup')) return undefined
  return Math.floor((nowMs - property(configuration, 'logRetentionDuration')) / DAY_MS) * DAY_MS
}

/** The log up to the newest commit that is not after the cutoff; commit times are made rising before they are compared. */
async function expiredFiles(
  snapshot: Snapshot,
  cutoffMs: number,
): Promise<{ files: readonly LogFile[]; cutoffVersion: number }> {
  const files: LogFile[] = []
  let cutoffVersion = -1
  let timeMs = Number.NEGATIVE_INFINITY
  for await (const page of snapshot.store.list({ prefix: LOG_PREFIX, shallow: true })) {
    for (const meta of page) {
      const name = parseLogName(meta.key.slice(LOG_PREFIX.length))
      if (name === undefined) continue
      if (name.kind === 'commit') {
        timeMs = Math.max(meta.modifiedMs, timeMs + 1)
        if (timeMs > cutoffMs || name.version > snapshot.version) return { files, cutoffVersion }
        cutoffVersion = name.version
      }
      files.push({ ...meta, name })
    }
  }
  return { files, cutoffVersion }
}

/** The newest checkpoint up to a version that is complete and can be read. */
async function newBeginning(
  snapshot: Snapshot,
  files: readonly LogFile[],
  highest: number,
): Promise<LogCheckpoint | undefined> {
  const candidates = completeCheckpoints(files).filter((checkpoint) => checkpoint.version <= highest)
  for (const checkpoint of candidates.reverse()) {
    if (await isReadable(snapshot, checkpoint)) return checkpoint
  }
  return undefined
}

async function isReadable(snapshot: Snapshot, checkpoint: LogCheckpoint): Promise<boolean> {
  const kinds = new Set<string>()
  const sidecars: string[] = []
  try {
    for await (const page of snapshot.log.readCheckpoint(snapshot.store, checkpoint.files, [
      'protocol',
      'metaData',
      'sidecar',
    ])) {
      for (const action of page) {
        kinds.add(Object.keys(action)[0]!)
        if ('sidecar' in action) sidecars.push(sidecarKey(action.sidecar.path))
      }
    }
    for (const key of sidecars) await snapshot.store.head(key)
  } catch (error) {
    // a store that does not answer says nothing about the file
    if (!isDeltaError(error) || (error instanceof StorageError && error.code !== 'LAKE_OBJECT_NOT_FOUND')) throw error
    return false
  }
  return kinds.has('protocol') && kinds.has('metaData')
}

function sidecarKey(path: string): string {
  return `${SIDECAR_PREFIX}${decodePath(path)}`
}

/** Commits before the checkpoints that need them, checksums and compacted files last. */
function deletionPhases(files: readonly LogFile[], beginning: number): readonly (readonly string[])[] {
  const pick = (wanted: (file: LogFile) => boolean) => files.filter(wanted).map((file) => file.key)
  return [
    pick(({ name }) => name.kind === 'commit' && name.version < beginning),
    pick(({ name }) => name.kind === 'checkpoint' && name.version < beginning),
    pick(({ name }) => name.kind === 'checksum' && name.version < beginning),
    pick(({ name }) => name.kind === 'compaction' && name.from <= beginning),
  ]
}

async function deleteAll(snapshot: Snapshot, keys: readonly string[]): Promise<number> {
  await mapParallel(keys, PARALLEL, (key) => snapshot.store.delete(key))
  return keys.length
}

async function stagedCommits(snapshot: Snapshot, beginning: number): Promise<readonly string[]> {
  const keys = await listKeys(snapshot, STAGED_COMMIT_PREFIX)
  return keys
    .map((meta) => meta.key)
    .filter((key) => {
      const version = /^(\d{20})\.[^/]+\.json$/.exec(key.slice(STAGED_COMMIT_PREFIX.length))?.[1]
      return version !== undefined && Number(version) <= beginning
    })
}

async function listKeys(snapshot: Snapshot, prefix: string): Promise<ObjectMeta[]> {
  const metas: ObjectMeta[] = []
  for await (const page of snapshot.store.list({ prefix, shallow: true })) metas.push(...page)
  return metas
}

/** Sidecars older than a day that no checkpoint names; none when a checkpoint cannot be asked. */
async function orphanSidecars(snapshot: Snapshot, nowMs: number): Promise<readonly string[]> {
  const old = (await listKeys(snapshot, SIDECAR_PREFIX)).filter((meta) => meta.modifiedMs < nowMs - DAY_MS)
  if (old.length === 0) return []
  const named = new Set<string>()
  for await (const page of snapshot.log.readCheckpoint(snapshot.store, await remainingCheckpoints(snapshot), [
    'sidecar',
  ])) {
    for (const action of page) if ('sidecar' in action) named.add(sidecarKey(action.sidecar.path))
  }
  return old.map((meta) => meta.key).filter((key) => !named.has(key))
}

async function remainingCheckpoints(snapshot: Snapshot): Promise<CheckpointFile[]> {
  const files: LogFile[] = []
  for (const meta of await listKeys(snapshot, LOG_PREFIX)) {
    const name = parseLogName(meta.key.slice(LOG_PREFIX.length))
    if (name !== undefined) files.push({ ...meta, name })
  }
  return completeCheckpoints(files).flatMap((checkpoint) => checkpoint.files)
}
