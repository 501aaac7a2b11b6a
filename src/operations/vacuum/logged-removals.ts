/**
 * VACUUM LITE: the log tells which files were removed, so that nothing is listed.
 *
 * What was never in the table stays. `_last_vacuum_info` remembers up to which version removals were seen to.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type Action,
  deletionVectorPath,
  LOG_PREFIX,
  listVersions,
  locateDataFile,
  readCommit,
  type Snapshot,
} from '../../kernel/index.ts'
import { decodeUtf8, encodeUtf8, isJsonObject, parseJson } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { VacuumCommand } from '../upkeep-command.ts'
import type { Candidate, CandidateSource } from './candidates.ts'

const LAST_VACUUM_KEY = `${LOG_PREFIX}_last_vacuum_info`
const LATEST = 'latestCommitVersionOutsideOfRetentionWindow'

/** @throws DeltaError `DELTA_CANNOT_VACUUM_LITE` where commits that nobody has seen to are gone from the log */
export async function loggedRemovals(
  snapshot: Snapshot,
  cutoffMs: number,
  context: OperationContext,
): Promise<CandidateSource> {
  const { store, options } = context
  const range = await expiredRange(snapshot.version, cutoffMs, context)
  async function* candidates(): AsyncGenerator<readonly Candidate[]> {
    for (let version = range.from; version <= range.to; version++) {
      const { actions } = await readCommit(snapshot.store, version, options.signal && { signal: options.signal })
      yield actions.flatMap((action) => removedFiles(action, store.location))
    }
  }
  return { candidates: () => once(candidates()), resumes: false, numFolders: () => 1 }
}

/** Each file once: one that was restored and removed again is in the log twice. */
async function* once(pages: AsyncIterable<readonly Candidate[]>): AsyncGenerator<readonly Candidate[]> {
  const seen = new Set<string>()
  for await (const page of pages) {
    const fresh = page.filter(({ key }, i) => !seen.has(key) && page.findIndex((other) => other.key === key) === i)
    for (const { key } of fresh) seen.add(key)
    yield fresh
  }
}

function removedFiles(action: Action, location: string): readonly Candidate[] {
  if ('cdc' in action) return candidate(action.cdc.path, action.cdc.size, location)
  if (!('remove' in action)) return []
  const { path, size = 0, deletionVector } = action.remove
  const vector = deletionVector && deletionVectorPath(deletionVector)
  return [
    ...candidate(path, size, location),
    ...(vector === undefined ? [] : candidate(vector, deletionVector?.sizeInBytes ?? 0, location)),
  ]
}

function candidate(path: string, size: number, location: string): readonly Candidate[] {
  const place = locateDataFile(location, path)
  return place.kind === 'key' ? [{ key: place.key, size, modifiedMs: 0 }] : []
}

/** The versions whose removals are due and were not seen to before. */
async function expiredRange(newest: number, cutoffMs: number, context: OperationContext) {
  const to = await latestBefore(cutoffMs, context)
  const last = await readLastVacuum(context)
  const from = (last ?? -1) + 1
  if (to === undefined || to < from) return { from: 0, to: -1 }
  const earliest = await earliestCommit(context)
  if (earliest > from) throw deltaError('DELTA_CANNOT_VACUUM_LITE', { path: context.location, earliest })
  return { from, to: Math.min(to, newest) }
}

/** The newest version committed at or before a time. */
async function latestBefore(cutoffMs: number, context: OperationContext): Promise<number | undefined> {
  const { store, engine, options } = context
  const versions = await listVersions(store, engine, options.signal && { signal: options.signal })
  return versions.filter(({ timestampMs }) => timestampMs <= cutoffMs).at(-1)?.version
}

async function earliestCommit({ store, options }: OperationContext): Promise<number> {
  const signal = options.signal && { signal: options.signal }
  for await (const page of store.list({ prefix: LOG_PREFIX, shallow: true, ...signal })) {
    for (const { key } of page) {
      const version = /^(\d{20})\.json$/.exec(key.slice(LOG_PREFIX.length))?.[1]
      if (version !== undefined) return Number(version)
    }
  }
  return 0
}

/** A file that cannot be understood tells nothing: the whole log is gone through then. */
async function readLastVacuum({ store, options: { signal } }: OperationContext): Promise<number | undefined> {
  try {
    const info = parseJson(decodeUtf8(await store.get(LAST_VACUUM_KEY, signal && { signal })))
    const version = isJsonObject(info) ? info[LATEST] : undefined
    return typeof version === 'number' && Number.isSafeInteger(version) && version >= 0 ? version : undefined
  } catch (error) {
    if (isDeltaError(error) && error.code !== 'LAKE_OBJECT_NOT_FOUND') throw error
    return undefined
  }
}

/**
 * Remembers how far removals were seen to, which is never past the version that the run began with: what was committed
 * since may bear a time before the cutoff. An inventory says nothing of files that it does not name.
 */
export async function writeLastVacuum(
  { inventory }: VacuumCommand,
  { cutoffMs, version }: { readonly cutoffMs: number; readonly version: number },
  context: OperationContext,
): Promise<void> {
  const before = await readLastVacuum(context)
  const due = inventory === undefined ? await latestBefore(cutoffMs, context) : undefined
  const now = due === undefined ? undefined : Math.min(due, version)
  const latest = now === undefined || (before !== undefined && before > now) ? before : now
  const text = latest === undefined ? '{}' : JSON.stringify({ [LATEST]: latest })
  const { signal } = context.options
  await context.store.put(LAST_VACUUM_KEY, encodeUtf8(`${text}\n`), signal && { signal })
}
