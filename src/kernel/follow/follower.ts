/**
 * A table read as it grows: first what it holds, if nothing else is asked for, then what each commit adds.
 *
 * Batches end at a limit or where the log ends; each carries the offset at which to go on. Everything is read from the log
 * and the offset, so that a follower that starts again gives the same files in the same order.
 */
import { deltaError } from '../../errors/index.ts'
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import type { Action, AddFile } from '../actions/actions.ts'
import { CHANGE_TYPE, type ChangeOrigin, changeLayout, commitConstants } from '../changes/change-columns.ts'
import { changesOfCommit } from '../changes/changes-of-commit.ts'
import { type LoadedCommit, WarningList } from '../log/index.ts'
import { property } from '../properties/index.ts'
import { planScan } from '../scan/plan-scan.ts'
import type { ScanFile } from '../scan/scan-file.ts'
import { inCommitTimestampOf, inCommitTimestamps } from '../snapshot/commit-times.ts'
import type { LogEngine } from '../snapshot/file-index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import { nextState, type VersionState } from '../snapshot/load-state.ts'
import { commitInfoOf } from '../snapshot/small-state.ts'
import { requireAdditive, requireSameTable } from './changed-table.ts'
import { CommitQueue } from './commit-queue.ts'
import type { FollowOffset } from './offset.ts'

export interface FollowRules {
  /** files of a batch; 1000 when absent */
  readonly maxFiles?: number
  /** bytes of the files of a batch, about: one file is always given */
  readonly maxBytes?: number
  /** passes over commits that only remove files */
  readonly ignoreDeletes?: boolean
  /** gives what commits add that also remove files: rows that were only moved come again */
  readonly ignoreChanges?: boolean
  /** passes over commits that remove files, with all they add */
  readonly skipChangeCommits?: boolean
  /** gives the change feed instead of the rows added; a version's changes are never parted */
  readonly readChangeFeed?: boolean
  /** goes on behind a commit that renamed or dropped mapped columns, when it starts there */
  readonly allowRenameAndDrop?: boolean
}

/** Files of one layout. */
export interface FollowScan {
  readonly layout: TableLayout
  readonly files: readonly ScanFile[]
}

export interface FollowBatch {
  /** where to go on behind this batch */
  readonly offset: FollowOffset
  readonly schema: StructType
  /** in order; none where only the offset moved */
  readonly scans: readonly FollowScan[]
}

export interface FollowStart {
  readonly offset: FollowOffset
  /** the table at the offset's version, or at the latest where that is not committed yet */
  readonly state: VersionState
  /** the time of the commit file before, made increasing; times of files count from it */
  readonly lastFileMs?: number
}

const MAX_FILES = 1_000

/** Files chosen for a batch so far. */
interface Taken {
  readonly scans: { origin: ChangeOrigin; files: ScanFile[] }[]
  files: number
  bytes: number
}

export class Follower {
  private readonly store: ObjectStore
  private readonly log: LogEngine
  private readonly rules: FollowRules
  private readonly signal: AbortSignal | undefined
  private readonly queue: CommitQueue
  private offset: FollowOffset
  /** the offset the caller has */
  private given: FollowOffset
  private state: VersionState
  private snapshotFiles: readonly AddFile[] | undefined
  private lastFileMs: number

  constructor(
    store: ObjectStore,
    log: LogEngine,
    {
      offset,
      state,
      lastFileMs,
      rules,
      signal,
    }: FollowStart & { readonly rules: FollowRules; readonly signal?: AbortSignal },
  ) {
    this.store = store
    this.log = log
    this.rules = rules
    this.signal = signal
    this.offset = offset
    this.given = offset
    this.state = state
    this.lastFileMs = lastFileMs ?? Number.NEGATIVE_INFINITY
    this.queue = new CommitQueue(store, { warnings: new WarningList(), ...(signal && { signal }) })
    this.requireFeed()
  }

  /** The version the next batch begins in; it may not be committed yet. */
  get version(): number {
    return this.offset.version
  }

  /**
   * What is there beyond the offset.
   *
   * A batch that comes before a refusal ends in front of the commit that is refused.
   *
   * @returns undefined where nothing is new
   * @throws DeltaError `DELTA_SCHEMA_CHANGED_WITH_VERSION`, `DELTA_STREAMING_METADATA_EVOLUTION`,
   * `DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG`, `DELTA_SOURCE_IGNORE_DELETE`,
   * `DELTA_SOURCE_TABLE_IGNORE_CHANGES`, `DELTA_VERSIONS_NOT_CONTIGUOUS`, what reading the log throws
   */
  async next(): Promise<FollowBatch | undefined> {
    const taken: Taken = { scans: [], files: 0, bytes: 0 }
    if (this.offset.initialSnapshot) await this.takeSnapshot(taken)
    while (!this.offset.initialSnapshot && !this.isFull(taken)) {
      throwIfAborted(this.signal, 'following the table')
      try {
        if (!(await this.takeCommit(taken))) break
      } catch (error) {
        // a caller that starts again must stand in front of the commit, or it would be refused for ever
        if (this.offset === this.given) throw error
        return this.batch(taken)
      }
    }
    return taken.files > 0 ? this.batch(taken) : undefined
  }

