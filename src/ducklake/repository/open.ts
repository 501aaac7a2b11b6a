/**
 * Opening a version: which of its catalogs a reader can open, fetched and checked.
 *
 * A reader tries the formats it can open, newest first, then the main catalog. What a version offers is told by
 * version.json alone, before anything is fetched. Source: seed 003, "A reader tries the formats…".
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDbOptions } from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { OpenStore } from '../catalog/file-access.ts'
import { READ_FORMATS } from '../catalog/formats.ts'
import { ENGINE_STORAGE, opensStorage, readStorageHeader } from '../catalog/storage-header.ts'
import { Lake } from '../lake.ts'
import { type CatalogRecord, DATA, type VersionRecord, versionFolder } from './layout.ts'
import { getIfThere, type Repository, sha256, sizeIfThere } from './repository.ts'

/** What reads a catalog. */
export interface Reader {
  readonly name: string
  readonly formats: readonly string[]
  /** the newest storage it opens */
  readonly storage: string
}

export const OUR_READER: Reader = { name: 'this version', formats: READ_FORMATS, storage: ENGINE_STORAGE }

/** Readers whose ATTACH is printed for others. */
export const EXTENSIONS: readonly Reader[] = [
  { name: 'DuckDB 2.0', formats: ['1.0', '1.1'], storage: 'v2.0.0' },
  { name: 'DuckDB 1.5', formats: ['1.0'], storage: 'v1.5.0' },
  { name: 'DuckDB 1.4', formats: ['0.3'], storage: 'v1.4.0' },
  { name: 'DuckDB 1.3', formats: ['0.1', '0.2'], storage: 'v1.3.0' },
]

/** The catalog a reader opens; undefined where it can open none. */
export function chooseCatalog(version: VersionRecord, reader: Reader): CatalogRecord | undefined {
  const opens = ({ ducklake, storage }: CatalogRecord) => {
    return reader.formats.includes(ducklake) && (storage === '' || opensStorage(reader.storage, storage))
  }
  const byFormat = [...(version.catalogs ?? [])].filter(opens).sort((a, b) => compareFormats(b.ducklake, a.ducklake))
  return byFormat[0] ?? (opens(version.main) ? version.main : undefined)
}

/** Dotted numbers. */
export function compareFormats(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]]
  return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0)
}

/**
 * @throws DeltaError `DUCKLAKE_NO_CATALOG` saying what the version offers and what the reader opens,
 * `DUCKLAKE_VERSION_WITHDRAWN`
 */
export async function catalogFor(
  repository: Repository,
  version: VersionRecord,
  reader = OUR_READER,
): Promise<CatalogRecord> {
  refuseWithdrawn(repository, version)
  const described =
    version.catalogs === undefined ? { ...version, catalogs: await probe(repository, version) } : version
  const chosen = chooseCatalog(described, reader)
  if (chosen !== undefined) return chosen
  const offered = describeOffer(described)
  const opens = `the formats ${reader.formats.join(', ')} in files up to storage ${reader.storage}`
  const advice = adviceFor(described)
  throw deltaError('DUCKLAKE_NO_CATALOG', {
    version: version.id,
    root: repository.root,
    offered,
    reader: reader.name,
    opens,
    advice,
  })
}

export function refuseWithdrawn(repository: Repository, { id, withdrawn }: VersionRecord): void {
  if (withdrawn === undefined) return
  const reason = withdrawn.reason === '' ? '' : `: ${withdrawn.reason}`
  throw deltaError('DUCKLAKE_VERSION_WITHDRAWN', {
    version: id,
    root: repository.root,
    date: withdrawn.at.slice(0, 10),
    reason,
  })
}

/** `DuckLake 1.1 (storage v1.5.0), 1.0 (storage v1.2.0)` */
export function describeOffer(version: VersionRecord): string {
  const all = [version.main, ...(version.catalogs ?? [])]
  const texts = all.map(({ ducklake, storage }) => `${ducklake} (storage ${storage || 'not told'})`)
  return `DuckLake ${[...new Set(texts)].join(', ')}`
}

function adviceFor(version: VersionRecord): string {
  const readers = EXTENSIONS.filter((reader) => chooseCatalog(version, reader) !== undefined).map(({ name }) => name)
  const open =
    readers.length === 0 ? 'update this package' : `open it with ${readers.join(' or ')}, or update this package`
  return `${open}; bayou repo backfill writes an older format for a version`
}

