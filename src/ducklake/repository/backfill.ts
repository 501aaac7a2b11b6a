/** A format for versions that were published without it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDatabase } from '../../engine/duckdb/index.ts'
import { deltaError } from '../../errors/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { Catalog, safeNumber } from '../catalog/catalog.ts'
import type { WriteFormat } from '../catalog/formats.ts'
import { isContainer } from '../scan/puffin.ts'
import { below } from '../snapshot/lake-snapshot.ts'
import { catalogDigest } from '../write/digest.ts'
import { Draft } from '../write/draft.ts'
import { formatLimit } from '../write/format-limits.ts'
import { type CatalogRecord, parseVersion, printObject, versionFolder, versionKey } from './layout.ts'
import { type OpenVersion, type OpenVersionOptions, openVersion } from './open.ts'
import { type CatalogTask, catalogJson, putCatalog } from './publish.ts'
import { getIfThere, type Repository, sha256 } from './repository.ts'

/**
 * Adds a catalog to a version and names it in version.json.
 *
 * @returns `'there'` where the version has the format already
 * @throws DeltaError `DUCKLAKE_FORMAT_LIMIT`
 */
export async function backfill(
  repository: Repository,
  ref: string | undefined,
  format: WriteFormat,
  options: OpenVersionOptions,
): Promise<{ readonly id: string; readonly outcome: 'written' | 'there' }> {
  const { store, root } = repository
  if (store.replaceIf === undefined) throw deltaError('DUCKLAKE_STORE_NO_SWAP', { root })
  const version = await repository.version(await repository.resolve(ref), ref)
  if (version.catalogs?.some(({ ducklake }) => ducklake === format)) return { id: version.id, outcome: 'there' }
  const open = await openVersion(repository, version, options)
  const folder = await mkdtemp(join(tmpdir(), 'bayou-backfill-'))
  let draft: Draft | undefined
  try {
    draft = await Draft.copyOf(open.lake.catalog)
    const reason = await formatLimit(draft, format, (id) => isContainerDelete(open, id))
    if (reason !== undefined) throw deltaError('DUCKLAKE_FORMAT_LIMIT', { format, reason })
    const path = `catalogs/${format}.duckdb`
    const left = await leftover(repository, { id: version.id, format, path, folder }, draft)
    const record = left ?? (await putCatalog(repository, { draft }, { folder, id: version.id, format, path }))
    await addCatalog(repository, version.id, record)
    return { id: version.id, outcome: 'written' }
  } finally {
    await draft?.close()
    await open.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * A call that ended before it named its catalog left one under its name, whole: it is used.
 *
 * @throws DeltaError `DUCKLAKE_FILE_CONFLICT` where it says something else than the version
 */
async function leftover(
  { store, root }: Repository,
  task: CatalogTask,
  draft: Draft,
): Promise<CatalogRecord | undefined> {
  const object = versionFolder(task.id) + task.path
  const bytes = await getIfThere(store, object)
  if (bytes === undefined) return undefined
  const path = join(task.folder, 'left.duckdb')
  await writeFile(path, bytes)
  const database = new DuckDatabase()
  try {
    const catalog = await Catalog.open(database, { path, shown: object })
    const isSame = catalog.format === task.format && (await catalogDigest(catalog)) === (await catalogDigest(draft))
    if (!isSame) throw deltaError('DUCKLAKE_FILE_CONFLICT', { root, object })
    const storage = catalog.storage?.needs ?? ''
    return { ducklake: task.format, storage, path: task.path, bytes: bytes.length, sha256: await sha256(bytes) }
  } finally {
    await database.close()
  }
}

async function addCatalog({ store, root }: Repository, id: string, record: CatalogRecord): Promise<void> {
  const key = versionKey(id)
  for (;;) {
    const bytes = await store.get(key)
    const version = parseVersion(bytes, id, root)
    const { skipped: _, ...json } = version.json
    const skipped = version.skipped.filter(({ ducklake }) => ducklake !== record.ducklake)
    const catalogs = [...(version.catalogs ?? []).filter(({ ducklake }) => ducklake !== record.ducklake), record]
    const changed = {
      ...json,
      catalogs: catalogs.sort((a, b) => (a.ducklake < b.ducklake ? 1 : -1)).map(catalogJson),
      ...(skipped.length > 0 && { skipped }),
    }
    if ((await store.replaceIf!(key, encodeUtf8(printObject(changed)), bytes)) === 'replaced') return
  }
}

async function isContainerDelete({ lake }: OpenVersion, id: number): Promise<boolean> {
  const { catalog, access } = lake
  const [row] = await catalog.query(
    `SELECT d.path, d.path_is_relative, t.path, t.path_is_relative, s.path, s.path_is_relative
     FROM ${catalog.view('delete_file')} d JOIN ${catalog.view('table')} t USING (table_id)
     JOIN ${catalog.view('schema')} s USING (schema_id) WHERE d.delete_file_id = ${safeNumber(id)} LIMIT 1`,
  )
  if (row === undefined) return false
  const schema = below({ path: '', isRelative: true }, String(row[4] ?? ''), row[5] !== false)
  const table = below(schema, String(row[2] ?? ''), row[3] !== false)
  return isContainer(await access.bytes(below(table, String(row[0]), row[1] !== false), 'the lake'))
}
