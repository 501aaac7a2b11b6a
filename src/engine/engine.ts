/**
 * The port to whatever moves rows.
 *
 * Above this line nobody touches a row; below it nobody decides what is in the table. Plans name everything an engine
 * needs: no engine reads a log. Two engines stand behind it, `duckdb` and `js`, and one contract suite runs over both.
 */
import type { DeltaError } from '../errors/index.ts'
import type { BoundExpression } from '../expressions/index.ts'
import type { LogEngine, PartitionValues, RowSet, ScanFile, StatisticsColumns, TableLayout } from '../kernel/index.ts'
import type { DataType, Row, StructType, Value } from '../schema/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import type { JoinSource, StagedRows } from './join.ts'
import type { UnknownFieldsRule } from './record/unknown-fields.ts'

export interface EngineOptions {
  readonly signal?: AbortSignal
  /** called now and then during long work */
  readonly onProgress?: (progress: { readonly rows: number; readonly bytes: number; readonly files: number }) => void
}

export interface FooterOptions extends EngineOptions {
  /** true: the pages of the file are read too, and held against the checksums their writer stored, if any */
  readonly checkPages?: boolean
}

/** Some rows, by column. */
export interface Batch {
  readonly schema: StructType
  readonly numRows: number
  /** the values of a top-level column, in row order */
  column(index: number): readonly Value[]
}

export interface ScanPlan {
  readonly store: ObjectStore
  readonly layout: TableLayout
  /**
   * files to read, in the order their rows come out; deletion vectors are applied before anything else. A file may come
   * more than once
   */
  readonly files: readonly ScanFile[]
  /** top-level columns to give, by ordinal in the layout's schema, in the order wanted; empty: rows without columns */
  readonly columns: readonly number[]
  /** bound to the layout's schema; only rows for which it is TRUE are given */
  readonly filter?: BoundExpression
  readonly limit?: number
}

export type RowTextFormat = 'ndjson' | 'csv'

/**
 * A curve through the space of some columns: rows that are near each other in all of them are near each other on it.
 *
 * Values are told apart by ranges that hold about as many rows each, which an engine finds out by looking at some of them.
 */
export interface RowCurve {
  readonly kind: 'z-order' | 'hilbert'
  /** columns or members of structs, each of a type with an order and statistics; 1 to 16; bound to the layout's schema */
  readonly columns: readonly Extract<BoundExpression, { kind: 'column' }>[]
}

/** A computed column. */
export interface NamedExpression {
  readonly name: string
  readonly expression: BoundExpression
}

/** A record that could not become a row. */
export interface RejectedRecord {
  /** the record as it came, without its newline */
  readonly text: string
  /** 0-based place among the records of the source */
  readonly index: number
  /** why, in one sentence, naming the column */
  readonly reason: string
}

/**
 * Rows to be written.
 *
 * `rows` are values already in the form of `schema/value.ts`. `text` is raw NDJSON or CSV that an engine takes in without
 * making objects of it: `schema` is the record type, `filter` and `select` (bound to it) are the steps of a route,
 * records that do not fit go to `onReject` and not into the table. `scan` copies rows of a table. `query` is the answer of
 * a SELECT, where the engine has SQL.
 */
export type RowSource =
  | { readonly kind: 'rows'; readonly schema: StructType; readonly rows: AsyncIterable<readonly Row[]> }
  | ScanSource
  | TextSource
  | QuerySource

/** The answer of a SELECT of the engine's own over tables. */
export interface QuerySource {
  readonly kind: 'query'
  readonly sql: string
  readonly views: readonly QueryView[]
  /** the columns of the answer, as `describeQuery` gives them; one of the type void is null in every row */
  readonly schema: StructType
}

