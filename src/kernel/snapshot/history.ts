/** What was done to a table, version by version. */
import type { ObjectStore } from '../../storage/index.ts'
import { mapParallel } from '../../support/index.ts'
import type { CommitInfo } from '../actions/actions.ts'
import { type LoadOptions, WarningList } from '../log/index.ts'
import { inCommitTimestampOf, readCommitInfo } from './commit-times.ts'
import type { LogEngine } from './file-index.ts'
import { loadTimeline, type VersionEntry } from './time-travel.ts'

export interface HistoryEntry extends VersionEntry {
  /** absent where the commit has none */
  readonly commitInfo: CommitInfo | undefined
}

export interface HistoryOptions extends LoadOptions {
  /** no more entries than this */
  readonly limit?: number
}

const PARALLEL_READS = 8

/**
 * What was done to the table, newest first, as far as commits are there.
 *
 * `onWarning` is told when the log was copied, so that file times say nothing.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `FAILED_READ_FILE.NO_HINT`
 */
export async function history(
  store: ObjectStore,
  log: LogEngine,
  { limit, signal, onWarning }: HistoryOptions = {},
): Promise<readonly HistoryEntry[]> {
  const timeline = await loadTimeline(store, log, new WarningList(onWarning), signal)
  const newest =
    limit === undefined ? [...timeline.files] : timeline.files.slice(Math.max(0, timeline.files.length - limit))
  return await mapParallel(
    newest.reverse(),
    PARALLEL_READS,
    async ({ file, fileMs, raised }): Promise<HistoryEntry> => {
      const commitInfo = await readCommitInfo(store, file, signal)
      const { version } = file
      const counts = timeline.inCommit !== undefined && version >= timeline.inCommit.fromVersion
      const inCommit = counts ? inCommitTimestampOf(commitInfo) : undefined
      if (inCommit !== undefined) return { version, timestampMs: inCommit, timestampSource: 'in-commit', commitInfo }
      return { version, timestampMs: fileMs, timestampSource: raised ? 'adjusted' : 'file', commitInfo }
    },
  )
}
