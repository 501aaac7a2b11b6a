/** What the parts that read a table share: its store, snapshots and commits kept between calls. */
import {
  type AddFile,
  type Commit,
  type Engine,
  fileKey,
  fileKeyText,
  loadSnapshot,
  type ObjectStore,
  type RemoveFile,
  readCommit,
  type Snapshot,
  type VersionEntry,
} from '../library.ts'
import { liveRows } from './file-facts.ts'

const MAX_KEPT_SNAPSHOTS = 6
const MAX_KEPT_COMMITS = 4000

export class TableContext {
  readonly store: ObjectStore
  readonly engine: Engine
  private readonly snapshots = new Map<number, Promise<Snapshot>>()
  private readonly commits = new Map<number, Promise<Commit>>()
  private readonly rowsByFile = new Map<string, number>()
  /** every version of the log with its time, ascending */
  entries: readonly VersionEntry[] = []

  constructor(store: ObjectStore, engine: Engine) {
    this.store = store
    this.engine = engine
  }

  get earliest(): number {
    return this.entries[0]?.version ?? 0
  }

  get latest(): number {
    return this.entries.at(-1)?.version ?? 0
  }

  timeOf(version: number): number | null {
    const entry = this.entries[version - this.earliest]
    return entry?.version === version ? entry.timestampMs : null
  }

  snapshot(version: number): Promise<Snapshot> {
    return kept(this.snapshots, version, MAX_KEPT_SNAPSHOTS, () => loadSnapshot(this.store, this.engine, { version }))
  }

  commit(version: number): Promise<Commit> {
    return kept(this.commits, version, MAX_KEPT_COMMITS, async () => {
      const commit = await readCommit(this.store, version)
      for (const add of fileChanges(commit).adds) {
        const rows = liveRows(add)
        if (rows !== null) this.rowsByFile.set(fileKeyText(fileKey(add)), rows)
      }
      return commit
    })
  }

  /** Rows of a file that some commit read before added; null where none did. */
  rowsAdded(file: { readonly path: string; readonly deletionVector?: AddFile['deletionVector'] }): number | null {
    const { path, deletionVector } = file
    const key = fileKey(deletionVector === undefined ? { path } : { path, deletionVector })
    return this.rowsByFile.get(fileKeyText(key)) ?? null
  }
}

function kept<T>(known: Map<number, Promise<T>>, key: number, max: number, load: () => Promise<T>): Promise<T> {
  const found = known.get(key)
  if (found !== undefined) return found
  const loading = load()
  loading.catch(() => known.delete(key))
  known.set(key, loading)
  const [oldest] = known.keys()
  if (known.size > max && oldest !== undefined) known.delete(oldest)
  return loading
}

export interface FileChanges {
  readonly adds: readonly AddFile[]
  readonly removes: readonly RemoveFile[]
}

/** The file actions of a commit. */
export function fileChanges({ actions }: Commit): FileChanges {
  const adds: AddFile[] = []
  const removes: RemoveFile[] = []
  for (const action of actions) {
    if ('add' in action) adds.push(action.add)
    else if ('remove' in action) removes.push(action.remove)
  }
  return { adds, removes }
}

/** The last part of a path as the log has it. */
export function shortName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
