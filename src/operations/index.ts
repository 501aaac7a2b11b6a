export type { AlterAction, ColumnChange, ColumnPath, ColumnPosition, NewColumn } from './alter/action.ts'
export type {
  AlterCommand,
  AlterResult,
  Backend,
  ChangeResult,
  ChangeSettings,
  ChangesCommand,
  ChangesResult,
  CheckpointCommand,
  CheckpointResult,
  ColumnAssignment,
  ColumnValue,
  Command,
  CommandMap,
  CommandOptions,
  CommandResult,
  CommitsCommand,
  CountCommand,
  CountResult,
  CreateCommand,
  CreateResult,
  DeleteCommand,
  DescribeCommand,
  DetailCommand,
  ExistsCommand,
  ExpressionInput,
  FilesCommand,
  FilesResult,
  FollowCommand,
  FollowedBatch,
  HistoryCommand,
  ListedFile,
  LogCommand,
  MergeClause,
  MergeCommand,
  MergeResult,
  MergeSource,
  Progress,
  ReadPoint,
  RecordInput,
  RecordSource,
  ScanCommand,
  ScanResult,
  TableDescription,
  TableDetail,
  TableRead,
  TableRef,
  UpdateCommand,
  WriteCommand,
  WriteCommandResult,
  WriteMode,
  WriteSource,
  WriteTransaction,
} from './command.ts'
export { beginChange, commitChange, signed, tryCommit } from './commit.ts'
export type { OperationContext, SnapshotLease } from './context.ts'
export type { ChangeMetrics } from './dml/change-metrics.ts'
export type { MergeMetrics } from './dml/merge/merge-metrics.ts'
export type {
  DropFeatureCommand,
  DropFeaturePlan,
  DropFeatureResult,
  PlanDropFeatureCommand,
  PlannedCommit,
} from './drop-feature-command.ts'
export { ENGINE_INFO } from './engine-info.ts'
export { type EngineSupport, engineSupport, type FeatureSupport, featureSupport } from './engine-support/index.ts'
export { executeCommand } from './execute.ts'
export type { HistoryRow, TextMap } from './history.ts'
export type {
  LayoutPlan,
  LayoutSizes,
  OptimizeCommand,
  OptimizeResult,
  ReorgCommand,
} from './optimize/optimize-command.ts'
export type { OptimizeMetrics } from './optimize/optimize-metrics.ts'
export { type Purge, purgeFiles } from './optimize/reorg.ts'
export type { StaleReason } from './optimize/stale-files.ts'
export { prepareRowTracking } from './row-tracking.ts'
export { atTime } from './rules/index.ts'
export type {
  CloneCommand,
  CloneMetrics,
  CloneResult,
  ConvertCommand,
  ConvertResult,
  FsckCommand,
  FsckProblem,
  FsckResult,
  GenerateCommand,
  GenerateResult,
  RestoreCommand,
  RestoreMetrics,
  RestoreResult,
  VacuumCommand,
  VacuumResult,
} from './upkeep-command.ts'
export { MAX_FSCK_PROBLEMS } from './upkeep-command.ts'
export { hiddenKeys } from './vacuum/hidden-names.ts'
export { KeptFiles, keptFiles } from './vacuum/kept-files.ts'
export { columnPathText, type RowForm, type RowObject, rowDecoder, rowEncoder, SchemaGuess } from './values/index.ts'
export { type MergedSchema, mergeSchemas } from './write/merge-schema.ts'
export { addFileOf, parseFileSize, type WriteTarget, writePlanOf } from './write/write-plan.ts'
