/** The commits that got ahead of a transaction. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { listLog } from '../log/index.ts'

/**
 * The latest version at or behind one that is known to be there, found by one listing.
 *
 * @throws DeltaError `DELTA_VERSIONS_NOT_CONTIGUOUS` when a version between is missing
 */
export async function commitsFrom(store: ObjectStore, version: number, signal?: AbortSignal): Promise<number> {
  const { commits } = await listLog(store, { from: version, ...(signal && { signal }) })
  let latest = version
  for (const commit of commits) {
    if (commit.version > latest + 1) throw gap(store, latest + 1, version, commit.version)
    latest = commit.version
  }
  return latest
}

function gap(store: ObjectStore, missing: number, from: number, to: number): Error {
  const readable = `the log can be read up to version ${missing - 1}`
  return deltaError('DELTA_VERSIONS_NOT_CONTIGUOUS', { path: store.location, missing, from, to, readable })
}
