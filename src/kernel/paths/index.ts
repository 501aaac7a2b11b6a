export {
  canonicalPath,
  type DataFileLocation,
  decodePath,
  isAbsolutePath,
  locateDataFile,
  openDataFile,
} from './data-path.ts'
export { encodePath, escapeHive, NULL_DIRECTORY, partitionDirectory, unescapeHive } from './encode-path.ts'
export {
  type CheckpointForm,
  checkpointKey,
  checkpointPartKey,
  checksumKey,
  commitKey,
  compactionKey,
  LAST_CHECKPOINT_KEY,
  LOG_PREFIX,
  type LogName,
  parseLogName,
  SIDECAR_PREFIX,
  STAGED_COMMIT_PREFIX,
  uuidCheckpointKey,
  versionKey,
} from './log-name.ts'
