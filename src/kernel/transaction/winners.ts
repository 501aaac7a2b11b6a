/** The commits that got ahead of a transaction. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { commitKey, LOG_PREFIX, parseLogName } from '../paths/index.ts'

/**
 * The latest version at or behind one that is known to be there, found by one listing.
 *
 * @throws DeltaError `DELTA_VERSIONS_NOT_CONTIGUOUS` when a version between is missing
 */
export async function commitsFrom(store: ObjectStore, version: number, signal?: AbortSignal): Promise<number> {
  const startAfter = version === 0 ? {} : { startAfter: commitKey(version - 1) }
  const options = { prefix: LOG_PREFIX, shallow: true, ...startAfter, ...(signal === undefined ? {} : { signal }) }
  let latest = version
  let expected = version
  for await (const page of store.list(options)) {
    for (const { key } of page) {
      const name = parseLogName(key.slice(LOG_PREFIX.length))
      if (name?.kind !== 'commit' || name.version < version) continue
      if (name.version !== expected) throw gap(store, expected, version, name.version)
      latest = name.version
      expected = name.version + 1
    }
  }
  return latest
}

function gap(store: ObjectStore, missing: number, from: number, to: number): Error {
  const readable = `the log can be read up to version ${missing - 1}`
  return deltaError('DELTA_VERSIONS_NOT_CONTIGUOUS', { path: store.location, missing, from, to, readable })
}
