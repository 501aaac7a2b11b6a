/** Builds snapshots: from the log, and from an older snapshot and the commits since. */
import { assert } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { physicalPartitionColumns } from '../column-mapping/index.ts'
import { commitsBehind, type LoadOptions, loadCommits, openLog, type Segment, WarningList } from '../log/index.ts'
import { commitTimestampMs } from './commit-times.ts'
import type { FileActions, FileIndex, LogEngine } from './file-index.ts'
import { holdSmallFiles } from './held-files.ts'
import { LazyFileIndex } from './lazy-file-index.ts'
import { buildFromLog, type LoadContext, loadSmall } from './load-small.ts'
import { FileOpener, isVanished } from './open-files.ts'
import { checkFiles, checkReplay, readChecksum } from './replay-check.ts'
import { replay } from './small-state.ts'
import { type Refresher, Snapshot } from './snapshot.ts'
import { tableState } from './table-state.ts'
import { versionAtTimestamp } from './time-travel.ts'

export interface SnapshotOptions extends LoadOptions {
  /** the version wanted; the latest when neither this nor `timestampMs` is given */
  readonly version?: number
  /** the newest version committed at or before this time, milliseconds since 1970 */
  readonly timestampMs?: number
}

/**
 * Loads a table at a version, at a time, or at its latest version.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, `DELTA_VERSION_NOT_FOUND`, `DELTA_VERSIONS_NOT_CONTIGUOUS`,
 * `DELTA_TRUNCATED_TRANSACTION_LOG`, `DELTA_STATE_RECOVER_ERROR`, `FAILED_READ_FILE.NO_HINT`,
 * `DELTA_INVALID_PROTOCOL_VERSION`, `LAKE_PROTOCOL_MALFORMED`, `DELTA_UNSUPPORTED_FEATURES_FOR_READ`,
 * `DELTA_INVALID_SCHEMA`, `DELTA_UNSUPPORTED_DATA_TYPE`, `DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION`,
 * `DELTA_TIMESTAMP_GREATER_THAN_COMMIT`, `LAKE_CANCELLED`
 */
export async function loadSnapshot(
  store: ObjectStore,
  log: LogEngine,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  try {
    return await loadOnce(store, log, options)
  } catch (error) {
    if (!isVanished(error)) throw error
    // another process cleaned up the log between the listing and the read; the new listing names what is left
    return await loadOnce(store, log, options)
  }
}

async function loadOnce(store: ObjectStore, log: LogEngine, options: SnapshotOptions): Promise<Snapshot> {
  const warnings = new WarningList(options.onWarning)
  const version = await wantedVersion(store, log, options)
  const { signal } = options
  const view = await openLog(store, { warnings, ...(version !== undefined && { version }), ...(signal && { signal }) })
  const load = { warnings, asked: version !== undefined, ...(signal && { signal }) }
  return await buildFromLog(store, view, load, (segment) => buildSnapshot(store, log, segment, load))
}

async function wantedVersion(
  store: ObjectStore,
  log: LogEngine,
  { version, timestampMs, signal, onWarning }: SnapshotOptions,
): Promise<number | undefined> {
  if (version !== undefined || timestampMs === undefined) return version
  return await versionAtTimestamp(store, log, timestampMs, {
    ...(signal && { signal }),
    ...(onWarning && { onWarning }),
  })
}

async function buildSnapshot(
  store: ObjectStore,
  log: LogEngine,
  segment: Segment,
  context: LoadContext,
): Promise<Snapshot> {
  const { warnings, signal } = context
  const held = holdSmallFiles(store, segment.checkpoint?.files ?? [], signal)
  const loaded = await loadSmall(held.store, log, segment, context)
  const state = tableState(store, segment.version, loaded.small)
  // a newest commit that is torn was not written to its end: it is refused before anybody builds on it
  await loaded.commits.at(-1)?.fileActions()
  const claimed = await readChecksum(store, segment.checksum, context)
  if (claimed !== undefined) checkReplay(state, claimed, warnings)
  const partitionColumns = physicalPartitionColumns(state.layout)
  const opener = new FileOpener({ store, log, segment, loaded, held, partitionColumns, warnings, asked: context.asked })
  held.use(undefined)
  const files = new LazyFileIndex(segment.version, {
    openWith: (later, call) => opener.open(later, call),
    onTotals: (totals) => claimed && checkFiles(totals, claimed, warnings),
    isSmall: isSmallLog(segment),
  })
  const timestampMs = await commitTimestampMs(store, state.metadata, {
    version: segment.version,
    commit: loaded.commits.at(-1),
    file: segment.ownCommit,
    otherwiseMs: segment.checkpoint?.modifiedMs ?? 0,
  })
  const about = {
    checkpointVersion: segment.checkpoint?.version,
    commits: segment.commits.map((file) => file.version),
  }
  const parts = { store, log, version: segment.version, files, timestampMs, warnings: warnings.texts }
  return new Snapshot({ ...state, ...parts, segment: about }, refreshSnapshot)
}

/** Bytes of a checkpoint that are read in some tenths of a second. */
const SMALL_LOG_BYTES = 1_000_000

function isSmallLog({ checkpoint, commits }: Segment): boolean {
  const files = [...(checkpoint?.files ?? []), ...commits]
  return files.reduce((sum, { size }) => sum + size, 0) <= SMALL_LOG_BYTES
}

const refreshSnapshot: Refresher = async (from, options, { chained, isRecent }) => {
  const warnings = new WarningList(options.onWarning)
  const { store, log } = from
  const { signal, known } = options
  const behind = await commitsBehind(store, from.version, { known, isRecent, ...(signal && { signal }) })
  const whole = () => loadSnapshot(store, log, options)
  if (behind === undefined) return await whole()
  const { newest } = behind
  if (newest === from.version) return from
  const inOrder = behind.commits.every((file, i) => file.version === from.version + 1 + i)
  if (!chained || !inOrder || behind.commits.at(-1)?.version !== newest) return await whole()

  const commits = await loadCommits(store, behind.commits, { warnings, known, ...(signal && { signal }) })
  const small = commits.reduce<Parameters<typeof replay>[0]>((state, commit) => replay(state, commit.small), from)
  const state = tableState(store, newest, small)
  if (!sameTexts(physicalPartitionColumns(from.layout), physicalPartitionColumns(state.layout))) return await whole()

  // everything is read before the index moves, so that a damaged commit leaves it where it is
  const actions = await Promise.all(commits.map((commit) => commit.fileActions()))
  const files = await advanceIndex(from.files, actions)
  const timestampMs = await commitTimestampMs(store, state.metadata, {
    version: newest,
    commit: commits.at(-1),
    file: behind.commits.at(-1),
    otherwiseMs: 0,
  })
  const segment = { ...from.segment, commits: [...from.segment.commits, ...commits.map(({ version }) => version)] }
  const parts = { store, log, version: newest, files, timestampMs, warnings: warnings.texts, segment }
  return new Snapshot({ ...state, ...parts }, refreshSnapshot)
}

/** Closes the indexes between the first and the last, which nobody holds. */
async function advanceIndex(from: FileIndex, actions: readonly FileActions[]): Promise<FileIndex> {
  let index = from
  for (const commit of actions) {
    const next = await index.advance(commit)
    if (index !== from) await index.close()
    index = next
  }
  assert(index !== from, 'a refresh with new commits moves the file index')
  return index
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i])
}