/** Rows of a table that are copied, as they are or changed. */
export interface ScanSource {
  readonly kind: 'scan'
  readonly plan: ScanPlan
  /**
   * The columns the rows have instead of `plan.columns`, which then do not count: bound to the layout's schema, each
   * evaluated for the rows that pass the plan's filter and for no other. An expression that fails for one of them fails
   * the write.
   */
  readonly select?: readonly NamedExpression[]
  /**
   * Rows come out along the curve instead of in the order of files, all of them sorted as one, and go into files of about
   * the same size. Only where there is no `select`.
   */
  readonly curve?: RowCurve
}

export interface TextSource {
  readonly kind: 'text'
  readonly format: 'ndjson' | 'csv'
  readonly schema: StructType
  /** whole records: every chunk begins at the start of one and ends behind a newline (the last may lack it) */
  readonly chunks: AsyncIterable<Uint8Array>
  readonly filter?: BoundExpression
  /** absent: the columns of `schema` as they are */
  readonly select?: readonly NamedExpression[]
  readonly csv?: CsvOptions
  /** what becomes of fields that are no columns: they are passed over when absent */
  readonly unknownFields?: UnknownFieldsRule
  readonly onReject: (rejected: readonly RejectedRecord[]) => void
}

export interface CsvOptions {
  readonly header: boolean
  readonly delimiter: string
  /** text that stands for null besides the empty field */
  readonly nullText?: string
}

/** A condition that every row written must meet, NOT NULL apart, which the layout says. */
export interface RowCheck {
  /** of the type boolean, bound to the layout's schema; a row for which it is not TRUE fails the whole write */
  readonly condition: BoundExpression
  /** columns, or members of them, whose values the error tells; bound to the layout's schema */
  readonly shown: readonly Extract<BoundExpression, { kind: 'column' }>[]
  /** @param values of `shown`, of one row that breaks the condition */
  violation(values: readonly Value[]): DeltaError
}

/** A column that the source leaves out and the engine works out, whatever the source gives for it. */
export interface ComputedColumn {
  /** top-level, in the layout's schema */
  readonly ordinal: number
  /** of the column's own type, bound to the layout's schema; names no numbered column */
  readonly value: BoundExpression
}

/**
 * A column of whole numbers that the engine gives out: the n-th row written, from 0, gets `start + n * step` where the
 * source has null or no such column. Numbers of rows that had one are passed over.
 */
export interface NumberedColumn {
  /** top-level, of the type long */
  readonly ordinal: number
  readonly start: bigint
  readonly step: bigint
}

export interface WritePlan {
  readonly store: ObjectStore
  readonly layout: TableLayout
  readonly compression: 'zstd' | 'snappy' | 'uncompressed'
  /** bytes after which a new file is begun; about */
  readonly targetFileSize: number
  /** rows of a file at most; no limit when absent */
  readonly maxRecordsPerFile?: number
  /** files go into folders of names of so many random characters, 1 to 32, and not into one a partition */
  readonly randomPrefixLength?: number
  /** which leaves get statistics */
  readonly statistics: StatisticsColumns
  /** true: statistics carry `tightBounds`, as tables with deletion vectors want */
  readonly tightBounds?: boolean
  /** tried in order on each row behind NOT NULL; the first that is broken gives the error */
  readonly checks?: readonly RowCheck[]
  /** worked out in order, so that one may name those before it, and before anything is checked */
  readonly computed?: readonly ComputedColumn[]
  /** given out before anything is checked */
  readonly numbered?: readonly NumberedColumn[]
  /**
   * folder below the table's root into which the files go, partition folders below it, without a slash at its ends:
   * `_change_data` for the files of a change feed. The root itself when absent
   */
  readonly directory?: string
  /** what the names of files begin with; the engine's own when absent. `cdc-` for the files of a change feed */
  readonly filePrefix?: string
}

/** A data file that lies in the store and is in no commit yet. */
export interface WrittenFile {
  /** decoded key relative to the table's root */
  readonly key: string
  readonly partitionValues: PartitionValues
  /** equals the bytes stored */
  readonly size: number
  readonly modificationTime: number
  readonly numRecords: number
  /** JSON text for `add.stats` */
  readonly stats: string
}

