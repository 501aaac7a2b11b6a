/**
 * What lies behind a version that was there a moment ago.
 *
 * A local folder is asked for one name after the other, since listing it reads the names of the whole log; any other
 * store lists from the version on, in one request. Either way the version's own commit must still be there: nothing may be
 * put behind a log that somebody has deleted or replaced.
 */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { commitKey } from '../paths/index.ts'
import type { KnownCommits } from './known-commits.ts'
import { type LogFile, listLog, newestVersion } from './listing.ts'
import { probeLog } from './probing.ts'
import { isRatifiedLog } from './ratified-log.ts'

/** So many new commits are asked for one by one; where there are more a listing is cheaper. */
const MAX_PROBES = 16

export interface BehindOptions {
  readonly known?: KnownCommits | undefined
  /**
   * whether the version was seen so lately that no cleanup of the log can have taken its successor and left it; false: the
   * folder is listed
   */
  readonly isRecent: boolean
  readonly signal?: AbortSignal | undefined
}

export interface Behind {
  /** ascending */
  readonly commits: readonly LogFile[]
  /** of commits and checkpoints; the version itself where nothing is newer */
  readonly newest: number
}

/** @returns undefined where the version is not to be seen any more */
export async function commitsBehind(
  store: ObjectStore,
  version: number,
  options: BehindOptions,
): Promise<Behind | undefined> {
  const { isRecent, signal } = options
  const call = signal === undefined ? {} : { signal }
  if (!store.capabilities.list) {
    const listing = await probeLog(store, { from: version + 1, ...call })
    return { commits: listing.commits, newest: newestVersion(listing) ?? version }
  }
  const probes = isRecent && store.localPath !== undefined && !isRatifiedLog(store)
  const probed = probes ? await probeBehind(store, version, options) : undefined
  if (probed !== undefined) return probed
  const listing = await listLog(store, { from: version, ...call })
  const newest = newestVersion(listing)
  if (newest === undefined) return undefined
  return { commits: listing.commits.filter((commit) => commit.version > version), newest }
}

/** @returns undefined where a listing tells it better */
async function probeBehind(store: ObjectStore, version: number, options: BehindOptions): Promise<Behind | undefined> {
  const { signal } = options
  const commits: LogFile[] = []
  for (let next = version + 1; next <= version + MAX_PROBES; next++) {
    const found = await probe(store, next, options)
    if (found === undefined) {
      const isThere = next > version + 1 || (await probe(store, version, { signal })) !== undefined
      return isThere ? { commits, newest: next - 1 } : undefined
    }
    commits.push(found)
  }
  return undefined
}

async function probe(
  store: ObjectStore,
  version: number,
  { known, signal }: Pick<BehindOptions, 'known' | 'signal'>,
): Promise<LogFile | undefined> {
  const key = commitKey(version)
  const commit = known?.get(version)
  if (commit?.modifiedMs !== undefined) {
    return { version, key, size: commit.bytes.length, modifiedMs: commit.modifiedMs }
  }
  try {
    const { size, modifiedMs } = await store.head(key, signal === undefined ? {} : { signal })
    return { version, key, size, modifiedMs }
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}
