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
export { parseCommitText } from './actions/commit-text.ts'
export { parseAction } from './actions/parse.ts'
export { printAction, printActions } from './actions/print.ts'
export {
  CHANGE_TYPE,
  type ChangeBound,
  type ChangePlan,
  type ChangeRange,
  type ChangeScan,
  type ChangeType,
  COMMIT_TIMESTAMP,
  COMMIT_VERSION,
  planChanges,
} from './changes/index.ts'
export {
  type AfterCommitOptions,
  type AfterCommitReport,
  afterCommit,
  beginningAfter,
  type CheckpointHint,
  type CleanupOptions,
  type CompactionRange,
  cleanupLog,
  compactLog,
  earliestOf,
  expiryMs,
  isCheckpointDue,
  type KeptHistory,
  keptHistory,
  writeCheckpoint,
  writeChecksum,
} from './checkpoint/index.ts'
export { fieldId, physicalName, physicalPartitionColumns } from './column-mapping/index.ts'
export {
  BLOCK_BYTES,
  BLOCK_ROWS,
  type DeletionVectorOptions,
  type DeletionVectorWriteOptions,
  decodePositions,
  decodeZ85,
  deletionVectorKey,
  deletionVectorPath,
  loadDeletionVector,
  type RowBlock,
  RowSet,
  RowSetBuilder,
  vectorAtRoot,
  type WrittenDeletionVectors,
  writeDeletionVectors,
} from './deletion-vector/index.ts'
export {
  type FeatureTable,
  featuresOf,
  findFeature,
  isWidening,
  lowestProtocol,
  spellingsOf,
  supportsFeature,
  type TableFeature,
  tableFeatures,
} from './features/index.ts'
export {
  type FollowBatch,
  type Follower,
  type FollowFrom,
  type FollowOffset,
  type FollowRules,
  type FollowScan,
  openFollower,
  parseOffset,
} from './follow/index.ts'
export {
  type CatalogCommits,
  type CommitCatalog,
  isDeltaTable,
  isManagedLog,
  KnownCommits,
  type LoadOptions,
  latestVersion,
  listLog,
  MemoryCommitCatalog,
  managedLog,
  mayRelease,
  publishedVersion,
  type RatifiedCommit,
  ratifiedLog,
  readCommit,
} from './log/index.ts'
export { compareValues } from './partition/compare-values.ts'
export {
  formatPartitionValue,
  type ParsePartitionOptions,
  type PartitionColumn,
  parsePartitionValue,
  partitionKey,
} from './partition/partition-value.ts'
export {
  canonicalPath,
  checkpointKey,
  checksumKey,
  commitKey,
  type DataFileLocation,
  decodePath,
  encodePath,
  escapeHive,
  isAbsolutePath,
  LAST_CHECKPOINT_KEY,
  LOG_PREFIX,
  type LogName,
  locateDataFile,
  NULL_DIRECTORY,
  openDataFile,
  parseLogName,
  partitionDirectory,
  unescapeHive,
} from './paths/index.ts'
export {
  canonicalKey,
  findProperty,
  type PropertyName,
  parseIntervalMs,
  property,
  tableProperties,
  validateProperties,
} from './properties/index.ts'
export { type MovedRows, movedRows, movedRowsTags, ROW_TRACKING_DOMAIN } from './row-tracking/index.ts'
export { type Proof, type RowStatistics, rowsMayMatch } from './scan/disprove-by-stats.ts'
export { explainFile, type FileExplanation } from './scan/explain-file.ts'
export { disprove, fileMayMatch, partitionRule } from './scan/file-may-match.ts'
export { type PlanScanOptions, planScan, scanPages } from './scan/plan-scan.ts'
export { skippingRule } from './scan/rule-of-predicate.ts'
export type { ScanFile } from './scan/scan-file.ts'
export type { Comparison, RuleColumn, SkippingRule } from './scan/skipping-rule.ts'
export { arrayFileIndex, type CheckpointReader } from './snapshot/array-file-index.ts'
export type { FileBatch } from './snapshot/file-batch.ts'
export type {
  CheckpointFile,
  CheckpointStatistics,
  CheckpointWriteOptions,
  FileActions,
  FileIndex,
  FileIndexSource,
  FileKey,
  FileTotals,
  LogEngine,
  SelectOptions,
} from './snapshot/file-index.ts'
export {
  type FileConstant,
  fileConstant,
  type HiddenColumn,
  type HiddenSource,
  hiddenSource,
  metadataMembers,
  type PlacedFile,
  withHiddenColumns,
} from './snapshot/hidden-columns.ts'
export { type HistoryEntry, type HistoryOptions, history } from './snapshot/history.ts'
export { readJsonCheckpoint } from './snapshot/json-checkpoint.ts'
export type { ColumnMappingMode, RowTrackingColumns, TableLayout } from './snapshot/layout.ts'
export { layoutOf } from './snapshot/layout-of.ts'
export { loadSnapshot, type SnapshotOptions } from './snapshot/load.ts'
export { deletionVectorId, fileKey, fileKeyText } from './snapshot/replay-key.ts'
export { type LogSegment, Snapshot, type SnapshotState } from './snapshot/snapshot.ts'
export { loadTableFacts, type TableFacts } from './snapshot/table-facts.ts'
export { listVersions, type VersionAtOptions, type VersionEntry, versionAtTimestamp } from './snapshot/time-travel.ts'
export { type ColumnStatistics, type FileStatistics, formatStats } from './statistics/format-stats.ts'
export { type ParsedStats, parseStats } from './statistics/parse-stats.ts'
export {
  hasBounds,
  type StatisticsColumns,
  type StatisticsLeaf,
  statisticsLeaves,
} from './statistics/select-columns.ts'
export { parseColumnList, type StatisticsTable, statisticsColumns } from './statistics/statistics-columns.ts'
export {
  partitionValuesRow,
  statisticsRow,
  type TypedStatistics,
  typedStatistics,
} from './statistics/typed-statistics.ts'
export {
  beginCreate,
  beginFrom,
  beginTransaction,
  type CommitOptions,
  type CommitOutcome,
  createTable,
  IDENTITY_MARK,
  impliedFeatures,
  type MetadataChange,
  type MetricValue,
  mergeProtocols,
  type PlannedMetadata,
  planFeatures,
  planMetadataChange,
  planNewTable,
  planReplacement,
  requireCommitted,
  type TableBefore,
  type TableSpec,
  Transaction,
  type TransactionBase,
  type TransactionOptions,
  type TransactionPlan,
  type TransactionReads,
  withoutIdentityMarks,
} from './transaction/index.ts'
