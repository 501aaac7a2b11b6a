/** What the page and its engine, which runs in a worker, say to each other. Everything is plain data. */
import type { Call } from './calls/call.ts'

/** A value as text, all digits kept; null is SQL NULL. */
export type Cell = string | null

/** Where a table comes from. */
export type TableSource =
  /** the n-th table of the serving process */
  | { readonly kind: 'served'; readonly id: number }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'folder'; readonly folder: FileSystemDirectoryHandle }
  | { readonly kind: 'files'; readonly files: readonly File[] }
  /** a table in memory that calls change */
  | { readonly kind: 'play'; readonly name: string }

export interface ServedTable {
  readonly id: number
  readonly name: string
  /** what statements call it */
  readonly statementName: string
  readonly location: string
}

export interface VersionLine {
  readonly version: number
  /** milliseconds since 1970, or null where the log does not tell */
  readonly timestampMs: number | null
  readonly operation: string
  readonly userName: string | null
  readonly engine: string | null
  readonly parameters: readonly (readonly [string, string])[]
  readonly userMetadata: string | null
  readonly filesAdded: number
  readonly filesRemoved: number
  /** null where a file does not tell how many rows it holds */
  readonly rowsAdded: number | null
  readonly rowsRemoved: number | null
  /** names of files, the first few */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** false: rows were moved and none changed */
  readonly dataChange: boolean
  /** what else the commit changed: `schema`, `properties`, `protocol`, `transaction`, `domain` */
  readonly also: readonly string[]
  /** what commitInfo counted, for the eye */
  readonly detail: string
  /** `checkpoint`, `checksum` at this version */
  readonly marks: readonly string[]
}

export interface OpenedTable {
  readonly id: string
  readonly name: string
  readonly location: string
  readonly earliest: number
  readonly latest: number
  /** the newest ones, newest first */
  readonly versions: readonly VersionLine[]
  readonly warnings: readonly string[]
  /** versions that cannot be read any more, with the files that are gone; known for tables in memory */
  readonly unreadable: readonly UnreadableVersion[]
  readonly writable: boolean
}

export interface UnreadableVersion {
  readonly version: number
  readonly missing: readonly string[]
}

export interface ColumnLine {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly partition: boolean
  readonly comment: string | null
  readonly physicalName: string | null
  /** default, generated, identity */
  readonly rule: string | null
}

export interface FeatureLine {
  readonly name: string
  readonly kind: 'reader and writer' | 'writer'
  readonly active: boolean | null
  readonly readHere: boolean
  readonly writeHere: boolean
}

export interface LogFileLine {
  readonly name: string
  readonly size: number
  readonly modifiedMs: number
  readonly kind: 'commit' | 'checkpoint' | 'checksum' | 'hint' | 'compacted' | 'sidecar' | 'other'
  /** read to build the chosen version */
  readonly used: boolean
}

export interface TableState {
  readonly version: number
  readonly columns: readonly ColumnLine[]
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly features: readonly FeatureLine[]
  readonly properties: readonly (readonly [string, string])[]
  readonly constraints: readonly (readonly [string, string])[]
  readonly partitionColumns: readonly string[]
  readonly numFiles: number
  readonly sizeInBytes: number
  readonly warnings: readonly string[]
  readonly checkpointVersion: number | null
  readonly commitsSince: number
  readonly log: readonly LogFileLine[]
}

export interface Bounds {
  readonly column: string
  readonly min: Cell
  readonly max: Cell
  readonly nulls: Cell
}

export interface Outcome {
  readonly kept: boolean
  /** why, in words */
  readonly reason: string
}

export interface FileLine {
  readonly path: string
  readonly size: number
  readonly numRecords: number | null
  readonly deletedRows: number
  readonly partition: readonly (readonly [string, Cell])[]
  readonly outcome: Outcome | null
}

export interface FilePage {
  readonly files: readonly FileLine[]
  readonly offset: number
  /** files of the version, skipped ones included */
  readonly total: number
  readonly kept: number
  readonly skippedBytes: number
  readonly totalBytes: number
  readonly byPartition: number
  readonly byStatistics: number
}

export interface PartitionLine {
  readonly values: readonly (readonly [string, Cell])[]
  readonly files: number
  readonly bytes: number
  readonly rows: number | null
}

export type FileState = 'live' | 'older' | 'later' | 'uncommitted' | 'vacuumable' | 'vacuumed'

export interface FolderFile {
  readonly path: string
  readonly name: string
  readonly directory: string
  readonly size: number
  /** rows a reader gets from it; null where the log does not tell */
  readonly rows: number | null
  readonly deletedRows: number
  readonly state: FileState
  readonly label: string
  readonly partition: readonly (readonly [string, Cell])[]
  readonly bounds: readonly Bounds[]
  /** what the selected commit did to it */
  readonly touched: 'added' | 'removed' | 'marked' | null
  /** one word a row of a touched file, in file order */
  readonly cells: readonly RowFate[] | null
}

/** What became of a row: it stayed, it is new, it left, its values changed. */
export type RowFate = 'same' | 'new' | 'gone' | 'changed'

export interface FolderView {
  readonly version: number
  readonly files: readonly FolderFile[]
  /** objects beside the data: deletion vectors, change files, what no log names */
  readonly others: readonly { readonly path: string; readonly size: number; readonly what: string }[]
  readonly log: readonly LogFileLine[]
  /** some files are not shown */
  readonly truncated: boolean
}

