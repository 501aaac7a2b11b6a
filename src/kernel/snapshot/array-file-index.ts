/**
 * The index of live files in TypeScript arrays.
 *
 * All indexes of a chain share one table of entries that carry the versions between which they live: `advance` costs
 * what the commit costs, and older indexes stay valid. Source: Delta protocol, "Action Reconciliation".
 */
import { assert } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { collect, throwIfAborted } from '../../support/index.ts'
import type { Action, ActionKind, AddFile, RemoveFile } from '../actions/actions.ts'
import { canonicalPath } from '../paths/index.ts'
import { fileMayMatch } from '../scan/file-may-match.ts'
import type { SkippingRule } from '../scan/skipping-rule.ts'
import { type FileBatch, fileBatch } from './file-batch.ts'
import type {
  CheckpointFile,
  FileActions,
  FileIndex,
  FileIndexSource,
  FileTotals,
  SelectOptions,
} from './file-index.ts'
import { type FileSummary, FileTally } from './file-tally.ts'
import { fileKey, fileKeyText } from './replay-key.ts'
import { VersionedEntries } from './versioned-entries.ts'

/** `LogEngine.readCheckpoint`. */
export type CheckpointReader = (
  store: ObjectStore,
  files: readonly CheckpointFile[],
  kinds: readonly ActionKind[],
  options?: SelectOptions,
) => AsyncIterable<readonly Action[]>

const PAGE = 1000
/** So many files a summary lists. */
const FEW_FILES = 50

/**
 * Builds the index from a checkpoint's files and the commits after it.
 *
 * @throws what `readCheckpoint` and the commits throw
 */
export async function arrayFileIndex(source: FileIndexSource, readCheckpoint: CheckpointReader): Promise<FileIndex> {
  const table = new FileTable()
  if (source.checkpoint.length > 0) {
    for await (const page of readCheckpoint(source.store, source.checkpoint, ['add', 'remove'], {
      ...(source.signal && { signal: source.signal }),
    })) {
      for (const action of page) {
        if ('add' in action) table.add(action.add, source.version)
        else if ('remove' in action) table.remove(action.remove, source.version)
      }
    }
  }
  for await (const commit of source.commits) table.apply(commit, source.version)
  return table.open(source.version)
}

/** What all indexes of one chain share. */
class FileTable {
  readonly live = new VersionedEntries<AddFile>()
  readonly tombstones = new VersionedEntries<RemoveFile>()
  /** paths that have had deletion vectors → the keys under which they stand */
  readonly vectorKeys = new Map<string, string[]>()
  readonly tally = new FileTally()
  newest = 0
  private readonly openVersions = new Map<number, number>()

  /** Within a commit order means nothing: removes first, so that a file both removed and added is live. */
  apply(commit: FileActions, version: number): void {
    for (const remove of commit.removes) this.remove(remove, version)
    for (const add of commit.adds) this.add(add, version)
  }

  add(add: AddFile, version: number): void {
    const { path, deletionVectorId } = fileKey(add)
    const key = fileKeyText({ path, deletionVectorId })
    if (deletionVectorId !== null) this.rememberVector(path, key)
    this.uncount(this.live.set(key, add, version))
    this.tally.add(add)
    this.tombstones.delete(key, version)
  }

  remove(remove: RemoveFile, version: number): void {
    const key = fileKeyText(fileKey(remove))
    this.uncount(this.live.delete(key, version))
    this.tombstones.set(key, remove, version)
  }

  open(version: number): FileIndex {
    this.newest = version
    this.sweep()
    this.openVersions.set(version, (this.openVersions.get(version) ?? 0) + 1)
    return new ArrayFileIndex(this, version)
  }

  close(version: number): void {
    const users = (this.openVersions.get(version) ?? 0) - 1
    if (users > 0) this.openVersions.set(version, users)
    else this.openVersions.delete(version)
  }

  private sweep(): void {
    const oldest = Math.min(this.newest, ...this.openVersions.keys())
    this.live.sweep(oldest)
    this.tombstones.sweep(oldest)
  }

  private uncount(replaced: AddFile | undefined): void {
    if (replaced !== undefined) this.tally.remove(replaced)
  }

  private rememberVector(path: string, key: string): void {
    const keys = this.vectorKeys.get(path)
    if (keys === undefined) this.vectorKeys.set(path, [key])
    else if (!keys.includes(key)) keys.push(key)
  }
}

class ArrayFileIndex implements FileIndex {
  readonly version: number
  private readonly table: FileTable
  private readonly counted: FileSummary
  private closed = false

  constructor(table: FileTable, version: number) {
    this.table = table
    this.version = version
    this.counted = table.tally.read()
  }

  async totals(): Promise<FileTotals> {
    const { numFiles, sizeInBytes } = this.counted
    return { numFiles, sizeInBytes }
  }

  async summary(options?: SelectOptions): Promise<FileSummary> {
    if (this.counted.numFiles > FEW_FILES) return this.counted
    return { ...this.counted, files: (await collect(this.select(undefined, options))).flat() }
  }

  async *select(rule?: SkippingRule, options: SelectOptions = {}): AsyncIterable<readonly AddFile[]> {
    this.assertOpen()
    for (const page of pages(this.table.live.values(this.version))) {
      throwIfAborted(options.signal, 'listing the live files')
      const kept = rule === undefined ? page : page.filter((file) => fileMayMatch(rule, file))
      if (kept.length > 0) yield kept
    }
  }

  async *list(rule?: SkippingRule, options: SelectOptions = {}): AsyncIterable<FileBatch> {
    for await (const page of this.select(rule, options)) yield fileBatch(page)
  }

  async find(path: string): Promise<AddFile | undefined> {
    this.assertOpen()
    const canonical = canonicalPath(path)
    const keys = [canonical, ...(this.table.vectorKeys.get(canonical) ?? [])]
    for (const key of keys) {
      const add = this.table.live.get(key, this.version)
      if (add !== undefined) return add
    }
    return undefined
  }

  async *tombstones(expiredBeforeMs: number): AsyncIterable<readonly RemoveFile[]> {
    this.assertOpen()
    for (const page of pages(this.table.tombstones.values(this.version))) {
      const kept = page.filter((remove) => (remove.deletionTimestamp ?? 0) > expiredBeforeMs)
      if (kept.length > 0) yield kept
    }
  }

  async advance(commit: FileActions): Promise<FileIndex> {
    this.assertOpen()
    assert(this.version === this.table.newest, `the file index of version ${this.version} is the newest of its chain`)
    assert(commit.version === this.version + 1, `commit ${commit.version} follows version ${this.version}`)
    this.table.apply(commit, commit.version)
    return this.table.open(commit.version)
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    this.table.close(this.version)
  }

  private assertOpen(): void {
    assert(!this.closed, `the file index of version ${this.version} is open`)
  }
}

function* pages<T>(values: Iterable<T>): Iterable<T[]> {
  let page: T[] = []
  for (const value of values) {
    page.push(value)
    if (page.length === PAGE) {
      yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}
