export type { StatisticsColumns } from '../kernel/index.ts'
export { type EngineContractCase, type EngineSubject, engineContract } from './contract.ts'
export type {
  Batch,
  CsvOptions,
  Engine,
  EngineOptions,
  NamedExpression,
  QueryResult,
  QueryView,
  RejectedRecord,
  RowSource,
  RowTextFormat,
  ScanPlan,
  TextSource,
  WritePlan,
  WriteResult,
  WrittenFile,
} from './engine.ts'
