/** Options of the table interface, in the words of a program: texts, dates, plain objects. */
import { deltaError } from '../errors/index.ts'
import { parseTableSchema } from '../expressions/index.ts'
import { type ChangeRange, type FollowFrom, type FollowOffset, type FollowRules, parseOffset } from '../kernel/index.ts'
import type { CommandOptions, ExpressionInput, ReadPoint, RowForm, WriteMode } from '../operations/index.ts'
import type { StructType } from '../schema/index.ts'
import { parseTimestamp } from '../support/index.ts'

/** A time: ISO text (UTC where it names no zone), a `Date`, or milliseconds since 1970. */
export type TimestampInput = string | Date | number

/** Pairs of text; a `Map`, or an object of them. */
export type Properties = ReadonlyMap<string, string> | Readonly<Record<string, string>>

export interface ScanOptions extends CommandOptions {
  /** a predicate of the expression language; only rows for which it is TRUE. It may name members of `_metadata` */
  readonly where?: ExpressionInput
  /** columns of the table, and members of `_metadata`: `_metadata.row_id`, `_metadata.file_path` … */
  readonly select?: readonly string[]
  /** true: the stable id of each row and the version that last wrote it, as `_metadata.row_id` and `_metadata.row_commit_version` */
  readonly rowIds?: boolean
  readonly limit?: number
  readonly version?: number
  readonly timestamp?: TimestampInput
  /** `js`: convenient values that lose digits beyond a double and times below a millisecond */
  readonly as?: RowForm
}

/** Where a change feed begins and ends; both ends are included. */
export interface ChangesOptions extends CommandOptions {
  /** the first version */
  readonly from?: number
  /** instead: the first version committed at or after this time */
  readonly fromTimestamp?: TimestampInput
  /** the last version; the latest when neither this nor a time is given, or the table has nothing as new */
  readonly to?: number
  /** instead: the last version committed at or before this time */
  readonly toTimestamp?: TimestampInput
  /** a predicate over the table's columns and `_change_type`, `_commit_version`, `_commit_timestamp` */
  readonly where?: ExpressionInput
  readonly select?: readonly string[]
  readonly limit?: number
  readonly as?: RowForm
}

/** Where a streaming read begins, what it passes over, and how much it gives at a time. */
export interface FollowOptions extends CommandOptions {
  /** the offset of a batch of an earlier run, or its JSON text: goes on behind that batch */
  readonly offset?: FollowOffset | string
  /** begins with what this version added, or with what comes after the latest version; else with all the table holds */
  readonly startingVersion?: number | 'latest'
  /** instead: begins with the first version committed at or after this time */
  readonly startingTimestamp?: TimestampInput
  /** files of a batch at most; 1000 when absent */
  readonly maxFilesPerTrigger?: number
  /** bytes of the files of a batch, about; no limit when absent */
  readonly maxBytesPerTrigger?: number
  /** passes over commits that only delete whole files */
  readonly ignoreDeletes?: boolean
  /** gives what commits add that also remove files; rows that were only moved come again */
  readonly ignoreChanges?: boolean
  /** passes over commits that delete or change rows, with everything they add */
  readonly skipChangeCommits?: boolean
  /** gives the change feed, as `changes` does, instead of rows added */
  readonly readChangeFeed?: boolean
  /** goes on at an offset behind which mapped columns were renamed or dropped */
  readonly allowSourceColumnRenameAndDrop?: boolean
  /** milliseconds between looks at a log in which nothing is new; 1000 when absent */
  readonly pollMs?: number
  /** ends at the version that is the latest when the read begins, instead of waiting for more */
  readonly untilLatest?: boolean
  readonly where?: ExpressionInput
  readonly select?: readonly string[]
  readonly as?: RowForm
}

export interface AppendOptions extends CommandOptions {
  readonly mergeSchema?: boolean
  /** must name the table's own partition columns; there to catch a mistake */
  readonly partitionBy?: readonly string[]
  /** the write is left out when the table holds this version, or a later one, of the application */
  readonly txn?: { readonly appId: string; readonly version: number | bigint }
  readonly userMetadata?: string
  /** size of a data file, about: bytes, or as `64MB` */
  readonly targetFileSize?: number | string
  /** rows of a data file at most */
  readonly maxRecordsPerFile?: number
}

export interface OverwriteOptions extends AppendOptions {
  /** the schema and partitioning of the rows replace the table's */
  readonly overwriteSchema?: boolean
  /** only rows for which it is TRUE are replaced, and for every row written it must be TRUE */
  readonly replaceWhere?: ExpressionInput
  /** `dynamic`: the partitions that rows are written to are replaced, and no other */
  readonly partitionOverwriteMode?: 'static' | 'dynamic'
}

export interface WriteOptions extends OverwriteOptions {
  readonly mode?: WriteMode
  /** for a table made by this write */
  readonly properties?: Properties
  /** the columns the rows have; where it is absent they are the table's, or inferred from the rows */
  readonly schema?: SchemaInput
}

