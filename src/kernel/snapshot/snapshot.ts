/**
 * A table at one version: the small actions replayed, and the index of its live files.
 */
import { deltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { DomainMetadata, Metadata, Protocol, SetTransaction } from '../actions/actions.ts'
import type { FileIndex, LogEngine } from './file-index.ts'
import type { TableLayout } from './layout.ts'

export interface LoadOptions {
  readonly signal?: AbortSignal
  /** told once for each oddity of the log that does not change the answer */
  readonly onWarning?: (text: string) => void
}

export interface SnapshotOptions extends LoadOptions {
  /** the version wanted; the latest when neither this nor `timestampMs` is given */
  readonly version?: number
  /** the newest version committed at or before this time, milliseconds since 1970 */
  readonly timestampMs?: number
}

/** Which files of the log a snapshot was built from. */
export interface LogSegment {
  readonly version: number
  /** version of the checkpoint replay started from, if any */
  readonly checkpointVersion: number | undefined
  /** versions of the commits replayed on top of it, ascending */
  readonly commits: readonly number[]
}

export interface SnapshotState {
  readonly store: ObjectStore
  readonly log: LogEngine
  readonly version: number
  readonly protocol: Protocol
  readonly metadata: Metadata
  readonly schema: StructType
  readonly layout: TableLayout
  readonly files: FileIndex
  readonly transactions: ReadonlyMap<string, SetTransaction>
  readonly domains: ReadonlyMap<string, DomainMetadata>
  readonly timestampMs: number
  readonly warnings: readonly string[]
  readonly segment: LogSegment
}

/** Immutable. `close()` frees its file index; what it gave out before stays valid. */
export class Snapshot implements SnapshotState {
  readonly store: ObjectStore
  readonly log: LogEngine
  readonly version: number
  readonly protocol: Protocol
  readonly metadata: Metadata
  /** logical, partition columns included; without fields where the log has no schema */
  readonly schema: StructType
  readonly layout: TableLayout
  readonly files: FileIndex
  /** the newest of each appId */
  readonly transactions: ReadonlyMap<string, SetTransaction>
  /** the newest of each domain, removed ones left out */
  readonly domains: ReadonlyMap<string, DomainMetadata>
  /** commit time: in-commit timestamp where the table has them, else the modification time of the commit file */
  readonly timestampMs: number
  readonly warnings: readonly string[]
  readonly segment: LogSegment

  constructor(state: SnapshotState) {
    this.store = state.store
    this.log = state.log
    this.version = state.version
    this.protocol = state.protocol
    this.metadata = state.metadata
    this.schema = state.schema
    this.layout = state.layout
    this.files = state.files
    this.transactions = state.transactions
    this.domains = state.domains
    this.timestampMs = state.timestampMs
    this.warnings = state.warnings
    this.segment = state.segment
  }

  /** logical names, in order */
  get partitionColumns(): readonly string[] {
    return this.metadata.partitionColumns
  }

  get configuration(): ReadonlyMap<string, string> {
    return this.metadata.configuration
  }

  /**
   * The newest version, at a cost that grows with the new commits only; this snapshot itself when there is none.
   *
   * @throws what `loadSnapshot` throws
   */
  async refresh(_options: LoadOptions = {}): Promise<Snapshot> {
    throw deltaError('LAKE_INTERNAL', { what: `the snapshot ${this.version} can be refreshed` })
  }

  async close(): Promise<void> {
    await this.files.close()
  }
}

/**
 * Loads a table at a version, at a time, or at its latest version.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `DELTA_VERSION_NOT_FOUND`, `DELTA_VERSIONS_NOT_CONTIGUOUS`,
 * `DELTA_TRUNCATED_TRANSACTION_LOG`, `DELTA_STATE_RECOVER_ERROR`, `FAILED_READ_FILE.NO_HINT`,
 * `DELTA_INVALID_PROTOCOL_VERSION`, `DELTA_UNSUPPORTED_FEATURES_FOR_READ`, `DELTA_INVALID_SCHEMA`,
 * `DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION`, `DELTA_TIMESTAMP_GREATER_THAN_COMMIT`, `LAKE_CANCELLED`
 */
export async function loadSnapshot(
  store: ObjectStore,
  _log: LogEngine,
  _options: SnapshotOptions = {},
): Promise<Snapshot> {
  throw deltaError('LAKE_INTERNAL', { what: `a snapshot of ${store.location} can be loaded` })
}
