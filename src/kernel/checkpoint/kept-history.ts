/** What a log still holds of its history, and when a part of it can go. */
import type { StoreCallOptions } from '../../storage/index.ts'
import { MINUTE_MS } from '../../support/index.ts'
import { LOG_PREFIX, parseLogName } from '../paths/index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { completeCheckpoints, type LogCheckpoint, type LogFile } from './log-files.ts'

export interface KeptHistory {
  /** commits that are there, ascending, by the times that cleanup counts: those of their files, made rising */
  readonly commits: readonly { readonly version: number; readonly timeMs: number }[]
  /** complete ones, ascending */
  readonly checkpoints: readonly LogCheckpoint[]
}

/** The commits and checkpoints of a log up to a snapshot's version. */
export async function keptHistory(snapshot: Snapshot, options: StoreCallOptions = {}): Promise<KeptHistory> {
  const files: LogFile[] = []
  const commits: { version: number; timeMs: number }[] = []
  let timeMs = Number.NEGATIVE_INFINITY
  for await (const page of snapshot.store.list({ prefix: LOG_PREFIX, shallow: true, ...options })) {
    for (const meta of page) {
      const name = parseLogName(meta.key.slice(LOG_PREFIX.length))
      if (name === undefined || name.version > snapshot.version) continue
      files.push({ ...meta, name })
      if (name.kind !== 'commit') continue
      timeMs = Math.max(meta.modifiedMs, timeMs + 1)
      commits.push({ version: name.version, timeMs })
    }
  }
  return { commits, checkpoints: completeCheckpoints(files) }
}

/**
 * The time from which on a cleanup that keeps so much history, counted to the minute, takes a version and all before it.
 *
 * @returns undefined where no checkpoint behind the version could begin the log anew, however long one waits
 */
export function expiryMs({ commits, checkpoints }: KeptHistory, version: number, keepMs: number): number | undefined {
  const beginning = checkpoints.find((checkpoint) => checkpoint.version > version)
  if (beginning === undefined) return undefined
  const last = commits.findLast((commit) => commit.version < beginning.version)
  return last === undefined ? undefined : Math.ceil(last.timeMs / MINUTE_MS) * MINUTE_MS + keepMs
}

/**
 * The version that a log would begin with behind such a cleanup, made at a time; what it has now where nothing could go.
 */
export function beginningAfter({ commits, checkpoints }: KeptHistory, nowMs: number, keepMs: number): number {
  const cutoffMs = Math.floor((nowMs - keepMs) / MINUTE_MS) * MINUTE_MS
  const cutoffVersion = commits.findLast(({ timeMs }) => timeMs <= cutoffMs)?.version ?? -1
  const beginning = checkpoints.findLast(({ version }) => version <= cutoffVersion + 1)
  return beginning === undefined || cutoffVersion < 0 ? earliestOf({ commits, checkpoints }) : beginning.version
}

/** The oldest version that can still be rebuilt. */
export function earliestOf({ commits, checkpoints }: KeptHistory): number {
  const first = commits[0]?.version ?? 0
  return first === 0 ? 0 : (checkpoints[0]?.version ?? first)
}
