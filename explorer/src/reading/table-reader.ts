/** Reads one table with the library itself and turns what it finds into lines for the page. */
import { decodePath, type Engine, listVersions, type ObjectStore, versionAtTimestamp } from '../library.ts'
import type { StorageQuery, StorageView } from '../messages/storage.ts'
import type {
  ChangeFeed,
  CommitView,
  Difference,
  FileDetail,
  FilePage,
  FilesQuery,
  FolderView,
  OpenedTable,
  PartitionLine,
  RowPage,
  RowStory,
  RowsQuery,
  TableState,
  UnreadableVersion,
  VersionLine,
} from '../messages.ts'
import { changeFeed } from './change-feed.ts'
import { commitView } from './commit-view.ts'
import { TableContext } from './context.ts'
import { difference } from './difference.ts'
import { fileDetail, filesPage, type HeldFiles, holdFiles, partitionLines } from './files-page.ts'
import { type FolderOptions, folderAt } from './folder.ts'
import { listLog, marksOf } from './log-files.ts'
import { rowStory } from './row-story.ts'
import { rowsPage } from './rows-page.ts'
import { holdStorage, type Stored, storagePage } from './storage.ts'
import { tableState } from './table-state.ts'
import { versionLines } from './version-lines.ts'

/** Lines that come with the opening; others are asked for when they are scrolled to. */
const FIRST_LINES = 60
/** A table with more versions than this is not looked through for files that are gone. */
const MAX_CHECKED_VERSIONS = 700

export interface TableLabel {
  readonly id: string
  readonly name: string
  readonly location: string
  readonly writable: boolean
}

export class TableReader {
  private readonly context: TableContext
  private readonly label: TableLabel
  private marks: ReadonlyMap<number, readonly string[]> = new Map()
  private held: Promise<HeldFiles> | undefined
  private stored: Promise<Stored> | undefined

  constructor(store: ObjectStore, engine: Engine, label: TableLabel) {
    this.context = new TableContext(store, engine)
    this.label = label
  }

  async open(): Promise<OpenedTable> {
    const warnings: string[] = []
    const { context } = this
    context.entries = await listVersions(context.store, context.engine, { onWarning: (text) => warnings.push(text) })
    this.marks = marksOf((await listLog(context.store)) ?? [])
    const { earliest, latest } = context
    // a removed file's rows are told by the commit that added it
    if (latest - earliest <= FIRST_LINES) await this.versions(latest, FIRST_LINES + 1)
    return {
      ...this.label,
      earliest,
      latest,
      versions: await this.versions(latest, FIRST_LINES),
      warnings,
      unreadable: this.label.writable ? await this.unreadable() : [],
    }
  }

  /** Lines of `count` versions from one on downwards, newest first. */
  async versions(from: number, count: number): Promise<VersionLine[]> {
    const lowest = Math.max(this.context.earliest, from - count + 1)
    const versions = Array.from({ length: Math.max(0, from - lowest + 1) }, (_, i) => from - i)
    return await versionLines(this.context, versions, this.marks)
  }

  /** Versions whose line speaks of a text, newest first. */
  async search(text: string): Promise<VersionLine[]> {
    const wanted = text.trim().toLowerCase()
    const { earliest, latest } = this.context
    const lines = await this.versions(latest, latest - earliest + 1)
    return lines.filter((line) => JSON.stringify(Object.values(line)).toLowerCase().includes(wanted)).slice(0, 500)
  }

  async versionAt(timestampMs: number): Promise<number> {
    return await versionAtTimestamp(this.context.store, this.context.engine, timestampMs)
  }

  async state(version: number): Promise<TableState> {
    return await tableState(this.context, version)
  }

  async files(version: number, query: FilesQuery): Promise<FilePage> {
    const known = await this.held?.catch(() => undefined)
    const isKnown =
      known !== undefined &&
      known.version === version &&
      known.where === query.where &&
      known.without === query.without.join()
    if (!isKnown) this.held = holdFiles(this.context, version, query)
    return await filesPage(this.context, await this.held!, query)
  }

  async partitions(version: number): Promise<PartitionLine[]> {
    return await partitionLines(this.context, version)
  }

  async file(version: number, path: string): Promise<FileDetail> {
    const snapshot = await this.context.snapshot(version)
    const file = await snapshot.files.find(path)
    if (file !== undefined) return await fileDetail(this.context, snapshot, file)
    return await this.fileOfAnyVersion(path)
  }

  async folder(version: number, options: FolderOptions): Promise<FolderView> {
    return await folderAt(this.context, version, options)
  }

  async storage(version: number, query: StorageQuery, { nowMs }: FolderOptions): Promise<StorageView> {
    const known = await this.stored?.catch(() => undefined)
    if (known?.version !== version) this.stored = holdStorage(this.context, version, nowMs)
    return storagePage(await this.stored!, query)
  }

  async commit(version: number): Promise<CommitView> {
    return await commitView(this.context.store, version)
  }

  async rows(version: number, query: RowsQuery): Promise<RowPage> {
    return await rowsPage(this.context, version, query)
  }

  async difference(from: number, to: number): Promise<Difference> {
    return await difference(this.context, from, to)
  }

  async changes(from: number, to: number, offset: number, limit: number): Promise<ChangeFeed> {
    return await changeFeed(this.context, { from, to }, { offset, limit })
  }

  async story(where: string): Promise<RowStory> {
    return await rowStory(this.context, where)
  }

  /** A file that the chosen version does not have, as the version that added it knows it. */
  private async fileOfAnyVersion(path: string): Promise<FileDetail> {
    const { context } = this
    for (let version = context.latest; version >= context.earliest; version--) {
      const { actions } = await context.commit(version)
      const add = actions.flatMap((action) => ('add' in action && action.add.path === path ? [action.add] : []))[0]
      if (add !== undefined) return await fileDetail(context, await context.snapshot(version), add)
    }
    throw new Error(`no commit that is left names ${path}`)
  }

  /** Versions that name a file which the store does not hold any more. */
  private async unreadable(): Promise<UnreadableVersion[]> {
    const { context } = this
    if (context.latest - context.earliest > MAX_CHECKED_VERSIONS) return []
    const there = new Set<string>()
    for await (const page of context.store.list({ prefix: '' })) for (const { key } of page) there.add(key)
    const live = new Set<string>()
    const found: UnreadableVersion[] = []
    for (const { version } of context.entries) {
      if (version === context.earliest && version > 0) {
        for await (const page of (await context.snapshot(version)).files.select())
          for (const { path } of page) live.add(path)
      }
      const { actions } = await context.commit(version)
      for (const action of actions) if ('remove' in action) live.delete(action.remove.path)
      for (const action of actions) if ('add' in action) live.add(action.add.path)
      const missing = [...live].filter((path) => !there.has(decodePath(path)))
      if (missing.length > 0) found.push({ version, missing })
    }
    return found
  }
}
