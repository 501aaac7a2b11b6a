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
} from './actions.ts'
export { parseCommitText } from './commit-text.ts'
export { parseAction } from './parse.ts'
export { printAction, printActions } from './print.ts'
