/**
 * `bayou`: tables from Node. Paths and http(s) addresses are opened as they are written; rows move through DuckDB,
 * which is loaded when the first row moves.
 */
import { nodeEngine, openSession, type Session } from './session/index.ts'
import { Lake } from './sql/index.ts'
import { type DeltaTable as DeltaTableHandle, type DeltaTables, deltaTables } from './table/index.ts'

let session: Session | undefined

/** Tables by their path, over one engine for the process; `openSession` makes others, with limits of their own. */
export const DeltaTable: DeltaTables = deltaTables(() => {
  session ??= openSession({ engine: nodeEngine() })
  return session.backend
})
export type DeltaTable = DeltaTableHandle

/** Frees the engine of the process and its temporary files; the next call of `DeltaTable` opens another. */
export async function closeTables(): Promise<void> {
  const open = session
  session = undefined
  await open?.close()
}

export interface ConnectOptions {
  /** names → paths or addresses */
  readonly tables?: Readonly<Record<string, string>>
  /** a folder or address that keeps names, and tables made without LOCATION, for every connection that uses it */
  readonly namesFolder?: string
  /** who makes the commits, as history shows it; the user of the operating system when absent */
  readonly userName?: string
}

/** A connection that queries and changes tables by name. */
export async function connect({ tables = {}, namesFolder, userName }: ConnectOptions = {}): Promise<Lake> {
  const own = openSession({ engine: nodeEngine(), ...(userName !== undefined && { userName }) })
  const { engine, backend, openStore, openTables, clock } = own
  const names = { tables: new Map(Object.entries(tables)), ...(namesFolder !== undefined && { namesFolder }) }
  return new Lake({ engine, backend, openStore, openTables, clock, ...names }, () => own.close())
}

export type { ArrowRows, ArrowStream } from './arrow/index.ts'
export type { Batch, Engine, EngineOptions } from './engine/index.ts'
export {
  ConflictError,
  DeltaError,
  type ErrorCode,
  isDeltaError,
  StorageError,
  UnsupportedError,
  UsageError,
} from './errors/index.ts'
export { parseDataType, parseTableSchema } from './expressions/index.ts'
export type { FileBatch, FollowOffset } from './kernel/index.ts'
export type {
  AlterResult,
  Backend,
  CloneResult,
  Command,
  CommandOptions,
  CommandResult,
  ConvertResult,
  FsckProblem,
  FsckResult,
  GenerateResult,
  Progress,
  RecordInput,
  RestoreResult,
  RowForm,
  RowObject,
  TableDescription,
  VacuumResult,
  WriteCommandResult,
  WriteMode,
} from './operations/index.ts'
export {
  type DataType,
  formatType,
  parseSchema,
  printSchema,
  type StructField,
  type StructType,
  type Value,
} from './schema/index.ts'
export { nodeEngine, openSession, type Session, type SessionOptions } from './session/index.ts'
export type { Lake, ParameterValue, ParameterValues, SqlOptions, SqlRows } from './sql/index.ts'
export type { ObjectStore } from './storage/index.ts'
export { Decimal } from './support/index.ts'
export type {
  AppendOptions,
  ChangesOptions,
  CloneOptions,
  CommitRecord,
  ConvertOptions,
  DeltaTableBuilder,
  DeltaTables,
  DetailRecord,
  FileRecord,
  FilesOptions,
  FollowOptions,
  FsckOptions,
  HistoryRecord,
  MergeBuilder,
  MergeOptions,
  MergeRows,
  MicroBatch,
  OverwriteOptions,
  Properties,
  RestoreOptions,
  ScanOptions,
  TableChanges,
  TableRows,
  TableScan,
  TimestampInput,
  VacuumOptions,
  WriteOptions,
} from './table/index.ts'
