/** What follows a commit and never makes it fail: checkpoint, hint, checksum, cleanup. */
import type { Clock } from '../../support/index.ts'
import { publishedVersion } from '../log/index.ts'
import { property } from '../properties/index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { cleanupLog } from './log-cleanup.ts'
import { writeChecksum } from './version-checksum.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

export interface AfterCommitOptions {
  /** the version just committed; the snapshot may be newer */
  readonly version: number
  readonly clock?: Clock
}

export interface AfterCommitReport {
  /** version of the checkpoint written, if any */
  readonly checkpoint: number | undefined
  /** objects of the log that cleanup deleted */
  readonly deleted: number
  /** what went wrong: the table is whole all the same */
  readonly failures: readonly unknown[]
}

/** Whether a commit asks for a checkpoint: `delta.checkpointInterval` divides its version. */
export function isCheckpointDue(configuration: ReadonlyMap<string, string>, version: number): boolean {
  return version > 0 && version % property(configuration, 'checkpointInterval') === 0
}

/**
 * Does the upkeep that is due after a commit: when `delta.checkpointInterval` divides the version, a checkpoint and its
 * hint, the version's checksum, the cleanup of expired log files. Never rejects; failures are in the report, and one
 * does not keep the next from being tried.
 *
 * @param snapshot the table at the committed version or later
 */
export async function afterCommit(snapshot: Snapshot, options: AfterCommitOptions): Promise<AfterCommitReport> {
  const report = { checkpoint: undefined as number | undefined, deleted: 0, failures: [] as unknown[] }
  const attempt = async (work: () => Promise<void>) => {
    await work().catch((error: unknown) => report.failures.push(error))
  }
  await attempt(async () => {
    const published = publishedVersion(snapshot.store)
    if (!isCheckpointDue(snapshot.configuration, options.version)) return
    // of a managed table only what is published is anybody's to sum up, and its cleanup is the catalog's
    if (published !== undefined && published < snapshot.version) return
    await attempt(async () => {
      report.checkpoint = (await writeCheckpoint(snapshot, options)).version
    })
    await attempt(() => writeChecksum(snapshot))
    await attempt(async () => {
      if (report.checkpoint !== undefined && published === undefined)
        report.deleted = await cleanupLog(snapshot, options)
    })
  })
  return report
}
