/**
 * The list of live files, behind a port, so that a million files never become a million objects.
 *
 * The kernel replays the few small actions itself (protocol, metaData, txn, domainMetadata) and leaves the file actions
 * to an index: arrays in TypeScript, or a table of DuckDB. An engine gives the index together with the checkpoint
 * reader, so that the file actions of a checkpoint go from Parquet into the index without passing through here.
 */
import type { ObjectStore } from '../../storage/index.ts'
import type { Action, ActionKind, AddFile, RemoveFile } from '../actions/actions.ts'
import type { SkippingRule } from '../scan/skipping-rule.ts'
import type { TypedStatistics } from '../statistics/typed-statistics.ts'
import type { FileBatch } from './file-batch.ts'
import type { FileSummary } from './file-tally.ts'

/** A file of a checkpoint that can hold actions: the main file, a part of a multi-part one, or a sidecar. */
export interface CheckpointFile {
  /** key in the table's store */
  readonly key: string
  readonly size: number
  readonly format: 'parquet' | 'json'
}

/** File actions of one commit. */
export interface FileActions {
  readonly version: number
  readonly adds: readonly AddFile[]
  readonly removes: readonly RemoveFile[]
}

export interface FileIndexSource {
  readonly store: ObjectStore
  /** the version the index stands at when all of the commits are taken in */
  readonly version: number
  /** files of the checkpoint that hold `add` and `remove` rows; empty when replay starts at version 0 */
  readonly checkpoint: readonly CheckpointFile[]
  /** file actions of the commits after the checkpoint, ascending, without a gap */
  readonly commits: AsyncIterable<FileActions>
  /** physical partition column names, in the table's order */
  readonly partitionColumns: readonly string[]
  /** stops the opening; what is asked of the index later carries signals of its own */
  readonly signal?: AbortSignal
}

export interface SelectOptions {
  readonly signal?: AbortSignal
}

/** What the live files of a version come to. */
export interface FileTotals {
  readonly numFiles: number
  /** sum of the sizes of live files, bytes */
  readonly sizeInBytes: number
}

/** What a file is in a log: its canonical path and its deletion vector. */
export interface FileKey {
  readonly path: string
  readonly deletionVectorId: string | null
}

/**
 * The live files at one version.
 *
 * Immutable to its callers: `advance` gives the index of a newer version at a cost that does not grow with the table,
 * and the older one keeps answering as before until it is closed. Only the newest index of a chain can be advanced.
 */
export interface FileIndex {
  readonly version: number

  /** Counted when it is first asked for: a large checkpoint is read for it. */
  totals(options?: SelectOptions): Promise<FileTotals>

  /**
   * What the live files come to in full, where to know it costs nothing that grows with the table; undefined elsewhere.
   * Absent where an index never knows.
   */
  summary?(options?: SelectOptions): Promise<FileSummary | undefined>

  /**
   * The live files that may hold a row the rule asks for, in pages; without a rule all of them.
   *
   * Never leaves out a file that the rule keeps; may give some that it drops, which the caller tests again.
   */
  select(rule?: SkippingRule, options?: SelectOptions): AsyncIterable<readonly AddFile[]>

  /**
   * The same files by column, without what a batch does not show; where only an evaluation of the statistics' text by the
   * kernel could tell, a file that the rule drops may be among them.
   */
  list(rule?: SkippingRule, options?: SelectOptions): AsyncIterable<FileBatch>

  /** The live file of a path, whatever its deletion vector; for conflict checks and DML. */
  find(path: string): Promise<AddFile | undefined>

  /** Removes kept as tombstones, for checkpoints: those whose deletionTimestamp is above `expiredBeforeMs`. */
  tombstones(expiredBeforeMs: number): AsyncIterable<readonly RemoveFile[]>

  /** The index after the next commit; `commit.version` is this version + 1. */
  advance(commit: FileActions): Promise<FileIndex>

  close(): Promise<void>
}

/** How an engine reads and writes what a log keeps in Parquet, and where it keeps the list of live files. */
export interface LogEngine {
  openFileIndex(source: FileIndexSource): Promise<FileIndex>

  /**
   * The actions of some kinds in checkpoint files, in any order, in pages.
   *
   * Columns the files lack give no actions. Row groups that hold none of the kinds are not decoded where the footer
   * tells.
   *
   * @throws DeltaError `FAILED_READ_FILE.NO_HINT` when a file is not Parquet or its columns are not actions,
   * `LAKE_CANCELLED`
   */
  readCheckpoint(
    store: ObjectStore,
    files: readonly CheckpointFile[],
    kinds: readonly ActionKind[],
    options?: SelectOptions,
  ): AsyncIterable<readonly Action[]>

  /**
   * Writes actions as one Parquet file in the shape other readers need (`delta-protocol`, "Checkpoint Schema").
   *
   * Memory does not grow with the number of actions. The file appears whole, replacing one of the same name.
   *
   * @param actions pages of any actions but commitInfo and cdc
   * @returns bytes written and the number of rows
   */
  writeCheckpoint(
    store: ObjectStore,
    key: string,
    actions: AsyncIterable<readonly Action[]>,
    options: CheckpointWriteOptions,
  ): Promise<{ size: number; numActions: number }>
}

export interface CheckpointWriteOptions {
  /** `v2` adds the columns checkpointMetadata and sidecar; `sidecar` has add and remove alone */
  readonly content: 'v1' | 'v2' | 'sidecar'
  /** how files tell their statistics; as text when absent */
  readonly statistics?: CheckpointStatistics
}

export interface CheckpointStatistics {
  /** whether `add.stats` is written */
  readonly text: boolean
  /** the types of `add.stats_parsed` and `add.partitionValues_parsed`; absent: those are not written */
  readonly typed?: TypedStatistics
}