  private batch({ scans }: Taken): FollowBatch {
    this.given = this.offset
    const shaped = scans.map(({ origin, files }) => ({ layout: this.layout(origin), files }))
    return { offset: this.offset, schema: this.layout('inferred').schema, scans: shaped }
  }

  private layout(origin: ChangeOrigin): TableLayout {
    return this.rules.readChangeFeed ? changeLayout(this.state.layout, origin) : this.state.layout
  }

  private isFull({ files, bytes }: Taken): boolean {
    const { maxFiles = MAX_FILES, maxBytes = Number.POSITIVE_INFINITY } = this.rules
    return files >= maxFiles || bytes >= maxBytes
  }

  private async takeSnapshot(taken: Taken): Promise<void> {
    const { version } = this.offset
    this.snapshotFiles ??= await this.loadFiles(version)
    this.take(taken, this.snapshotFiles, { origin: 'inferred', whole: false })
    if (!this.offset.initialSnapshot) this.snapshotFiles = undefined
  }

  /** In an order that does not hang on how the log was read. */
  private async loadFiles(version: number): Promise<readonly AddFile[]> {
    const options = this.signal === undefined ? {} : { signal: this.signal }
    const snapshot = await loadSnapshot(this.store, this.log, { ...options, version })
    try {
      const files = await planScan(snapshot, undefined, options)
      files.sort((a, b) => a.modificationTime - b.modificationTime || (a.path < b.path ? -1 : 1))
      if (!this.rules.readChangeFeed) return files
      const constants = [[CHANGE_TYPE, 'insert'] as const, ...commitConstants(version, snapshot.timestampMs)]
      return files.map((file) => ({ ...file, partitionValues: new Map([...file.partitionValues, ...constants]) }))
    } finally {
      await snapshot.close()
    }
  }

  /** @returns false where the version is not committed yet */
  private async takeCommit(taken: Taken): Promise<boolean> {
    const { version } = this.offset
    const commit = await this.queue.load(version)
    if (commit === undefined) return false
    this.admit(commit)
    const actions = [...commit.small, ...(await commit.fileLines())]
    if (this.rules.readChangeFeed) {
      const timestampMs = this.timeOf(commit)
      const partitioned = this.state.layout.partitionColumns.length > 0
      const { origin, files } = changesOfCommit({ version, timestampMs, actions, partitioned })
      this.take(taken, files, { origin, whole: true })
    } else {
      this.take(taken, this.addsOf(version, actions), { origin: 'inferred', whole: false })
    }
    return true
  }

  /** The state of the table moves on with the commit, unless it is another table then. */
  private admit(commit: LoadedCommit): void {
    if (this.state.version >= commit.version) return
    const next = nextState(this.store, this.state, commit.small)
    if (!this.rules.allowRenameAndDrop) requireAdditive(this.store.location, this.state, next)
    requireSameTable(this.store.location, this.state, next)
    this.state = next
  }

  private addsOf(version: number, actions: readonly Action[]): readonly AddFile[] {
    const { ignoreChanges, ignoreDeletes, skipChangeCommits } = this.rules
    const adds = actions.flatMap((action) => ('add' in action && action.add.dataChange ? [action.add] : []))
    const removed = actions.find((action) => 'remove' in action && action.remove.dataChange)
    if (removed === undefined || !('remove' in removed)) return adds
    if (skipChangeCommits) return []
    if (ignoreChanges) return adds
    const details = { path: this.store.location, version, file: removed.remove.path }
    if (adds.length > 0) throw deltaError('DELTA_SOURCE_TABLE_IGNORE_CHANGES', details)
    if (!ignoreDeletes) throw deltaError('DELTA_SOURCE_IGNORE_DELETE', details)
    return []
  }

  /** Takes files up to the limits; a version that is left behind moves the offset to the next. */
  private take(
    taken: Taken,
    files: readonly ScanFile[],
    { origin, whole }: { readonly origin: ChangeOrigin; readonly whole: boolean },
  ): void {
    let { index } = this.offset
    const scan = { origin, files: [] as ScanFile[] }
    while (index < files.length && (whole || !this.isFull(taken))) {
      const file = files[index++]!
      scan.files.push(file)
      taken.files++
      taken.bytes += file.size
    }
    const last = taken.scans.at(-1)
    if (last?.origin === origin) last.files.push(...scan.files)
    else if (scan.files.length > 0) taken.scans.push(scan)
    const { version } = this.offset
    this.offset =
      index < files.length
        ? { ...this.offset, index }
        : { ...this.offset, version: version + 1, index: 0, initialSnapshot: false }
  }

  private timeOf(commit: LoadedCommit): number {
    this.lastFileMs = Math.max(commit.modifiedMs, this.lastFileMs + 1)
    const timestamps = inCommitTimestamps(this.state.metadata)
    const counts = timestamps !== undefined && commit.version >= timestamps.fromVersion
    return (counts ? inCommitTimestampOf(commitInfoOf(commit.small)) : undefined) ?? this.lastFileMs
  }

  private requireFeed(): void {
    const { metadata, version } = this.state
    if (!this.rules.readChangeFeed || property(metadata.configuration, 'enableChangeDataFeed')) return
    const { location: path } = this.store
    throw deltaError('DELTA_MISSING_CHANGE_DATA', { path, start: this.offset.version, end: 'the latest', version })
  }
}
