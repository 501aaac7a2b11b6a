/**
 * A table as a program holds it: an address, not a snapshot.
 *
 * Each call reads the newest version; `versionAsOf`, `timestampAsOf` and `snapshot` give handles that stay where they
 * are. Names follow `io.delta.tables.DeltaTable`.
 */
import { deltaError } from '../errors/index.ts'
import type { Commit, CompactionRange, FileBatch } from '../kernel/index.ts'
import type {
  AlterAction,
  AlterResult,
  Backend,
  ChangeResult,
  Command,
  CommandOptions,
  CommandResult,
  ExpressionInput,
  MergeSource,
  ReadPoint,
  RowObject,
  TableDescription,
  TableRef,
  WriteCommandResult,
} from '../operations/index.ts'
import type { StructType } from '../schema/index.ts'
import type { AlterOptions } from './alterable-table.ts'
import { type ChangeOptions, deleteCommand, settingsOf, type UpdateChange, updateCommand } from './change.ts'
import { TableChanges } from './changes.ts'
import { type DetailRecord, detailRecord, type HistoryRecord, historyRecord } from './describe.ts'
import { follow, type MicroBatch } from './follow.ts'
import { type CommitRecord, commitRecord, type FileRecord, fileRecord } from './log-records.ts'
import { MaintainedTable } from './maintained-table.ts'
import { MergeBuilder, type MergeOptions } from './merge-builder.ts'
import {
  type AppendOptions,
  type ChangesOptions,
  type FollowOptions,
  type OverwriteOptions,
  readPointOf,
  runOptions,
  type ScanOptions,
  type TimestampInput,
} from './options.ts'
import { TableScan } from './scan.ts'
import { type MergeInput, type MergeRows, mergeSourceOf, type TableRows } from './table-rows.ts'
import { writeCommand } from './write.ts'

export interface FilesOptions extends CommandOptions {
  /** lists the files a scan with this predicate reads */
  readonly where?: ExpressionInput
  /** true: dropped files are listed too, each with the rule that keeps or drops it */
  readonly explain?: boolean
}

export class DeltaTable extends MaintainedTable implements MergeInput {
  /** where it lies, as it was given */
  readonly location: string
  private readonly backend: Backend
  protected readonly table: TableRef
  protected readonly pinnedAt: ReadPoint | undefined
  private readonly name: string | undefined

  /** Made by `forPath` and the builders. */
  constructor(backend: Backend, table: TableRef, at?: ReadPoint, name?: string) {
    super()
    this.name = name
    this.backend = backend
    this.table = table
    this.pinnedAt = at
    this.location = table.location
  }

  /** A handle that always reads one version. Whether the log can give it is known when it is read. */
  versionAsOf(version: number): DeltaTable {
    return new DeltaTable(this.backend, this.table, readPointOf({ version }))
  }

  /** A handle that reads the newest version committed at or before a time. */
  timestampAsOf(timestamp: TimestampInput): DeltaTable {
    return new DeltaTable(this.backend, this.table, readPointOf({ timestamp }))
  }

  /** A handle that reads a version, or a time; without either the newest, as this one. */
  at(point: Pick<ScanOptions, 'version' | 'timestamp'>): DeltaTable {
    return new DeltaTable(this.backend, this.table, readPointOf(point) ?? this.pinnedAt)
  }

  /** A handle that stays at the version which is the newest now. */
  async snapshot(): Promise<DeltaTable> {
    const { version } = await this.describe()
    return new DeltaTable(this.backend, this.table, { version })
  }

  /** The same table under the name that the conditions and values of a MERGE call it by. */
  as(name: string): DeltaTable {
    return new DeltaTable(this.backend, this.table, this.pinnedAt, name)
  }

  /** The same as `as`. */
  alias(name: string): DeltaTable {
    return this.as(name)
  }

  /** Version, schema, properties and protocol, from the log alone. */
  async describe(options: CommandOptions = {}): Promise<TableDescription> {
    return await this.backend.execute({ kind: 'describe', table: this.table, ...this.pin() }, runOptions(options))
  }

  async version(): Promise<number> {
    return (await this.describe()).version
  }

  async schema(): Promise<StructType> {
    return (await this.describe()).schema
  }

