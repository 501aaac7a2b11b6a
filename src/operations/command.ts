/**
 * What can be asked of a table, as data.
 *
 * Methods and SQL text give the same commands; a backend carries them out, here in this process or on a server that
 * owns its own commits. A command names its table and holds no snapshot: the backend decides what it reads, and `at`
 * pins it.
 */
import type { Batch } from '../engine/index.ts'
import type {
  AddFile,
  ChangeRange,
  Commit,
  CompactionRange,
  FileBatch,
  FollowFrom,
  FollowOffset,
  FollowRules,
  Protocol,
} from '../kernel/index.ts'
import type { StructType } from '../schema/index.ts'
import type { AlterAction, ColumnPath } from './alter/action.ts'
import type { ChangeResult, DeleteCommand, MergeCommand, MergeResult, UpdateCommand } from './change-command.ts'
import type {
  CommandOptions,
  ExpressionInput,
  ReadPoint,
  TableRef,
  WriteSource,
  WriteTransaction,
} from './command-parts.ts'
import type { DropFeatureCommandMap } from './drop-feature-command.ts'
import type { HistoryRow } from './history.ts'
import type { OptimizeCommand, OptimizeResult, ReorgCommand } from './optimize/optimize-command.ts'
import type { UpkeepCommandMap } from './upkeep-command.ts'

export type {
  ChangeResult,
  ChangeSettings,
  ColumnValue,
  DeleteCommand,
  MergeClause,
  MergeCommand,
  MergeResult,
  MergeSource,
  UpdateCommand,
} from './change-command.ts'
export type {
  CommandOptions,
  ExpressionInput,
  Progress,
  ReadPoint,
  RecordInput,
  RecordSource,
  TableRef,
  WriteSource,
  WriteTransaction,
} from './command-parts.ts'

export interface CreateCommand {
  readonly kind: 'create'
  readonly table: TableRef
  /** the columns of `rows` when absent */
  readonly schema?: StructType
  readonly partitionBy?: readonly string[]
  readonly clusterBy?: readonly ColumnPath[]
  readonly properties?: ReadonlyMap<string, string>
  readonly name?: string
  readonly description?: string
  /** what to do where a table is: fail, leave it as it is, or put the new one in its place, its history kept */
  readonly ifExists: 'error' | 'ignore' | 'replace'
  /** true: a table that is not there is an error, for one that is to be replaced */
  readonly mustExist?: boolean
  /** what the table holds from the start */
  readonly rows?: WriteSource
  readonly userMetadata?: string
}

export interface CreateResult {
  /** false when a table was there and was left as it is */
  readonly created: boolean
  readonly version: number
}

/** A change of what a table is: its columns, properties, constraints, features. */
export interface AlterCommand {
  readonly kind: 'alter'
  readonly table: TableRef
  readonly action: AlterAction
  readonly userMetadata?: string
}

export interface AlterResult {
  /** the version made; null where the table is that way already */
  readonly version: number | null
}

export type WriteMode = 'append' | 'overwrite' | 'error' | 'ignore'

/**
 * How the columns of a source go into those of a table, cast as an INSERT does it: by place, into all of them or the ones
 * named, or by name. A source of records is held to the table's columns without it.
 */
export type ColumnAssignment =
  | { readonly by: 'position'; readonly columns?: readonly string[] }
  | { readonly by: 'name' }

/** A table as it was read. */
export interface TableRead {
  /** as its store says it */
  readonly location: string
  readonly version: number
}

export interface WriteCommand {
  readonly kind: 'write'
  readonly table: TableRef
  readonly source: WriteSource
  readonly mode: WriteMode
  /** true: a table that is not there is an error; else it is made */
  readonly mustExist?: boolean
  /** for a table that is made by this write; must name an existing table's own partition columns */
  readonly partitionBy?: readonly string[]
  /** true: columns the table lacks are added, at any depth */
  readonly mergeSchema?: boolean
  /** true, with the mode overwrite: the data's schema and partitioning replace the table's */
  readonly overwriteSchema?: boolean
  /** with the mode overwrite: only rows for which it is TRUE are replaced, and for every row written it must be TRUE */
  readonly replaceWhere?: ExpressionInput
  /** with the mode overwrite: `dynamic` replaces the partitions that rows are written to, and no other */
  readonly partitionOverwrite?: 'static' | 'dynamic'
  /** for a table that is made by this write */
  readonly properties?: ReadonlyMap<string, string>
  /** for a source of `rows`; absent: columns by name, of exactly the table's types */
  readonly assignment?: ColumnAssignment
  /** tables that the rows were read from: the write rests on them as far as its own is among them */
  readonly reads?: readonly TableRead[]
  /** bytes of a data file, about; the table's own size when absent */
  readonly targetFileSize?: number
  /** rows of a data file at most */
  readonly maxRecordsPerFile?: number
  readonly transaction?: WriteTransaction
  readonly userMetadata?: string
}