export interface WriteResult {
  readonly files: readonly WrittenFile[]
  readonly numRows: number
  /** rows of the source that the filter left out */
  readonly numFiltered: number
  readonly numRejected: number
  /** of a text source: fields of its records that are no columns and were passed over */
  readonly numIgnoredFields?: number
}

/** The field metadata that holds a stored column's field id, a number. */
export const STORED_FIELD_ID = 'parquet.field.id'

/** A data file and the columns it really has. */
export interface FileSchema<File extends ScanFile = ScanFile> {
  readonly file: File
  /** the columns as the file names them and by its own types, by `STORED_FIELD_ID` with its field id */
  readonly schema: StructType
}

/** Which rows of which files. */
export interface FindRowsPlan {
  readonly store: ObjectStore
  readonly layout: TableLayout
  /** each file once */
  readonly files: readonly ScanFile[]
  /** bound to the layout's schema */
  readonly filter: BoundExpression
}

/** Rows of a file, by their place in it. */
export interface FoundRows {
  /** the object the plan has */
  readonly file: ScanFile
  /** physical positions: rows that a deletion vector hides are counted, and are never among them; at least one */
  readonly rows: RowSet
}

/** The rows of a plan under a name that a query uses; hidden columns of the layout come as members of one, `_metadata`. */
export interface QueryView {
  readonly name: string
  readonly plan: ScanPlan
}

/** What need not be read of the tables of a statement: rows that are not needed, columns nobody names. */
export interface QueryNeeds {
  /**
   * predicates, in the package's expression language, that every row of a table fulfils which the result depends on, by
   * the table's name as written; tables without one are left out
   */
  readonly predicates: ReadonlyMap<string, string>
  /** folded texts, among them the name of every column the statement names; absent: it may need all columns */
  readonly columns?: ReadonlySet<string>
  /** places of columns of the result that are the word NULL, to which the engine gives a type of its own */
  readonly untypedNulls?: ReadonlySet<number>
  /** why the text is no statement of the engine's dialect, and where, as an offset into it */
  readonly syntaxError?: { readonly reason: string; readonly offset: number }
}

export interface QueryResult {
  readonly schema: StructType
  /** read once; what the query holds is freed when the iteration ends */
  readonly batches: AsyncIterable<Batch>
}

/** What a data file says of itself. Columns are named by the path of their names in the file, from the top level down. */
export interface FileFooter {
  /** the columns of the file, all nullable, without field ids */
  readonly schema: StructType
  readonly numRecords: number
  /** rows without a value; undefined where the footer does not say, or the path leads into a list or map */
  nullCount(path: readonly string[]): number | undefined
  /** a value that none is outside of on that side; undefined where the footer proves none, and for floating point */
  bound(side: 'min' | 'max', path: readonly string[], type: DataType): Exclude<Value, null> | undefined
}

export interface Engine extends LogEngine {
  readonly name: string

  /**
   * The footer of a file.
   *
   * @param file its key, and its size in bytes
   * @throws DeltaError `FAILED_READ_FILE.NO_HINT`, also for a page that does not have its checksum where that was asked
   * for, `FAILED_READ_FILE.FILE_NOT_EXIST`, `DELTA_UNSUPPORTED_DATA_TYPE` for a
   * column of a type no table has, `LAKE_PARQUET_UNSUPPORTED`
   */
  readFooter(
    store: ObjectStore,
    file: { readonly key: string; readonly size: number },
    options?: FooterOptions,
  ): Promise<FileFooter>

  /**
   * Rows of files, in file order and row order.
   *
   * Partition columns come from the log, columns a file lacks are null, narrower stored types are widened. Memory is
   * bounded by the engine's limit, not by the table.
   *
   * @throws DeltaError `FAILED_READ_FILE.FILE_NOT_EXIST`, `FAILED_READ_FILE.NO_HINT`, a `DELTA_DELETION_VECTOR_…` code,
   * a Spark error class of an expression, `LAKE_CANCELLED`
   */
  scan(plan: ScanPlan, options?: EngineOptions): AsyncIterable<Batch>