  /** A read; see `TableScan` for the forms rows come in. */
  scan(options: ScanOptions = {}): TableScan {
    return new TableScan(this.backend, this.table, this.pinned(options))
  }

  toDF(): TableScan {
    return this.scan()
  }

  /** All rows at once; `scan` gives them one after the other. */
  async rows(options: ScanOptions = {}): Promise<RowObject[]> {
    return await this.scan(options).rows()
  }

  /** The number of rows, or of those for which a predicate is TRUE. */
  async count(options: Pick<ScanOptions, 'where' | 'signal' | 'onProgress'> = {}): Promise<number> {
    return await this.scan(options).count()
  }

  /**
   * What changed from one version to another: the table's columns, `_change_type` (insert, delete, update_preimage,
   * update_postimage), `_commit_version` and `_commit_timestamp`.
   *
   * @throws DeltaError `DELTA_NO_START_FOR_CDC_READ`, `DELTA_MULTIPLE_CDC_BOUNDARY`; and when it is read
   * `DELTA_MISSING_CHANGE_DATA`, `DELTA_CDC_START_VERSION_AFTER_LATEST`, `DELTA_INVALID_CDC_RANGE`,
   * `DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE`, `DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA`
   *
   * A handle that is pinned ends the range where it is pinned, unless another end is given.
   */
  changes(options: ChangesOptions): TableChanges {
    const ends = options.to !== undefined || options.toTimestamp !== undefined || this.pinnedAt === undefined
    return new TableChanges(this.backend, this.table, ends ? options : { ...options, ...pinnedEnd(this.pinnedAt) })
  }

  /**
   * What the table holds and then gains, batch by batch, waiting for more where there is none.
   *
   * A batch is done with when the next one is asked for; its offset, kept then, goes on behind it in another run, with the
   * same files in the same order. The read stops with an error at a commit that changes schema, properties or protocol;
   * started again from the last offset it goes on with the table as it is from there. A batch may be empty: its offset
   * still counts.
   *
   * @throws DeltaError when it is called, `DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET`,
   * `DELTA_INVALID_SOURCE_OFFSET_FORMAT`, `LAKE_INVALID_OPTION`; when it is read, `DELTA_SCHEMA_CHANGED_WITH_VERSION`,
   * `DELTA_STREAMING_METADATA_EVOLUTION`, `DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG`,
   * `DELTA_SOURCE_IGNORE_DELETE`, `DELTA_SOURCE_TABLE_IGNORE_CHANGES`, `DELTA_MISSING_CHANGE_DATA`,
   * `DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE`, `DELTA_VERSIONS_NOT_CONTIGUOUS`, `LAKE_CANCELLED`
   */
  follow(options: FollowOptions = {}): AsyncGenerator<MicroBatch, void, undefined> {
    this.refusePinned('cannot be followed', 'follow')
    return follow(this.backend, this.table, options)
  }

  /**
   * Adds rows.
   *
   * Rows are objects, at once or one after the other, or arrays of them: values must be exactly what the columns can
   * hold. Or an Arrow table, Arrow batches with their schema, or the result of a query: columns are cast as INSERT BY
   * NAME does. Zero rows make no file and no version.
   *
   * @throws DeltaError `DELTA_FAILED_TO_MERGE_FIELDS`, `DELTA_METADATA_MISMATCH`, `LAKE_INVALID_VALUE`,
   * `CAST_OVERFLOW_IN_TABLE_INSERT`, `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`, `DELTA_TABLE_NOT_FOUND`
   */
  async append(rows: TableRows, options: AppendOptions = {}): Promise<WriteCommandResult> {
    return await this.write(rows, options, 'append')
  }

  /**
   * Replaces rows in one commit: all of them, those of `replaceWhere`, or the partitions written; zero rows empty what is
   * replaced.
   *
   * @throws DeltaError as `append`, and `DELTA_REPLACE_WHERE_MISMATCH`,
   * `DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE`, `DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE`
   */
  async overwrite(rows: TableRows, options: OverwriteOptions = {}): Promise<WriteCommandResult> {
    return await this.write(rows, options, 'overwrite')
  }