export interface ActionView {
  readonly kind: string
  readonly summary: string
  /** pretty-printed */
  readonly json: string
}

export interface CommitView {
  readonly version: number
  readonly file: string
  readonly actions: readonly ActionView[]
}

export interface ColumnHead {
  readonly name: string
  readonly type: string
}

export interface RowPage {
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly (readonly Cell[])[]
  readonly more: boolean
  /** rows of the whole answer, where all were read */
  readonly total: number | null
  /** by row: what the commit of the version made of it; null where that was not worked out */
  readonly fates: readonly RowFate[] | null
  /** by row: ordinals of columns that changed */
  readonly changed: readonly (readonly number[])[] | null
  /** rows that the commit of the version took away, the first ones */
  readonly gone: readonly (readonly Cell[])[]
}

export interface RowsQuery {
  readonly where: string
  readonly offset: number
  readonly limit: number
  readonly sort: { readonly column: number; readonly descending: boolean } | null
  /** works out what the commit changed */
  readonly fates: boolean
}

export interface PairedRow {
  readonly before: readonly Cell[]
  readonly after: readonly Cell[]
  readonly changed: readonly number[]
}

export interface Difference {
  readonly from: number
  readonly to: number
  readonly columns: readonly ColumnHead[]
  readonly gone: readonly (readonly Cell[])[]
  readonly fresh: readonly (readonly Cell[])[]
  readonly changed: readonly PairedRow[]
  readonly filesGone: readonly string[]
  readonly filesNew: readonly string[]
  readonly filesKept: number
  readonly schema: readonly string[]
  readonly properties: readonly string[]
  readonly protocol: readonly string[]
  /** rows beyond what is shown were not compared */
  readonly truncated: boolean
}

export interface ChangeFeed {
  readonly from: number
  readonly to: number
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly (readonly Cell[])[]
  readonly more: boolean
}

export interface StoryEvent {
  readonly version: number
  readonly timestampMs: number | null
  readonly operation: string
  readonly userName: string | null
  readonly what: 'appeared' | 'changed' | 'disappeared' | 'moved'
  readonly before: readonly Cell[] | null
  readonly after: readonly Cell[] | null
  readonly changed: readonly number[]
}

export interface RowStory {
  readonly where: string
  readonly columns: readonly ColumnHead[]
  readonly events: readonly StoryEvent[]
  /** whether the newest version holds it */
  readonly alive: boolean
  readonly versionsRead: number
}

export interface Traffic {
  readonly requests: number
  readonly bytes: number
}

/** What became of a call. */
export interface Performed {
  readonly opened: OpenedTable
  /** null where the call changed nothing, or only read */
  readonly version: number | null
  /** lines that say what happened */
  readonly notes: readonly string[]
  /** the actions that were written, as text */
  readonly actions: readonly ActionView[]
  /** rows a statement gave */
  readonly answer: RowPage | null
  /** of the table as it is now */
  readonly columns: readonly ColumnHead[]
  readonly canUndo: boolean
  readonly nowMs: number
}

export interface PlayStart {
  /** `starter`, or a chapter's own beginning */
  readonly from: 'starter' | 'first' | 'empty'
  /** made with these partition columns */
  readonly partitionBy?: readonly string[]
  /** of the starter: the last version it goes to; all when absent */
  readonly until?: number
  /** the twelve orders at once, not the first eight */
  readonly rows?: 'all'
  readonly properties?: Readonly<Record<string, string>>
  readonly calls?: readonly Call[]
  /** what the browser kept comes before the start */
  readonly keep?: boolean
}

export interface PlayState {
  readonly opened: OpenedTable
  readonly canUndo: boolean
  readonly nowMs: number
  /** the start and the calls since, for a link; null for a table that was loaded */
  readonly calls: { readonly start: PlayStart; readonly calls: readonly Call[] } | null
  /** of the table as it is now */
  readonly columns: readonly ColumnHead[]
}

/** One row of a MERGE, with the clause that would fire for it. */
export interface MergePreviewRow {
  readonly side: 'target' | 'source'
  readonly cells: readonly Cell[]
  /** index of the clause, or null for none */
  readonly clause: number | null
  readonly note: string
}

export interface MergePreview {
  readonly targetColumns: readonly ColumnHead[]
  readonly sourceColumns: readonly ColumnHead[]
  readonly target: readonly MergePreviewRow[]
  readonly source: readonly MergePreviewRow[]
}

export interface FilesQuery {
  readonly where: string
  readonly offset: number
  readonly limit: number
  /** `partition`, `statistics`: what is left out of account */
  readonly without: readonly ('partition' | 'statistics')[]
}

export interface FileDetail {
  readonly path: string
  readonly size: number
  readonly numRecords: number | null
  readonly deletedRows: number
  readonly modificationTime: number
  readonly partition: readonly (readonly [string, Cell])[]
  readonly bounds: readonly Bounds[]
  readonly tags: readonly (readonly [string, Cell])[]
  readonly columns: readonly ColumnHead[]
  /** the first rows, deleted ones among them */
  readonly rows: readonly { readonly cells: readonly Cell[]; readonly deleted: boolean }[]
  readonly more: boolean
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly remedy: string | undefined
}
