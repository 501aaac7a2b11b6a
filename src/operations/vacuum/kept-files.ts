/**
 * What VACUUM must not touch: every file that a version needs which was current at some time within the retention.
 *
 * Those are the live files, those removed since the cutoff, the change files of commits since then, and the files of their
 * deletion vectors. Files outside of the table's root are never looked at. Source: Delta protocol, "VACUUM"; the
 * reference's VACUUM.
 */
import {
  type Action,
  type DeletionVectorDescriptor,
  decodePath,
  deletionVectorPath,
  LOG_PREFIX,
  locateDataFile,
  parseLogName,
  readCommit,
  type Snapshot,
} from '../../kernel/index.ts'
import { mapParallel } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import { KeySet } from './key-set.ts'

/** Commits read at once; each may name very many files. */
const PARALLEL_COMMITS = 4

export class KeptFiles {
  private readonly keys = new KeySet()
  private readonly location: string

  constructor(location: string) {
    this.location = location
  }

  has(key: string): boolean {
    return this.keys.has(key)
  }

  /** A file by its path in the log, and the one that holds its deletion vector. */
  add(path: string, deletionVector?: DeletionVectorDescriptor): void {
    const place = locateDataFile(this.location, path)
    if (place.kind === 'key') this.keys.add(place.key)
    // a writer that does not encode paths means the text itself
    if (path.includes('%') && decodePath(path) !== path) this.keys.add(path)
    const vector = deletionVector && deletionVectorPath(deletionVector)
    if (vector !== undefined) this.add(vector)
  }

  /** All that a commit names: what it adds is live, what it removes was so until then. */
  addCommit(actions: readonly Action[]): void {
    for (const action of actions) {
      if ('add' in action) this.add(action.add.path, action.add.deletionVector)
      else if ('remove' in action) this.add(action.remove.path, action.remove.deletionVector)
      else if ('cdc' in action) this.add(action.cdc.path)
    }
  }
}

/** @param cutoffMs what was removed before this time may go */
export async function keptFiles(
  snapshot: Snapshot,
  cutoffMs: number,
  { store, options: { signal } }: Pick<OperationContext, 'store' | 'options'>,
): Promise<KeptFiles> {
  const kept = new KeptFiles(store.location)
  for await (const page of snapshot.files.select(undefined, signal && { signal })) {
    for (const { path, deletionVector } of page) kept.add(path, deletionVector)
  }
  for await (const page of snapshot.files.tombstones(cutoffMs - 1)) {
    for (const { path, deletionVector } of page) kept.add(path, deletionVector)
  }
  // checkpoints keep tombstones by a retention that may have been shorter, and change files not at all
  const versions = await versionsSince(snapshot, cutoffMs, signal)
  await mapParallel(versions, PARALLEL_COMMITS, async (version) => {
    kept.addCommit((await readCommit(snapshot.store, version, signal && { signal })).actions)
  })
  return kept
}

async function versionsSince(
  { store, version: newest }: Snapshot,
  cutoffMs: number,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const versions: number[] = []
  for await (const page of store.list({ prefix: LOG_PREFIX, shallow: true, ...(signal && { signal }) })) {
    for (const { key, modifiedMs } of page) {
      const name = parseLogName(key.slice(LOG_PREFIX.length))
      const isWithin = modifiedMs >= cutoffMs || modifiedMs === 0
      if (name?.kind === 'commit' && name.version <= newest && isWithin) versions.push(name.version)
    }
  }
  return versions
}