export interface WriteCommandResult {
  /** the version made; null where nothing was to be written */
  readonly version: number | null
  readonly numFiles: number
  readonly numOutputRows: number
  readonly numOutputBytes: number
  readonly numRemovedFiles: number
  /** why nothing was written */
  readonly skipped?: 'no rows' | 'table exists' | 'transaction already committed'
}

export interface ScanCommand {
  readonly kind: 'scan'
  readonly table: TableRef
  readonly at?: ReadPoint
  /** may name members of `_metadata`, such as `_metadata.row_id` */
  readonly where?: ExpressionInput
  /** names of columns, as SQL finds them, and members of `_metadata`, in the order wanted; all columns when absent */
  readonly select?: readonly string[]
  /** true: `_metadata.row_id` and `_metadata.row_commit_version` come behind the columns */
  readonly rowIds?: boolean
  readonly limit?: number
}

/** Rows are read when they are asked for; leaving the loop early stops the work. */
export interface ScanResult {
  readonly version: number
  /** of the columns selected */
  readonly schema: StructType
  batches(): AsyncIterable<Batch>
}

/** The rows that changed in a range of versions, both ends included. */
export interface ChangesCommand {
  readonly kind: 'changes'
  readonly table: TableRef
  readonly range: ChangeRange
  /** may speak of the columns of the feed too */
  readonly where?: ExpressionInput
  readonly select?: readonly string[]
  readonly limit?: number
}

/** Rows are read when they are asked for, version after version; leaving the loop early stops the work. */
export interface ChangesResult {
  readonly from: number
  readonly to: number
  /** of the columns selected; without a selection the table's and then those of the feed */
  readonly schema: StructType
  batches(): AsyncIterable<Batch>
}

/** A table read as it grows. */
export interface FollowCommand {
  readonly kind: 'follow'
  readonly table: TableRef
  readonly from: FollowFrom
  readonly rules: FollowRules
  readonly where?: ExpressionInput
  readonly select?: readonly string[]
  /** how long to wait before the log is looked at again where nothing was new */
  readonly pollMs: number
  /** ends where the log ended when the read began, instead of waiting */
  readonly untilLatest: boolean
}

export interface FollowedBatch {
  /** where to go on behind this batch */
  readonly offset: FollowOffset
  /** of the columns selected */
  readonly schema: StructType
  batches(): AsyncIterable<Batch>
}

export interface CountCommand {
  readonly kind: 'count'
  readonly table: TableRef
  readonly at?: ReadPoint
  readonly where?: ExpressionInput
}

export interface CountResult {
  readonly version: number
  readonly count: number
  /** where the number comes from: the log's statistics, the footers of files, or the rows */
  readonly source: 'log' | 'files'
}

export interface DescribeCommand {
  readonly kind: 'describe'
  readonly table: TableRef
  readonly at?: ReadPoint
}

export interface TableDescription {
  readonly version: number
  readonly timestampMs: number
  readonly schema: StructType
  readonly partitionColumns: readonly string[]
  readonly configuration: ReadonlyMap<string, string>
  readonly protocol: Protocol
  /** what the table needs and this package does not read; its rows are refused then. Empty for a table it reads */
  readonly unreadableFeatures: readonly string[]
}

export interface DetailCommand {
  readonly kind: 'detail'
  readonly table: TableRef
  readonly at?: ReadPoint
}

