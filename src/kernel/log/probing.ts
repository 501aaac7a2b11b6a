/**
 * The log of a store that cannot list: found by its hint and by asking for one version after the other.
 *
 * Probes widen while all of them hit. A gap ends the search, so what lies far behind one stays unseen.
 */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectMeta, ObjectStore } from '../../storage/index.ts'
import { mapParallel } from '../../support/index.ts'
import { checkpointKey, checkpointPartKey, commitKey, LOG_PREFIX } from '../paths/index.ts'
import type { CheckpointHint } from './hint.ts'
import { ListingBuilder, type ListLogOptions, type LogListing } from './listing.ts'

const WIDEST_PROBE = 32

/**
 * Finds the commits from a version on.
 *
 * @param hint names the checkpoint to look for; commits begin at its version then
 */
export async function probeLog(
  store: ObjectStore,
  options: ListLogOptions & { readonly hint?: CheckpointHint },
): Promise<LogListing> {
  const { hint, from, signal } = options
  const collected = new ListingBuilder(from)
  if (hint !== undefined) await probeCheckpoint(store, hint, collected, signal)
  const to = options.to ?? Number.MAX_SAFE_INTEGER
  let next = from
  let width = 1
  let missed = false
  while (!missed && next <= to) {
    const versions = Array.from({ length: Math.min(width, to - next + 1) }, (_, i) => next + i)
    const found = await mapParallel(versions, WIDEST_PROBE, (version) => probe(store, commitKey(version), signal))
    for (const object of found) if (object !== undefined) collected.add(object)
    // the commit of the checkpoint itself may have been cleaned up
    missed = versions.some((version, i) => found[i] === undefined && version !== hint?.version)
    next += versions.length
    width = Math.min(width * 2, WIDEST_PROBE)
  }
  return collected.finish()
}

/**
 * Finds the commits up to a version, going down until a classic checkpoint or version 0 is reached.
 *
 * For versions below the hint's, whose checkpoint no file names.
 */
export async function probeLogDown(store: ObjectStore, to: number, signal?: AbortSignal): Promise<LogListing> {
  const collected = new ListingBuilder(0)
  for (let top = to; top >= 0; top -= WIDEST_PROBE) {
    const versions = Array.from({ length: Math.min(WIDEST_PROBE, top + 1) }, (_, i) => top - i)
    const keys = versions.flatMap((version) => [commitKey(version), checkpointKey(version)])
    const found = await mapParallel(keys, WIDEST_PROBE, (key) => probe(store, key, signal))
    for (const object of found) if (object !== undefined) collected.add(object)
    const { commits, checkpoints } = collected.finish()
    if (checkpoints.length > 0 || commits.length < to - top + versions.length) break
  }
  return collected.finish()
}

async function probeCheckpoint(
  store: ObjectStore,
  hint: CheckpointHint,
  collected: ListingBuilder,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { version, parts = 0, v2Path } = hint
  const names = v2Path === undefined ? [] : [`${LOG_PREFIX}${v2Path}`]
  const first = parts > 0 ? [checkpointPartKey(version, 1, parts)] : []
  const heads = await mapParallel([checkpointKey(version), ...names, ...first], WIDEST_PROBE, (key) => {
    return probe(store, key, signal)
  })
  for (const object of heads) if (object !== undefined) collected.add(object)
  if (parts < 2 || heads.at(-1) === undefined) return
  const rest = Array.from({ length: parts - 1 }, (_, i) => checkpointPartKey(version, i + 2, parts))
  const found = await mapParallel(rest, WIDEST_PROBE, (key) => probe(store, key, signal))
  for (const object of found) if (object !== undefined) collected.add(object)
}

/** A web server may answer 403 for what is not there. */
async function probe(store: ObjectStore, key: string, signal?: AbortSignal): Promise<ObjectMeta | undefined> {
  try {
    return await store.head(key, { ...(signal && { signal }) })
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND', 'LAKE_STORAGE_ACCESS_DENIED')) return undefined
    throw error
  }
}
