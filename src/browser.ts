/**
 * The entry for browsers and other runtimes without Node: the whole reader and the small engine, no `node:` import.
 */
export type { Batch, Engine, EngineOptions, ScanPlan } from './engine/index.ts'
export { jsEngine } from './engine/js/index.ts'
export { DeltaError, type ErrorCode, isDeltaError } from './errors/index.ts'
export { type BoundExpression, bindPredicate, columnsOf, evaluate, parseExpression } from './expressions/index.ts'
export {
  type Action,
  type AddFile,
  commitKey,
  explainFile,
  type FileExplanation,
  fileMayMatch,
  type HistoryEntry,
  history,
  isDeltaTable,
  latestVersion,
  listVersions,
  loadSnapshot,
  type Metadata,
  type Protocol,
  planScan,
  readCommit,
  type Snapshot,
  type SnapshotOptions,
  skippingRule,
  type VersionEntry,
  versionAtTimestamp,
} from './kernel/index.ts'
export {
  type DataType,
  formatType,
  type Row,
  rowToJson,
  type StructField,
  type StructType,
  type Value,
  valueToJson,
  valueToText,
} from './schema/index.ts'
export { type HttpStoreOptions, httpStore, memoryStore, type ObjectStore } from './storage/index.ts'
export { Decimal, decodeUtf8, type JsonValue, parseJson, printJson } from './support/index.ts'
export { type DeltaTable, deltaTables, localBackend } from './table/index.ts'