  private async write(rows: TableRows, options: OverwriteOptions, mode: 'append' | 'overwrite') {
    this.refusePinned('is for reading', 'write')
    const command = writeCommand({ table: this.table, rows, options: { ...options, mode }, mustExist: true })
    return await this.backend.execute(command, runOptions(options))
  }

  /**
   * Deletes the rows for which a condition is TRUE; called without one, all rows.
   *
   * Rows for which it is NULL stay. Files of which no row stays leave the table; in others rows are marked by deletion
   * vectors where the table has them enabled, else the rows that stay are written anew. No row, no version.
   *
   * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`, `UNRESOLVED_COLUMN.…`, `DELTA_UNSUPPORTED_SUBQUERY` and other
   * codes of the expression language, `DELTA_CONCURRENT_…`, `DELTA_TABLE_NOT_FOUND`, `LAKE_USAGE`
   */
  async delete(where: ExpressionInput, options?: ChangeOptions): Promise<ChangeResult>
  async delete(): Promise<ChangeResult>
  async delete(...call: [where?: ExpressionInput, options?: ChangeOptions]): Promise<ChangeResult> {
    this.refusePinned('is for reading', 'delete')
    const options = call[1] ?? {}
    return await this.backend.execute(deleteCommand(this.table, call.slice(0, 1) as [], options), runOptions(options))
  }

  /**
   * Sets columns of the rows for which a condition is TRUE.
   *
   * Values are SQL over the old row and are cast to their columns; generated columns that are not set follow. A row may
   * move to another partition. No row, no version.
   *
   * @throws DeltaError as `delete`, and `DELTA_CONFLICT_SET_COLUMN`, `CAST_INVALID_INPUT`,
   * `DELTA_CAST_OVERFLOW_IN_TABLE_WRITE`, `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`, `DELTA_VIOLATE_CONSTRAINT_WITH_VALUES`,
   * `DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED`
   */
  async update(change: UpdateChange, options: ChangeOptions = {}): Promise<ChangeResult> {
    this.refusePinned('is for reading', 'update')
    return await this.backend.execute(updateCommand(this.table, change, options), runOptions(options))
  }

  /** The same: values are SQL in both. */
  async updateExpr(change: UpdateChange, options: ChangeOptions = {}): Promise<ChangeResult> {
    return await this.update(change, options)
  }

  /**
   * Matches the rows of a source with those of this table; `when…` then say what becomes of them.
   *
   * ```ts
   * await orders.as('t').merge(today, 't.order_id = s.order_id', { sourceAlias: 's' })
   *   .whenMatchedUpdateAll('s.updated_at > t.updated_at')
   *   .whenNotMatchedInsertAll()
   *   .execute()
   * ```
   *
   * @param source objects, a stream of them, another table, a scan, or the result of a query; objects have the types of
   * the table's columns of the same name
   * @param on a row of this table and one of the source match where it is TRUE
   */
  merge(source: MergeRows, on: ExpressionInput, options: MergeOptions = {}): MergeBuilder {
    this.refusePinned('is for reading', 'merge')
    const sourceAlias = options.sourceAlias ?? (source instanceof DeltaTable ? source.name : undefined)
    return new MergeBuilder(this.backend, {
      kind: 'merge',
      table: this.table,
      ...(this.name !== undefined && { alias: this.name }),
      source: mergeSourceOf(source),
      ...(sourceAlias !== undefined && { sourceAlias }),
      on,
      clauses: [],
      ...settingsOf(options),
    })
  }

  /** The rows as the source of a MERGE. */
  asMergeSource(): MergeSource {
    return { kind: 'table', table: this.table, ...this.pin() }
  }

  /** What was done to the table, newest first, with the columns of DESCRIBE HISTORY. */
  async history(limit?: number): Promise<HistoryRecord[]> {
    const command = { kind: 'history', table: this.table, ...(limit !== undefined && { limit }) } as const
    return (await this.backend.execute(command)).map(historyRecord)
  }

  /** What the table is, with the columns of DESCRIBE DETAIL. */
  async detail(): Promise<DetailRecord> {
    return detailRecord(await this.backend.execute({ kind: 'detail', table: this.table, ...this.pin() }))
  }

