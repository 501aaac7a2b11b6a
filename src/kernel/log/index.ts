export { type CheckpointCandidate, completeCheckpoints } from './checkpoint-candidate.ts'
export {
  commitFile,
  fileActionsOf,
  type LoadedCommit,
  loadCommits,
  readCommitActions,
  readKnownCommit,
} from './commit-file.ts'
export { commitsBehind } from './commits-behind.ts'
export { canonicalHint, hintChecksum } from './hint-checksum.ts'
export { type KnownCommit, KnownCommits } from './known-commits.ts'
export { type CompactionFile, type LogFile, type LogListing, listLog, newestVersion, tableNotFound } from './listing.ts'
export {
  type CommitCatalog,
  isManagedLog,
  MemoryCommitCatalog,
  managedLog,
  mayRelease,
  publishedVersion,
} from './managed-log.ts'
export { probeLog } from './probing.ts'
export { type CatalogCommits, isRatifiedLog, type RatifiedCommit, ratifiedLog } from './ratified-log.ts'
export {
  earliestVersion,
  type LogView,
  openLog,
  openWholeLog,
  planSegments,
  type Segment,
  versionNotFound,
} from './segment.ts'
export { isDeltaTable, latestVersion, readCommit } from './table-log.ts'
export { type LoadOptions, WarningList } from './warnings.ts'