/** What DESCRIBE DETAIL says. */
export interface TableDetail {
  readonly format: 'delta'
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly location: string
  /** milliseconds since 1970 */
  readonly createdAt: number | null
  readonly lastModified: number
  readonly partitionColumns: readonly string[]
  readonly clusteringColumns: readonly string[]
  /** null where the rows cannot be read, for the files are not known then */
  readonly numFiles: number | null
  readonly sizeInBytes: number | null
  readonly properties: ReadonlyMap<string, string>
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly tableFeatures: readonly string[]
  readonly version: number
  /** features that this package refuses to write; empty for a table it writes to */
  readonly unwritableFeatures: readonly string[]
  /** what the table needs and this package does not read; empty for a table it reads */
  readonly unreadableFeatures: readonly string[]
}

export interface HistoryCommand {
  readonly kind: 'history'
  readonly table: TableRef
  /** newest first */
  readonly limit?: number
}

export interface FilesCommand {
  readonly kind: 'files'
  readonly table: TableRef
  readonly at?: ReadPoint
  readonly where?: ExpressionInput
  /** true: files that the predicate drops are listed too */
  readonly explain?: boolean
}

export interface ListedFile {
  readonly file: AddFile
  /** whether a scan with the predicate reads it */
  readonly read: boolean
  /** the rule that keeps or drops it, in words; absent without a predicate */
  readonly reason?: string
}

export interface FilesResult {
  readonly version: number
  files(): AsyncIterable<ListedFile>
  /** the files the predicate keeps, by column */
  batches(): AsyncIterable<FileBatch>
  /** the live file of a path, whatever the predicate says of it */
  find(path: string): Promise<AddFile | undefined>
}

export interface LogCommand {
  readonly kind: 'log'
  readonly table: TableRef
  readonly version: number
}

/** Versions of the commits the log still has, newest first, read one by one. */
export interface CommitsCommand {
  readonly kind: 'commits'
  readonly table: TableRef
  readonly limit?: number
}

export interface CheckpointCommand {
  readonly kind: 'checkpoint'
  readonly table: TableRef
}

export interface CheckpointResult {
  readonly version: number
}

/** One file of the log that stands for a run of commits. */
export interface CompactLogCommand {
  readonly kind: 'compactLog'
  readonly table: TableRef
  /** the first commit it stands for; the one behind the newest checkpoint when absent */
  readonly from?: number
  /** the last one; the newest when absent */
  readonly to?: number
}

export interface CompactLogResult {
  /** undefined where fewer than two commits lie there to be compacted */
  readonly range: CompactionRange | undefined
}

export interface ExistsCommand {
  readonly kind: 'exists'
  readonly table: TableRef
}

/** Every command with its result. */
export interface CommandMap extends DropFeatureCommandMap, UpkeepCommandMap {
  create: { command: CreateCommand; result: CreateResult }
  alter: { command: AlterCommand; result: AlterResult }
  write: { command: WriteCommand; result: WriteCommandResult }
  delete: { command: DeleteCommand; result: ChangeResult }
  update: { command: UpdateCommand; result: ChangeResult }
  merge: { command: MergeCommand; result: MergeResult }
  optimize: { command: OptimizeCommand; result: OptimizeResult }
  reorg: { command: ReorgCommand; result: OptimizeResult }
  scan: { command: ScanCommand; result: ScanResult }
  changes: { command: ChangesCommand; result: ChangesResult }
  follow: { command: FollowCommand; result: AsyncIterable<FollowedBatch> }
  count: { command: CountCommand; result: CountResult }
  describe: { command: DescribeCommand; result: TableDescription }
  detail: { command: DetailCommand; result: TableDetail }
  history: { command: HistoryCommand; result: readonly HistoryRow[] }
  files: { command: FilesCommand; result: FilesResult }
  log: { command: LogCommand; result: Commit }
  commits: { command: CommitsCommand; result: AsyncIterable<Commit> }
  checkpoint: { command: CheckpointCommand; result: CheckpointResult }
  compactLog: { command: CompactLogCommand; result: CompactLogResult }
  exists: { command: ExistsCommand; result: boolean }
}

export type Command = CommandMap[keyof CommandMap]['command']

export type CommandResult<C extends Command = Command> = CommandMap[C['kind']]['result']

/**
 * Whoever carries commands out.
 *
 * A command that fails leaves its table at the version it had.
 */
export interface Backend {
  execute<C extends Command>(command: C, options?: CommandOptions): Promise<CommandResult<C>>
  close(): Promise<void>
}
