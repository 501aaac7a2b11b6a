/** A table at one version: its small actions replayed, and the index of its live files. */
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { DomainMetadata, Metadata, Protocol, SetTransaction } from '../actions/actions.ts'
import type { KnownCommits, LoadOptions } from '../log/index.ts'
import type { FileIndex, LogEngine } from './file-index.ts'
import type { TableLayout } from './layout.ts'
import type { TableState } from './table-state.ts'

/** Which files of the log a snapshot was built from. */
export interface LogSegment {
  /** version of the checkpoint replay started from, if any */
  readonly checkpointVersion: number | undefined
  /** versions of the commits replayed on top of it, ascending */
  readonly commits: readonly number[]
}

export interface SnapshotState extends TableState {
  readonly store: ObjectStore
  readonly log: LogEngine
  readonly version: number
  readonly files: FileIndex
  readonly timestampMs: number
  readonly warnings: readonly string[]
  readonly segment: LogSegment
}

export interface RefreshOptions extends LoadOptions {
  /** commits that need not be read again */
  readonly known?: KnownCommits
}

export interface RefreshState {
  /** false: the snapshot's file index cannot be advanced, the newest version is loaded whole */
  readonly chained: boolean
  /** whether the snapshot's version was the newest a short while ago */
  readonly isRecent: boolean
}

/** Gives the newest version, starting from a snapshot, or that snapshot where nothing is newer. */
export type Refresher = (from: Snapshot, options: RefreshOptions, state: RefreshState) => Promise<Snapshot>

/** Far below what any log keeps its commits for. */
const RECENT_MS = 60_000

/** Immutable. `close()` frees its file index; everything else it gave out stays valid. */
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
  private readonly refresher: Refresher
  private successor: Snapshot | undefined
  /** whether a refresh failed on the way, so that the file index may stand at a version nobody holds */
  private broken = false
  private closed = false
  /** when this version was last known to be the newest */
  private lookedAtMs = performance.now()
  private refreshing: Promise<unknown> = Promise.resolve()

  constructor(state: SnapshotState, refresher: Refresher) {
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
    this.refresher = refresher
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
   * This snapshot stays as it is and open. Calls may overlap: they are made one after the other.
   *
   * @throws what `loadSnapshot` throws
   */
  async refresh(options: RefreshOptions = {}): Promise<Snapshot> {
    const turn = this.refreshing.then(() => this.refreshNow(options))
    this.refreshing = turn.catch(() => undefined)
    return await turn
  }

  /** Frees the file index. Calling it again does nothing. */
  async close(): Promise<void> {
    this.closed = true
    await this.files.close()
  }

  private async refreshNow(options: RefreshOptions): Promise<Snapshot> {
    if (this.successor !== undefined && !this.successor.closed) return await this.successor.refresh(options)
    const chained = this.successor === undefined && !this.broken && !this.closed
    const isRecent = performance.now() - this.lookedAtMs < RECENT_MS
    try {
      const next = await this.refresher(this, options, { chained, isRecent })
      if (next === this) this.lookedAtMs = performance.now()
      else this.successor = next
      return next
    } catch (error) {
      this.broken = true
      throw error
    }
  }
}
