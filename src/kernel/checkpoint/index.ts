export { type AfterCommitOptions, type AfterCommitReport, afterCommit } from './after-commit.ts'