  /** The live files, or those a predicate needs. */
  async *files(options: FilesOptions = {}): AsyncGenerator<FileRecord, void, undefined> {
    const { where, explain } = options
    const wish = { ...(where !== undefined && { where }), ...(explain !== undefined && { explain }) }
    const command = { kind: 'files', table: this.table, ...this.pin(), ...wish } as const
    const result = await this.backend.execute(command, runOptions(options))
    for await (const listed of result.files()) yield fileRecord(listed)
  }

  /**
   * The same files by column, for tables of very many: a batch makes of a column what it is asked for. Where only the
   * text of a file's statistics could tell, a file that a read would not open may be among them.
   */
  async *fileBatches(options: Omit<FilesOptions, 'explain'> = {}): AsyncGenerator<FileBatch, void, undefined> {
    const { where } = options
    const command = { kind: 'files', table: this.table, ...this.pin(), ...(where !== undefined && { where }) } as const
    yield* (await this.backend.execute(command, runOptions(options))).batches()
  }

  /** The live file of a path as the log has it; undefined where it is none of this version. */
  async file(path: string, options: CommandOptions = {}): Promise<FileRecord | undefined> {
    const command = { kind: 'files', table: this.table, ...this.pin() } as const
    const file = await (await this.backend.execute(command, runOptions(options))).find(path)
    return file && fileRecord({ file, read: true })
  }

  /** One commit with all its actions, as the log has it. */
  async commit(version: number, options: CommandOptions = {}): Promise<Commit> {
    return await this.backend.execute({ kind: 'log', table: this.table, version }, runOptions(options))
  }

  /** Commits, newest first: which files each added and removed. */
  async *log(options: { limit?: number } & CommandOptions = {}): AsyncGenerator<CommitRecord, void, undefined> {
    const { limit } = options
    const command = { kind: 'commits', table: this.table, ...(limit !== undefined && { limit }) } as const
    for await (const commit of await this.backend.execute(command, runOptions(options))) yield commitRecord(commit)
  }

  /** Writes a checkpoint of the newest version, so that readers need fewer files of the log. */
  async checkpoint(): Promise<{ version: number }> {
    return await this.backend.execute({ kind: 'checkpoint', table: this.table })
  }

  /**
   * Writes a compacted file of the log: one that stands for the commits `from` to `to`, those behind the newest checkpoint
   * when neither is said.
   *
   * @returns undefined where fewer than two commits lie there
   */
  async compactLog(range: Partial<CompactionRange> = {}): Promise<CompactionRange | undefined> {
    return (await this.backend.execute({ kind: 'compactLog', table: this.table, ...range })).range
  }

  protected override async alter(
    action: AlterAction,
    { userMetadata, ...options }: AlterOptions,
  ): Promise<AlterResult> {
    this.refusePinned('is for reading', 'change the table')
    const command = {
      kind: 'alter',
      table: this.table,
      action,
      ...(userMetadata !== undefined && { userMetadata }),
    } as const
    return await this.backend.execute(command, runOptions(options))
  }

  protected async execute<C extends Command>(command: C, options: CommandOptions): Promise<CommandResult<C>> {
    return await this.backend.execute(command, options)
  }

  protected refusePinned(fact: string, verb: string): void {
    if (this.pinnedAt === undefined) return
    throw deltaError('LAKE_USAGE', {
      problem: `a handle of ${this.location} that is pinned to a version ${fact}`,
      advice: `${verb} through the handle that forPath gives`,
    })
  }

  private pin(): { at: ReadPoint } | Record<string, never> {
    return this.pinnedAt === undefined ? {} : { at: this.pinnedAt }
  }

  private pinned(options: ScanOptions): ScanOptions {
    if (this.pinnedAt === undefined || options.version !== undefined || options.timestamp !== undefined) return options
    return 'version' in this.pinnedAt
      ? { ...options, version: this.pinnedAt.version }
      : { ...options, timestamp: this.pinnedAt.timestampMs }
  }
}

function pinnedEnd(at: ReadPoint): Pick<ChangesOptions, 'to' | 'toTimestamp'> {
  return 'version' in at ? { to: at.version } : { toTimestamp: at.timestampMs }
}
