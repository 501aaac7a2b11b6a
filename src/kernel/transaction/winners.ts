/** The commits that got ahead of a transaction. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { commitsBehind, type KnownCommits, type LogFile, listLog } from '../log/index.ts'

export interface WinnerOptions {
  readonly known: KnownCommits
  readonly signal?: AbortSignal | undefined
}

/**
 * The commits from a version that is known to be there on, found in one look.
 *
 * @throws DeltaError `DELTA_VERSIONS_NOT_CONTIGUOUS` when a version between is missing
 */
export async function commitsFrom(
  store: ObjectStore,
  version: number,
  { known, signal }: WinnerOptions,
): Promise<readonly LogFile[]> {
  const behind = await commitsBehind(store, version - 1, { known, isRecent: true, signal })
  const commits = behind?.commits ?? (await listLog(store, { from: version, ...(signal && { signal }) })).commits
  let next = version
  for (const commit of commits) {
    if (commit.version > next) throw gap(store, next, version, commit.version)
    next = commit.version + 1
  }
  return commits
}

function gap(store: ObjectStore, missing: number, from: number, to: number): Error {
  const readable = `the log can be read up to version ${missing - 1}`
  return deltaError('DELTA_VERSIONS_NOT_CONTIGUOUS', { path: store.location, missing, from, to, readable })
}
