export { type AfterCommitOptions, type AfterCommitReport, afterCommit, isCheckpointDue } from './after-commit.ts'
export type { CheckpointHint } from './last-checkpoint.ts'
export { type CleanupOptions, cleanupLog } from './log-cleanup.ts'
export { type WriteCheckpointOptions, writeCheckpoint } from './write-checkpoint.ts'
