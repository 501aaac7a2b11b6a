/**
 * `bayou/browser`: tables read, and small ones written, where there is no Node.
 *
 * Everything here runs on web platform calls alone. A table over HTTP:
 *
 * ```ts
 * const engine = jsEngine()
 * const snapshot = await loadSnapshot(httpStore('https://host/lake/orders'), engine)
 * ```
 *
 * A table in a folder the user picks: `directoryStore(await showDirectoryPicker())`, or `fileListStore(input.files)` of
 * an `<input type="file" webkitdirectory>` where there is no picker.
 */
export type {
  Batch,
  Engine,
  EngineOptions,
  RowSource,
  ScanPlan,
  WritePlan,
  WriteResult,
  WrittenFile,
} from './engine/index.ts'
export { rowsOf } from './engine/index.ts'
export { jsEngine } from './engine/js/index.ts'
export {
  ConflictError,
  DeltaError,
  type ErrorCode,
  isDeltaError,
  StorageError,
  UnsupportedError,
  UsageError,
} from './errors/index.ts'
export {
  type BoundExpression,
  bindExpression,
  bindPredicate,
  columnsOf,
  compileEvaluator,
  type Expression,
  evaluate,
  parseDataType,
  parseExpression,
  parseTableSchema,
  printExpression,
} from './expressions/index.ts'
export {
  type Action,
  type AddFile,
  type Commit,
  commitKey,
  explainFile,
  type FileExplanation,
  type FileIndex,
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
  type RemoveFile,
  readCommit,
  type Snapshot,
  type SnapshotOptions,
  skippingRule,
  type TableLayout,
  type VersionEntry,
  versionAtTimestamp,
} from './kernel/index.ts'
export {
  type DataType,
  deltaTypeName,
  field,
  formatType,
  type MapEntry,
  parseSchema,
  printSchema,
  type Row,
  rowToJson,
  type StructField,
  type StructType,
  structType,
  type Value,
  Variant,
  valueToJson,
  valueToText,
} from './schema/index.ts'
export {
  directoryStore,
  fileListStore,
  type HttpStoreOptions,
  httpStore,
  type MemoryStoreOptions,
  memoryStore,
  type ObjectMeta,
  type ObjectStore,
  type PickedStoreOptions,
  retrying,
} from './storage/index.ts'
export {
  Decimal,
  decodeUtf8,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  printJson,
} from './support/index.ts'
export {
  DeltaTable,
  type DeltaTables,
  deltaTables,
  type LocalBackendOptions,
  localBackend,
} from './table/index.ts'
