/** The versions of a Delta table that can be told one by one, and the state they begin with. */
import type { DuckDbOptions } from '../../engine/duckdb/index.ts'
import { duckdbEngine } from '../../engine/duckdb/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import {
  type AddFile,
  type Commit,
  latestVersion,
  listLog,
  loadSnapshot,
  type Metadata,
  openDataFile,
  type Protocol,
  planScan,
  readCommit,
} from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'

/** A version: what it is called, and every action it adds. */
export interface DeltaVersion {
  readonly version: number
  readonly timeMicros: bigint
  readonly operation: string
  /** of the table from this version on */
  readonly protocol: Protocol
  readonly metadata: Metadata
  /** the schema, its partitioning or its naming may be others than before */
  readonly hasNewMetadata: boolean
  readonly adds: readonly AddFile[]
  /** texts of paths */
  readonly removes: readonly string[]
  /** true: rows moved and none changed */
  readonly isCompaction: boolean
}

export interface HistoryOptions {
  readonly engine?: DuckDbOptions
  /** the version that is known already */
  readonly after?: number
  readonly onNote?: (text: string) => void
}

/**
 * The first version given holds all that is live in it; the others what they change.
 *
 * History begins where every file that any later version reads is still there: VACUUM takes files of older versions.
 *
 * @throws DeltaError the codes of `loadSnapshot`
 */
export async function deltaHistory(store: ObjectStore, options: HistoryOptions): Promise<DeltaHistory> {
  const latest = await latestVersion(store)
  const known = options.after
  const engine = duckdbEngine(options.engine)
  try {
    // the newest version's reader features say whether the table can be read at all
    const newest = await loadSnapshot(store, engine)
    if (known !== undefined && known >= latest) return { id: newest.metadata.id, base: undefined, versions: [] }
    const first = known === undefined ? await earliest(store) : known + 1
    const begin = known ?? (first > 0 ? first : undefined)
    const base = begin === undefined ? undefined : await stateAt(store, engine, begin)
    const commits: Commit[] = []
    for (let version = begin === undefined ? 0 : begin + 1; version <= latest; version++) {
      commits.push(await readCommit(store, version))
    }
    const steps = [...stepsOf(base, commits)]
    const versions = known === undefined ? await collapse(store, base, steps, options) : steps
    return { id: newest.metadata.id, base, versions }
  } finally {
    await engine.close()
  }
}

export interface DeltaHistory {
  /** of the table */
  readonly id: string
  /** the state the versions stand on, where there is one */
  readonly base: State | undefined
  readonly versions: readonly DeltaVersion[]
}

export interface State {
  readonly version: number
  readonly timeMicros: bigint
  readonly protocol: Protocol
  readonly metadata: Metadata
  readonly files: readonly AddFile[]
}

async function stateAt(store: ObjectStore, engine: ReturnType<typeof duckdbEngine>, version: number): Promise<State> {
  const snapshot = await loadSnapshot(store, engine, { version })
  const files = await planScan(snapshot)
  const { protocol, metadata } = snapshot
  return { version, timeMicros: BigInt(snapshot.timestampMs) * 1000n, protocol, metadata, files }
}

/** 0, or the oldest checkpoint from which on every commit is there. */
async function earliest(store: ObjectStore): Promise<number> {
  const { commits, checkpoints } = await listLog(store, { from: 0 })
  let oldest = commits.at(-1)?.version ?? 0
  for (const { version } of [...commits].reverse()) if (version === oldest - 1 || version === oldest) oldest = version
  if (oldest === 0) return 0
  const usable = checkpoints.map(({ version }) => version).filter((version) => version >= oldest - 1)
  return Math.min(...usable, commits.at(-1)?.version ?? 0)
}

async function collapse(
  store: ObjectStore,
  base: State | undefined,
  steps: readonly DeltaVersion[],
  { onNote }: HistoryOptions,
): Promise<DeltaVersion[]> {
  const all = [...(base === undefined ? [] : [asVersion(base)]), ...steps]
  const horizon = await firstWhole(store, all)
  if (horizon === 0) return all
  onNote?.(`history begins at version ${all[horizon]!.version}: files of versions before it are gone`)
  return [merged(all.slice(0, horizon + 1)), ...all.slice(horizon + 1)]
}

function asVersion({ version, timeMicros, protocol, metadata, files }: State): DeltaVersion {
  return {
    version,
    timeMicros,
    operation: 'CHECKPOINT',
    protocol,
    metadata,
    hasNewMetadata: true,
    adds: files,
    removes: [],
    isCompaction: false,
  }
}

function* stepsOf(base: State | undefined, commits: readonly Commit[]): Generator<DeltaVersion> {
  let [protocol, metadata] = [base?.protocol, base?.metadata]
  for (const { version, modifiedMs, actions } of commits) {
    const step = { adds: [] as AddFile[], removes: [] as string[], hasNewMetadata: false, changes: false }
    let info: { operation?: unknown; timestamp?: unknown; inCommitTimestamp?: unknown } = {}
    for (const action of actions) {
      if ('protocol' in action) protocol = action.protocol
      else if ('metaData' in action) {
        metadata = action.metaData
        step.hasNewMetadata = true
      } else if ('add' in action) {
        step.adds.push(action.add)
        step.changes ||= action.add.dataChange
      } else if ('remove' in action) {
        step.removes.push(action.remove.path)
        step.changes ||= action.remove.dataChange
      } else if ('commitInfo' in action) info = action.commitInfo as typeof info
    }
    const ms =
      [info.inCommitTimestamp, info.timestamp].map(Number).find((time) => Number.isSafeInteger(time) && time > 0) ??
      modifiedMs
    yield {
      version,
      timeMicros: BigInt(Math.floor(ms)) * 1000n,
      operation: typeof info.operation === 'string' ? info.operation : 'COMMIT',
      protocol: protocol!,
      metadata: metadata!,
      hasNewMetadata: step.hasNewMetadata || version === 0,
      adds: step.adds,
      removes: step.removes,
      isCompaction: !step.changes && step.adds.length + step.removes.length > 0,
    }
  }
}

/** Index of the first version from which on no file is missing. */
async function firstWhole(store: ObjectStore, versions: readonly DeltaVersion[]): Promise<number> {
  const added = new Set<string>()
  let horizon = 0
  for (const [i, { adds, removes }] of versions.entries()) {
    const gone = removes.filter((path) => added.has(path) && !adds.some((add) => add.path === path))
    for (const path of gone) {
      if (!(await isThere(store, path))) horizon = i
      added.delete(path)
    }
    for (const { path } of adds) added.add(path)
  }
  return horizon
}

async function isThere(store: ObjectStore, path: string): Promise<boolean> {
  const place = openDataFile(store, path)
  return await place.store.head(place.key).then(
    () => true,
    (error: unknown) => {
      if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return false
      throw error
    },
  )
}

/** Several versions as one: what is live behind the last. */
function merged(versions: readonly DeltaVersion[]): DeltaVersion {
  const live = new Map<string, AddFile>()
  for (const { adds, removes } of versions) {
    for (const path of removes) live.delete(path)
    for (const add of adds) live.set(add.path, add)
  }
  const last = versions.at(-1)!
  return { ...last, hasNewMetadata: true, adds: [...live.values()], removes: [], isCompaction: false }
}