  /**
   * Rows as text, for printing and exporting: what `schema/value-json.ts` prints of the batches of `scan`, a newline
   * behind each row; CSV begins with a line of column names, null is an empty field. Absent where going through batches
   * is no slower.
   *
   * @throws DeltaError as `scan`
   */
  exportRows?(plan: ScanPlan, format: RowTextFormat, options?: EngineOptions): AsyncIterable<string>

  /** The number of rows the plan gives; from footers alone where there is no filter. */
  count(plan: ScanPlan, options?: EngineOptions): Promise<number>

  /**
   * What columns data files have, from their footers, in the order of the files.
   *
   * @throws DeltaError `FAILED_READ_FILE.FILE_NOT_EXIST`, `FAILED_READ_FILE.NO_HINT`, `DELTA_UNSUPPORTED_DATA_TYPE`,
   * `LAKE_CANCELLED`
   */
  readSchemas<File extends ScanFile>(
    store: ObjectStore,
    files: readonly File[],
    options?: EngineOptions,
  ): AsyncIterable<FileSchema<File>>

  /**
   * The live rows for which a filter is TRUE, by file and position; files that have none are left out.
   *
   * Files come in the plan's order. No row becomes a value of its own: memory grows with a file's rows by a bit each.
   *
   * @throws DeltaError as `scan`
   */
  findRows(plan: FindRowsPlan, options?: EngineOptions): AsyncIterable<FoundRows>

  /**
   * Writes rows as Parquet files under fresh names, in a directory per partition value, with statistics.
   *
   * Rows are cast to the layout's types only where the source's types differ and the cast loses nothing. A row that
   * breaks NOT NULL or one of the plan's checks fails the whole write. On failure every file begun is deleted; what a crash leaves is in no commit.
   * Zero rows give no file.
   *
   * @throws DeltaError `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`, the error of a check, a Spark error class of an expression,
   * `ARITHMETIC_OVERFLOW` where no number is left to give out, `LAKE_STORAGE_FULL`, `LAKE_CANCELLED`; of a source that
   * scans, the codes of `scan`
   */
  write(source: RowSource, plan: WritePlan, options?: EngineOptions): Promise<WriteResult>

  /**
   * Takes in rows once, to be joined with a table; whoever asks for it closes what comes of it.
   *
   * @throws DeltaError the codes of `scan` and `query`, `LAKE_ENGINE_HAS_NO_SQL`, `LAKE_CANCELLED`
   */
  stage(source: JoinSource, options?: EngineOptions): Promise<StagedRows>

  /**
   * Runs a SELECT in the engine's own dialect over tables that are given as views. Absent where an engine has no SQL.
   *
   * @throws DeltaError `LAKE_QUERY_FAILED` with what the engine says of the statement, and the codes of `scan`
   */
  query?(sql: string, views: readonly QueryView[], options?: EngineOptions): Promise<QueryResult>

  /**
   * The columns of a SELECT's answer; no file is opened. Absent where an engine has no SQL.
   *
   * @throws DeltaError `LAKE_QUERY_FAILED`
   */
  describeQuery?(sql: string, views: readonly QueryView[], options?: EngineOptions): Promise<StructType>

  /**
   * How the engine would run a SELECT, as a text for people. Absent where an engine has no SQL.
   *
   * @throws DeltaError as `query`
   */
  explainQuery?(sql: string, views: readonly QueryView[], options?: EngineOptions): Promise<string>

  /** What a SELECT needs of its tables, from its text alone. Absent where an engine has no SQL. */
  queryNeeds?(sql: string, options?: EngineOptions): Promise<QueryNeeds>

  /** Frees memory, threads and temporary files; the engine answers nothing afterwards. */
  close(): Promise<void>
}
