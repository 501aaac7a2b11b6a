/** What the page shows of a repository, gathered from its objects and the catalog of a version. */
import {
  attachLines,
  type CatalogRecord,
  compareFormats,
  EXTENSIONS,
  type OpenVersion,
  type Repository,
  type SnapshotInfo,
  type VersionRecord,
  WRITE_FORMATS,
} from '../../ducklake/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import { formatTimestamp, mapParallel } from '../../support/index.ts'
import type {
  LakeTableLine,
  LakeView,
  RepositoryCatalog,
  RepositoryVersion,
  RepositoryView,
  SnapshotLine,
  VersionFiles,
  VersionView,
} from './repository-messages.ts'

const MAX_VERSIONS = 200
const MAX_FILES = 2000
const MAX_SNAPSHOTS = 500
const PARALLEL = 8

export async function repositoryView(repository: Repository): Promise<RepositoryView> {
  const head = await repository.headRef()
  const refs = repository.store.capabilities.list ? await repository.refs() : []
  const { records, more } = await newestVersions(repository, head)
  return {
    root: repository.root,
    head: shortRef(head),
    formats: (repository.config.formats ?? []).map(({ ducklake, until }) => ({ ducklake, until: until ?? null })),
    refs: refs.map(({ key, id }) => ({
      name: shortRef(key),
      kind: key.startsWith('refs/tags/') ? 'tag' : 'branch',
      version: id,
    })),
    versions: records.map(versionLine),
    more,
  }
}

/** The versions that a branch or a tag leads to, newest first; where the store gives no list, those of HEAD's branch. */
async function newestVersions(repository: Repository, head: string) {
  const canList = repository.store.capabilities.list
  const starts = canList ? await repository.refs() : [await repository.readRef(head)]
  const read = new Map<string, Promise<VersionRecord | undefined>>()
  const readOnce = (id: string) => {
    const found = read.get(id) ?? published(repository, id)
    read.set(id, found)
    return found
  }
  // a history is a chain: what can be named beforehand is read side by side
  if (canList) await mapParallel((await repository.versionIds()).slice(-MAX_VERSIONS), PARALLEL, readOnce)
  const reached = new Map<string, VersionRecord>()
  const waiting = starts.flatMap((ref) => (ref === undefined ? [] : [ref.id]))
  for (let id = newestOf(waiting); id !== undefined && reached.size <= MAX_VERSIONS; id = newestOf(waiting)) {
    const record = reached.has(id) ? undefined : await readOnce(id)
    if (record === undefined) continue
    reached.set(id, record)
    waiting.push(...record.parents)
  }
  const records = [...reached.values()].sort((x, y) => (x.id < y.id ? 1 : -1))
  return { records: records.slice(0, MAX_VERSIONS), more: records.length > MAX_VERSIONS }
}

/** Takes the newest out: ids begin with their time. */
function newestOf(ids: string[]): string | undefined {
  return ids.sort().pop()
}

/** @returns undefined for a version that is being published, or was collected as garbage */
async function published(repository: Repository, id: string): Promise<VersionRecord | undefined> {
  try {
    return await repository.version(id)
  } catch (error) {
    if (isDeltaError(error, 'DUCKLAKE_REF_DANGLING')) return undefined
    throw error
  }
}

function shortRef(key: string): string {
  return key.replace(/^refs\/(?:heads|tags)\//, '')
}

function versionLine(record: VersionRecord): RepositoryVersion {
  const { id, parents, author, message, createdAt, main, catalogs = [], withdrawn } = record
  const formats = [...new Set([main, ...catalogs].map(({ ducklake }) => ducklake))]
  return {
    id,
    parents,
    author,
    message,
    createdAt,
    formats: formats.sort((a, b) => compareFormats(b, a)),
    withdrawn: withdrawn === undefined ? null : `${withdrawn.at} ${withdrawn.reason}`.trim(),
  }
}

export async function versionView(repository: Repository, id: string): Promise<VersionView> {
  const record = await repository.version(id)
  return {
    version: versionLine(record),
    main: catalogLine(record.main),
    catalogs: (record.catalogs ?? []).map(catalogLine),
    skipped: record.skipped,
    readers: attachLines(record, repository.root).map(({ reader, ducklake, sql }) => ({
      name: reader,
      ducklake: ducklake ?? null,
      sql: sql ?? null,
      backfill: backfillFor(reader),
    })),
    files: await versionFiles(repository, record),
  }
}

/** The newest format that is written here and that a DuckDB opens. */
function backfillFor(name: string): string | null {
  const formats = EXTENSIONS.find((reader) => reader.name === name)?.formats ?? []
  return WRITE_FORMATS.filter((format) => formats.includes(format)).at(-1) ?? null
}

function catalogLine({ ducklake, storage, path, bytes }: CatalogRecord): RepositoryCatalog {
  return { ducklake, storage, path, bytes: bytes ?? null }
}

async function versionFiles(repository: Repository, { id, parents }: VersionRecord): Promise<VersionFiles | null> {
  const files = await repository.files(id)
  if (files === undefined) return null
  const { records } = await newestVersions(repository, await repository.headRef())
  const holders = new Map<string, number>()
  const lists = await mapParallel(records, PARALLEL, (record) => repository.files(record.id))
  for (const { path } of lists.flatMap((list) => list ?? [])) holders.set(path, (holders.get(path) ?? 0) + 1)
  const parent = parents[0] === undefined ? undefined : await repository.files(parents[0])
  const known = new Set(parent?.map(({ path }) => path))
  const lines = files.map(({ path, bytes }) => {
    return { path, bytes, shared: known.has(path), versions: holders.get(path) ?? 1 }
  })
  const shared = lines.filter((line) => line.shared)
  const bytesOf = (list: typeof lines) => list.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    list: [...lines.filter((line) => !line.shared), ...shared].slice(0, MAX_FILES),
    count: lines.length,
    bytes: bytesOf(lines),
    sharedCount: shared.length,
    sharedBytes: bytesOf(shared),
  }
}

/** @param at the snapshot; the newest when absent */
export async function lakeView({ lake, record }: OpenVersion, at: number | undefined): Promise<LakeView> {
  const snapshots = (await lake.snapshots(MAX_SNAPSHOTS)).reverse()
  const snapshot = await lake.snapshot({ version: at })
  const tables: LakeTableLine[] = []
  for (const { name } of await snapshot.tables()) {
    const table = await snapshot.table(name)
    const files = await lake.filesOf(snapshot, table)
    tables.push({
      name,
      columns: table.columns.length,
      rows: await lake.scan(snapshot, table).count(),
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
    })
  }
  return { ducklake: record.ducklake, snapshots: snapshots.map(snapshotLine), snapshot: snapshot.id, tables }
}

function snapshotLine({ id, timeMicros, changes, author, message }: SnapshotInfo): SnapshotLine {
  return { id, time: formatTimestamp(timeMicros), changes, author: author ?? null, message: message ?? null }
}
