/** What follows a commit and never makes it fail: checksum, checkpoint, hint, compaction, cleanup. */
import type { Clock } from '../../support/index.ts'
import { publishedVersion } from '../log/index.ts'
import { property } from '../properties/index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { cleanupLog } from './log-cleanup.ts'
import { compactLog } from './log-compaction.ts'
import { writeChecksum } from './version-checksum.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

export interface AfterCommitOptions {
  /** the version just committed; the snapshot may be newer */
  readonly version: number
  readonly clock?: Clock
  /**
   * `always`: every version gets a checksum where what it comes to is known without reading the table's files;
   * `with-checkpoint`, the default, keeps no list of files for it
   */
  readonly checksums?: 'always' | 'with-checkpoint'
  /** how many commits one compacted file of the log stands for, 2 or more; none is written when absent */
  readonly compactionInterval?: number
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
 * Does the upkeep that is due after a commit: the version's checksum; when `delta.checkpointInterval` divides the version,
 * a checkpoint and its hint, and the cleanup of expired log files; when the compaction interval does, a compacted file.
 * Never rejects; failures are in the report, and one does not keep the next from being tried.
 *
 * @param snapshot the table at the committed version or later
 */
export async function afterCommit(snapshot: Snapshot, options: AfterCommitOptions): Promise<AfterCommitReport> {
  const upkeep = new Upkeep(snapshot, options)
  await upkeep.run()
  return upkeep.report
}

class Upkeep {
  readonly report = { checkpoint: undefined as number | undefined, deleted: 0, failures: [] as unknown[] }
  private readonly snapshot: Snapshot
  private readonly options: AfterCommitOptions

  constructor(snapshot: Snapshot, options: AfterCommitOptions) {
    this.snapshot = snapshot
    this.options = options
  }

  async run(): Promise<void> {
    const { snapshot } = this
    const published = publishedVersion(snapshot.store)
    // of a managed table only what is published is anybody's to sum up, and its cleanup is the catalog's
    if (published !== undefined && published < snapshot.version) return
    await this.attempt(() => this.keepUp(published === undefined))
  }

  private async keepUp(mayClean: boolean): Promise<void> {
    const { snapshot, options } = this
    const isDue = isCheckpointDue(snapshot.configuration, options.version)
    if (isDue) {
      await this.attempt(async () => {
        this.report.checkpoint = (await writeCheckpoint(snapshot, options)).version
      })
    }
    await this.attempt(() => this.sumUp(isDue))
    await this.attempt(() => this.compact())
    await this.attempt(async () => {
      if (mayClean && this.report.checkpoint !== undefined) this.report.deleted = await cleanupLog(snapshot, options)
    })
  }

  /** A newer version is summed up by whoever made it. */
  private async sumUp(isDue: boolean): Promise<void> {
    const { snapshot, options } = this
    const { version, checksums = 'with-checkpoint' } = options
    const isOwn = checksums === 'always' && snapshot.version === version
    if (isDue || (isOwn && (await snapshot.files.summary?.()) !== undefined)) await writeChecksum(snapshot)
  }

  private async compact(): Promise<void> {
    const { version, compactionInterval: interval } = this.options
    if (interval === undefined || interval < 2 || (version + 1) % interval !== 0) return
    await compactLog(this.snapshot.store, { from: version + 1 - interval, to: version })
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.report.failures.push(error))
  }
}
