/** Which versions a log holds, and what each commit says. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { JsonObject } from '../../support/index.ts'
import type { Commit } from '../actions/actions.ts'
import type { LogEngine } from '../snapshot/file-index.ts'

export interface LogOptions {
  readonly signal?: AbortSignal
}

export interface HistoryEntry {
  readonly version: number
  /** commit time, milliseconds: in-commit timestamp, else the file's time made strictly increasing */
  readonly timestampMs: number
  /** absent where the commit has none */
  readonly commitInfo: JsonObject | undefined
}

/** A version of the log that can be travelled to. */
export interface VersionEntry {
  readonly version: number
  readonly timestampMs: number
}

/** Whether a log with a commit or a checkpoint lies there. */
export async function isDeltaTable(store: ObjectStore, _options: LogOptions = {}): Promise<boolean> {
  throw deltaError('LAKE_INTERNAL', { what: `${store.location} can be asked` })
}

/** @throws DeltaError `DELTA_TABLE_NOT_FOUND` */
export async function latestVersion(store: ObjectStore, _options: LogOptions = {}): Promise<number> {
  throw deltaError('LAKE_INTERNAL', { what: `${store.location} can be asked` })
}

/**
 * One commit with all its actions.
 *
 * @throws DeltaError `DELTA_VERSION_NOT_FOUND`, `FAILED_READ_FILE.NO_HINT`
 */
export async function readCommit(store: ObjectStore, version: number, _options: LogOptions = {}): Promise<Commit> {
  throw deltaError('LAKE_INTERNAL', { what: `commit ${version} of ${store.location} can be read` })
}

/** The versions that the log can still rebuild, ascending. */
export async function listVersions(
  store: ObjectStore,
  _log: LogEngine,
  _options: LogOptions = {},
): Promise<readonly VersionEntry[]> {
  throw deltaError('LAKE_INTERNAL', { what: `${store.location} can be asked` })
}

/** What was done to the table, newest first. */
export async function history(
  store: ObjectStore,
  _log: LogEngine,
  _options: LogOptions & { limit?: number } = {},
): Promise<readonly HistoryEntry[]> {
  throw deltaError('LAKE_INTERNAL', { what: `${store.location} can be asked` })
}

/**
 * The newest version committed at or before a time.
 *
 * @throws DeltaError `DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION`, `DELTA_TIMESTAMP_GREATER_THAN_COMMIT`
 */
export async function versionAtTimestamp(
  store: ObjectStore,
  _log: LogEngine,
  timestampMs: number,
  _options: LogOptions = {},
): Promise<number> {
  throw deltaError('LAKE_INTERNAL', { what: `${store.location} at ${timestampMs} can be asked` })
}
