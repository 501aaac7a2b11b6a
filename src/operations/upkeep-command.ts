/** Commands that keep a table, bring it back, or make one of what is there: VACUUM, RESTORE, CLONE, CONVERT, GENERATE, FSCK. */
import type { StructField, StructType } from '../schema/index.ts'
import type { MergeSource } from './change-command.ts'
import type { ReadPoint, TableRef } from './command-parts.ts'

/** Files that no version within the retention needs are deleted. */
export interface VacuumCommand {
  readonly kind: 'vacuum'
  readonly table: TableRef
  /** `full` looks at every file below the table, `lite` at those the log says were removed; `full` when absent */
  readonly type?: 'full' | 'lite'
  /** how long what was removed is kept, milliseconds; `delta.deletedFileRetentionDuration` when absent */
  readonly retentionMs?: number
  /** false: a retention below the table's own is taken, which is told of as a warning */
  readonly checkRetention?: boolean
  /** true: nothing is deleted and nothing committed */
  readonly dryRun?: boolean
  /** the files to look at instead of a listing: path, length, isDir, modificationTime */
  readonly inventory?: MergeSource
}

export interface VacuumResult {
  /** the version of the last commit made; null for a dry run */
  readonly version: number | null
  /** folders that are empty count as files here, as the reference counts them */
  readonly numFilesToDelete: number
  /** bytes */
  readonly sizeOfDataToDelete: number
  readonly numDeletedFiles: number
  readonly numVacuumedDirectories: number
  /** of a dry run, the keys of what would be deleted, in pages; nothing else has any */
  files(): AsyncIterable<readonly string[]>
}

/** The table becomes what it was at an older version, by a commit of its own. */
export interface RestoreCommand {
  readonly kind: 'restore'
  readonly table: TableRef
  readonly to: ReadPoint
  /** true: files that are gone are no reason to refuse; reading their rows will fail */
  readonly ignoreMissingFiles?: boolean
  /** true: says what would be done and does nothing */
  readonly dryRun?: boolean
  readonly userMetadata?: string
}

export interface RestoreResult {
  /** the version made; null for a dry run, and where the version meant is the newest */
  readonly version: number | null
  /** the version whose state comes back */
  readonly restored: number
  readonly metrics: RestoreMetrics
}

/** As `operationMetrics` of the commit has them; sizes in bytes. */
export interface RestoreMetrics {
  readonly tableSizeAfterRestore: number
  readonly numOfFilesAfterRestore: number
  readonly numRemovedFiles: number
  readonly numRestoredFiles: number
  readonly removedFilesSize: number
  readonly restoredFilesSize: number
}

/** A table is made of another at one of its versions; `table` is the one made. */
export interface CloneCommand {
  readonly kind: 'clone'
  readonly table: TableRef
  readonly source: TableRef
  /** the newest version when absent */
  readonly at?: ReadPoint
  /** `shallow` names the files where they lie, `deep` copies them; over an earlier copy only what differs */
  readonly depth: 'shallow' | 'deep'
  /** what to do where a table is: fail, or make it what the source is, in which case a shallow clone wants it empty */
  readonly ifExists: 'error' | 'replace'
  /** true: a table that is not there is an error, for one that is to be replaced */
  readonly mustExist?: boolean
  /** set over those of the source */
  readonly properties?: ReadonlyMap<string, string>
  readonly userMetadata?: string
}

export interface CloneResult {
  /** the version made */
  readonly version: number
  /** the version of the source */
  readonly sourceVersion: number
  readonly metrics: CloneMetrics
}

/** As `operationMetrics` of the commit has them; sizes in bytes. */
export interface CloneMetrics {
  readonly sourceTableSize: number
  readonly sourceNumOfFiles: number
  readonly numRemovedFiles: number
  readonly numCopiedFiles: number
  readonly removedFilesSize: number
  readonly copiedFilesSize: number
}

/** Files that say where the table's data is, for engines that read lists of paths. */
export interface GenerateCommand {
  readonly kind: 'generate'
  readonly table: TableRef
  /** `symlink_format_manifest` is the one there is */
  readonly mode: string
}

export interface GenerateResult {
  readonly version: number
  /** keys of the manifests written, one a partition */
  readonly manifests: readonly string[]
}

/** A folder of Parquet files becomes a table where it lies: a log is written beside them. */
export interface ConvertCommand {
  readonly kind: 'convert'
  readonly table: TableRef
  /** the columns that folders `name=value` stand for, in their order */
  readonly partitionBy?: readonly StructField[]
  /** false: files get no statistics; true when absent */
  readonly collectStatistics?: boolean
  readonly properties?: ReadonlyMap<string, string>
  /** true: says what the table would be and does nothing */
  readonly dryRun?: boolean
  readonly userMetadata?: string
}

export interface ConvertResult {
  /** the version made; null for a dry run, and where a table is already */
  readonly version: number | null
  readonly numConvertedFiles: number
  /** bytes */
  readonly sizeInBytes: number
  /** the table's columns; absent where a table is already */
  readonly schema?: StructType
}

/** A table is looked at: its log, its checkpoint, its files, what the log says of them. */
export interface FsckCommand {
  readonly kind: 'fsck'
  readonly table: TableRef
  /** true: what can be put right is, in one commit; files that are gone leave the table */
  readonly repair?: boolean
  /** true: every data file is read whole, and its pages are held against the checksums their writer stored */
  readonly deep?: boolean
  /** told what will be put right, before it is */
  readonly onPlan?: (plan: FsckResult) => void
}

export interface FsckProblem {
  readonly kind:
    | 'log'
    | 'checkpoint'
    | 'missing file'
    | 'unreadable file'
    | 'file size'
    | 'deletion vector'
    | 'statistics'
  /** of the file, as the log has it, or the key of an object of the log */
  readonly path: string | null
  readonly problem: string
  /** what a repair does about it; null where it can do nothing */
  readonly repair: string | null
}

export interface FsckResult {
  /** the version that was looked at; null where none could be loaded */
  readonly version: number | null
  readonly numFiles: number
  /** the first of them, at most `MAX_FSCK_PROBLEMS` */
  readonly problems: readonly FsckProblem[]
  /** all of them, listed or not */
  readonly numProblems: number
  /** files below the table that no version within the retention needs, and their bytes: VACUUM deletes them */
  readonly numOrphans: number
  readonly sizeOfOrphans: number
  /** the version that a repair made; null where none was made */
  readonly repairedVersion: number | null
}

/** Problems a result lists. */
export const MAX_FSCK_PROBLEMS = 10_000

/** Every command of this file with its result. */
export interface UpkeepCommandMap {
  fsck: { command: FsckCommand; result: FsckResult }
  convert: { command: ConvertCommand; result: ConvertResult }
  clone: { command: CloneCommand; result: CloneResult }
  generate: { command: GenerateCommand; result: GenerateResult }
  vacuum: { command: VacuumCommand; result: VacuumResult }
  restore: { command: RestoreCommand; result: RestoreResult }
}
