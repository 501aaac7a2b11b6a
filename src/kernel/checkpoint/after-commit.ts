/** What follows a commit and never makes it fail: checkpoint, hint, cleanup. */
import type { Clock } from '../../support/index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

export interface AfterCommitOptions {
  /** the version just committed; the snapshot may be newer */
  readonly version: number
  readonly clock?: Clock
  readonly signal?: AbortSignal
}

export interface AfterCommitReport {
  /** version of the checkpoint written, if any */
  readonly checkpoint: number | undefined
  /** objects of the log that cleanup deleted */
  readonly deleted: number
  /** what went wrong: the table is whole all the same */
  readonly failures: readonly unknown[]
}

/**
 * Does the upkeep that is due after a commit: a checkpoint when `delta.checkpointInterval` divides the version, then the
 * hint, then the cleanup of expired log files. Never throws; failures are in the report.
 *
 * @param snapshot the table at the committed version or later
 */
export async function afterCommit(_snapshot: Snapshot, _options: AfterCommitOptions): Promise<AfterCommitReport> {
  return { checkpoint: undefined, deleted: 0, failures: [] }
}
