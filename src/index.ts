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

/**
 * A connection that queries tables by name.
 *
 * @param tables names → paths or addresses
 */
export async function connect({ tables = {} }: { tables?: Readonly<Record<string, string>> } = {}): Promise<Lake> {
  const own = openSession({ engine: nodeEngine() })
  const { engine, backend, openStore } = own
  return new Lake({ engine, backend, openStore, tables: new Map(Object.entries(tables)) }, () => own.close())
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
  Command,
  CommandOptions,
  CommandResult,
  Progress,
  RecordInput,
  RowForm,
  RowObject,
  TableDescription,
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
export type { Lake, SqlOptions, SqlRows } from './sql/index.ts'
export type { ObjectStore } from './storage/index.ts'
export { Decimal } from './support/index.ts'
export type {
  AppendOptions,
  ChangesOptions,
  CommitRecord,
  DeltaTableBuilder,
  DeltaTables,
  DetailRecord,
  FileRecord,
  FilesOptions,
  FollowOptions,
  HistoryRecord,
  MergeBuilder,
  MergeOptions,
  MergeRows,
  MicroBatch,
  OverwriteOptions,
  Properties,
  ScanOptions,
  TableChanges,
  TableRows,
  TableScan,
  TimestampInput,
  WriteOptions,
} from './table/index.ts'