/** Versions that do not list their catalogs may have them. */
async function probe(repository: Repository, version: VersionRecord): Promise<CatalogRecord[]> {
  const found: CatalogRecord[] = []
  for (const ducklake of ['1.1', '1.0']) {
    const path = `catalogs/${ducklake}.duckdb`
    const bytes = await sizeIfThere(repository.store, versionFolder(version.id) + path)
    if (bytes !== undefined) found.push({ ducklake, storage: '', path, bytes, sha256: undefined })
  }
  return found
}

/**
 * The bytes of a catalog, as its version describes them.
 *
 * @throws DeltaError `DUCKLAKE_CHECKSUM`
 */
export async function fetchChecked(repository: Repository, id: string, record: CatalogRecord): Promise<Uint8Array> {
  const { key, bytes } = await fetchCatalog(repository, id, record)
  const fail = (reason: string) => deltaError('DUCKLAKE_CHECKSUM', { object: key, root: repository.root, reason })
  if (bytes === undefined) throw fail('it is not there')
  if (record.bytes !== undefined && record.bytes !== bytes.length) {
    throw fail(`it has ${bytes.length} bytes, and ${record.bytes} are recorded`)
  }
  if (record.sha256 !== undefined && record.sha256 !== (await sha256(bytes))) throw fail('its SHA-256 is another')
  const header = readStorageHeader(bytes)
  if (header === undefined) throw fail('it is no DuckDB file')
  if (record.storage !== '' && !opensStorage(record.storage, header.needs)) {
    throw fail(`it needs DuckDB ${header.needs}, and ${record.storage} is recorded`)
  }
  return bytes
}

/** Later releases of fdl call the main catalog otherwise. */
async function fetchCatalog(repository: Repository, id: string, { path }: CatalogRecord) {
  const key = versionFolder(id) + path
  const bytes = await getIfThere(repository.store, key)
  if (bytes !== undefined || path !== 'ducklake.duckdb') return { key, bytes }
  return { key, bytes: await getIfThere(repository.store, `${versionFolder(id)}metadata.db`) }
}

export interface OpenVersionOptions {
  readonly openStore: OpenStore
  readonly engine?: DuckDbOptions
  /** a certain catalog instead of the one the reader's rule takes */
  readonly record?: CatalogRecord
}

/** A version open for reading. */
export interface OpenVersion {
  readonly lake: Lake
  readonly record: CatalogRecord
  close(): Promise<void>
}

/** @throws DeltaError the codes of `catalogFor`, `fetchChecked` and `Lake.open` */
export async function openVersion(
  repository: Repository,
  version: VersionRecord,
  options: OpenVersionOptions,
): Promise<OpenVersion> {
  const record = options.record ?? (await catalogFor(repository, version))
  refuseWithdrawn(repository, version)
  const bytes = await fetchChecked(repository, version.id, record)
  const folder = await mkdtemp(join(tmpdir(), 'bayou-catalog-'))
  try {
    const path = join(folder, 'catalog.duckdb')
    await writeFile(path, bytes)
    const { store } = repository
    const dataFolder = await dataFolderOf(repository)
    const lake = await Lake.open({
      catalog: path,
      shown: `${store.location}/${versionFolder(version.id)}${record.path}`,
      dataPath: `${store.location.replace(/\/$/, '')}/${dataFolder}`,
      openStore: (location) => (location === folder ? options.openStore(location) : below(store, location)),
      confined: true,
      ...(options.engine && { engine: options.engine }),
    })
    const close = async () => {
      await lake.close()
      await rm(folder, { recursive: true, force: true })
    }
    return { lake, record, close }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** `data/`, or what later releases of fdl call it. */
export async function dataFolderOf(repository: Repository): Promise<string> {
  const { store } = repository
  if (!store.capabilities.list) return DATA
  for (const folder of [DATA, 'tables/']) {
    for await (const page of store.list({ prefix: folder })) if (page.length > 0) return folder
  }
  return DATA
}

/** The part of a store below a folder, through the store itself, so that its layers see every call. */
function below(store: Repository['store'], location: string): Repository['store'] {
  const prefix = location.slice(store.location.replace(/\/$/, '').length + 1).replace(/\/?$/, '/')
  return {
    location,
    capabilities: store.capabilities,
    get: (key, call) => store.get(prefix + key, call),
    getRange: (key, range, call) => store.getRange(prefix + key, range, call),
    head: (key, call) => store.head(prefix + key, call),
    list: (call) => store.list({ ...call, prefix: prefix + call.prefix }),
    put: (key, bytes, call) => store.put(prefix + key, bytes, call),
    putIfAbsent: (key, bytes, call) => store.putIfAbsent(prefix + key, bytes, call),
    delete: (key, call) => store.delete(prefix + key, call),
    ...(store.localPath && { localPath: (key: string) => store.localPath!(prefix + key) }),
  }
}
