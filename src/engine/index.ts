export type { StatisticsColumns } from '../kernel/index.ts'
export { rowPages, rowsOf } from './batch-rows.ts'
export { dataFolder } from './data-folder.ts'
export type {
  Batch,
  ComputedColumn,
  CsvOptions,
  Engine,
  EngineOptions,
  FileFooter,
  FileSchema,
  FindRowsPlan,
  FoundRows,
  NamedExpression,
  NumberedColumn,
  QueryNeeds,
  QueryResult,
  QuerySource,
  QueryView,
  RejectedRecord,
  RowCheck,
  RowCurve,
  RowSource,
  RowTextFormat,
  ScanPlan,
  ScanSource,
  TextSource,
  WritePlan,
  WriteResult,
  WrittenFile,
} from './engine.ts'
export { STORED_FIELD_ID } from './engine.ts'
export {
  type JoinAction,
  type JoinedRows,
  type JoinPlan,
  type JoinSource,
  type KeySummary,
  MAX_LISTED_KEYS,
  type RepeatedMatches,
  type RowDraw,
  type StagedRows,
  type TouchedFile,
} from './join.ts'
export { leafStatistics } from './leaf-statistics.ts'
export { type CsvRows, csvFields, csvRows, splitCsv } from './record/csv-record.ts'
export { readJsonRecord } from './record/json-record.ts'
export { RecordFault } from './record/record-fault.ts'
export { scalarFromText } from './record/scalar-text.ts'
export { UnknownFields, type UnknownFieldsRule } from './record/unknown-fields.ts'
export { columnOrdinals, conjunctsOf, type JoinKey, joinKeys, readsOnly } from './row-join/row-keys.ts'
export { type RowAccess, stageRows } from './row-join/staged-rows.ts'
