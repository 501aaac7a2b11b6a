export type {
  Action,
  ActionKind,
  AddCDCFile,
  AddFile,
  CheckpointMetadata,
  Commit,
  CommitInfo,
  DeletionVectorDescriptor,
  DomainMetadata,
  Format,
  Metadata,
  PartitionValues,
  Protocol,
  RemoveFile,
  SetTransaction,
  SidecarFile,
} from './actions/actions.ts'
export type { Comparison, RuleColumn, SkippingRule } from './scan/skipping-rule.ts'
export type {
  CheckpointFile,
  CheckpointWriteOptions,
  FileActions,
  FileIndex,
  FileIndexSource,
  FileKey,
  LogEngine,
} from './snapshot/file-index.ts'
export type { ColumnMappingMode, TableLayout } from './snapshot/layout.ts'
