/** What a log says of a table whose rows this package may not be able to read. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Metadata, Protocol } from '../actions/actions.ts'
import { openLog, WarningList } from '../log/index.ts'
import { commitTimestampMs } from './commit-times.ts'
import type { LogEngine } from './file-index.ts'
import type { SnapshotOptions } from './load.ts'
import { buildFromLog, loadSmall } from './load-small.ts'
import { versionAtTimestamp } from './time-travel.ts'

export interface TableFacts {
  readonly version: number
  readonly timestampMs: number
  readonly protocol: Protocol
  readonly metadata: Metadata
}

/**
 * Protocol and metadata at a version, whatever the protocol asks of readers.
 *
 * Nothing is said of files: what an unknown feature does to them is not known.
 *
 * @throws DeltaError `DELTA_STATE_RECOVER_ERROR`, and what `loadSnapshot` throws of a log that cannot be followed
 */
export async function loadTableFacts(
  store: ObjectStore,
  log: LogEngine,
  { version: asked, timestampMs, signal, onWarning }: SnapshotOptions = {},
): Promise<TableFacts> {
  const warnings = new WarningList(onWarning)
  const call = { warnings, ...(signal && { signal }) }
  const wanted =
    asked ??
    (timestampMs === undefined ? undefined : await versionAtTimestamp(store, log, timestampMs, signal && { signal }))
  const view = await openLog(store, { ...call, ...(wanted !== undefined && { version: wanted }) })
  return await buildFromLog(store, view, { ...call, asked: wanted !== undefined }, async (segment) => {
    const { small, commits } = await loadSmall(store, log, segment, call)
    const { protocol, metadata } = small
    const { version } = segment
    const lost = (what: string) => deltaError('DELTA_STATE_RECOVER_ERROR', { path: store.location, version, what })
    if (protocol === undefined) throw lost('protocol')
    if (metadata === undefined) throw lost('metaData')
    const timestampMs = await commitTimestampMs(store, metadata, {
      version,
      commit: commits.at(-1),
      file: segment.ownCommit,
      otherwiseMs: segment.checkpoint?.modifiedMs ?? 0,
    })
    return { version, timestampMs, protocol, metadata }
  })
}