/**
 * The read point of an options object, or undefined for the newest version.
 *
 * @throws DeltaError `DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE`, `LAKE_INVALID_OPTION` when both are given
 */
export function readPointOf(options: Pick<ScanOptions, 'version' | 'timestamp'>): ReadPoint | undefined {
  const { version, timestamp } = options
  if (version !== undefined && timestamp !== undefined) {
    throw deltaError('LAKE_INVALID_OPTION', {
      option: 'timestamp',
      value: String(timestamp),
      allowed: 'a version is given too, and one of the two is enough',
    })
  }
  if (version !== undefined) return { version: checkVersion(version) }
  return timestamp === undefined ? undefined : { timestampMs: timestampMsOf(timestamp) }
}

/**
 * The range of a change feed.
 *
 * @throws DeltaError `DELTA_NO_START_FOR_CDC_READ`, `DELTA_MULTIPLE_CDC_BOUNDARY`, `DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE`
 */
export function changeRangeOf({ from, fromTimestamp, to, toTimestamp }: ChangesOptions): ChangeRange {
  const start = changeBound('from', from, fromTimestamp)
  const end = changeBound('to', to, toTimestamp)
  if (start === undefined) throw deltaError('DELTA_NO_START_FOR_CDC_READ', {})
  return end === undefined ? { from: start } : { from: start, to: end }
}

function changeBound(name: string, version: number | undefined, timestamp: TimestampInput | undefined) {
  if (version !== undefined && timestamp !== undefined) throw deltaError('DELTA_MULTIPLE_CDC_BOUNDARY', { name })
  return readPointOf({ ...(version !== undefined && { version }), ...(timestamp !== undefined && { timestamp }) })
}

/**
 * The start of a streaming read.
 *
 * @throws DeltaError `DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET`, `DELTA_INVALID_SOURCE_OFFSET_FORMAT`,
 * `DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE`
 */
export function followFromOf({ offset, startingVersion, startingTimestamp }: FollowOptions): FollowFrom {
  const given = Object.entries({ offset, startingVersion, startingTimestamp })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (given.length > 1) throw deltaError('DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET', { given })
  if (offset !== undefined) return { kind: 'offset', offset: parseOffset(offset) }
  if (startingVersion === 'latest') return { kind: 'latest' }
  if (startingVersion !== undefined) return { kind: 'version', version: checkVersion(startingVersion) }
  if (startingTimestamp === undefined) return { kind: 'snapshot' }
  return { kind: 'timestamp', timestampMs: timestampMsOf(startingTimestamp) }
}

/** @throws DeltaError `LAKE_INVALID_OPTION` for a limit that would let nothing through */
export function followRulesOf(options: FollowOptions): FollowRules {
  const { maxFilesPerTrigger: maxFiles, maxBytesPerTrigger: maxBytes } = options
  requirePositive('maxFilesPerTrigger', maxFiles)
  requirePositive('maxBytesPerTrigger', maxBytes)
  const { ignoreDeletes, ignoreChanges, skipChangeCommits, readChangeFeed } = options
  return {
    ...(maxFiles !== undefined && { maxFiles }),
    ...(maxBytes !== undefined && { maxBytes }),
    ignoreDeletes: ignoreDeletes === true,
    ignoreChanges: ignoreChanges === true,
    skipChangeCommits: skipChangeCommits === true,
    readChangeFeed: readChangeFeed === true,
    allowRenameAndDrop: options.allowSourceColumnRenameAndDrop === true,
  }
}

function requirePositive(option: string, value: number | undefined): void {
  if (value === undefined || value > 0) return
  throw deltaError('LAKE_INVALID_OPTION', { option, value, allowed: 'a number above 0' })
}

function checkVersion(version: number): number {
  if (Number.isSafeInteger(version) && version >= 0) return version
  throw deltaError('DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE', { what: 'version', value: version })
}

function timestampMsOf(timestamp: TimestampInput): number {
  const ms = typeof timestamp === 'string' ? textToMs(timestamp) : Number(timestamp)
  if (Number.isFinite(ms)) return Math.floor(ms)
  throw deltaError('DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE', { what: 'timestamp', value: String(timestamp) })
}

function textToMs(text: string): number {
  const parsed = parseTimestamp(text.trim())
  if (parsed === undefined) return Number.NaN
  return Number(parsed.micros) / 1000 - (parsed.offsetMinutes ?? 0) * 60_000
}

/** The columns of a table as SQL writes them, `id BIGINT NOT NULL, name STRING`, or as data. */
export type SchemaInput = StructType | string

/** @throws DeltaError `PARSE_SYNTAX_ERROR`, `UNSUPPORTED_DATATYPE` */
export function schemaOf(schema: SchemaInput): StructType {
  return typeof schema === 'string' ? parseTableSchema(schema) : schema
}

export function propertyMap(properties: Properties | undefined): ReadonlyMap<string, string> {
  if (properties === undefined) return new Map()
  return properties instanceof Map ? properties : new Map(Object.entries(properties))
}

/** The part of an options object that is for the run and not for the command. */
export function runOptions(options: CommandOptions): CommandOptions {
  return {
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  }
}
