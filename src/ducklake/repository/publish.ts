/**
 * Publishing: a new version, and the ref moved to it.
 *
 * Data files first, then the catalogs, then version.json, each put only if absent; the swap of the ref is the only
 * commit point. Whatever ends before it leaves objects that no ref reaches. A publisher that loses the swap makes its
 * version anew on top of the new head where they changed different tables, and is told both heads otherwise.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDbOptions } from '../../engine/duckdb/index.ts'
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import { type Clock, encodeUtf8, systemClock } from '../../support/index.ts'
import type { OpenStore } from '../catalog/file-access.ts'
import { WRITE_FORMATS, type WriteFormat } from '../catalog/formats.ts'
import { opensStorage } from '../catalog/storage-header.ts'
import { catalogDigest } from '../write/digest.ts'
import { formatLimit } from '../write/format-limits.ts'
import { freeze } from '../write/freeze.ts'
import { changedTables } from './changed-tables.ts'
import { type CatalogRecord, DATA, formatsAt, HEADS, LAYOUT, printObject, versionFolder } from './layout.ts'
import { openVersion } from './open.ts'
import { putFiles } from './put-files.ts'
import { type RefState, type Repository, sha256 } from './repository.ts'
import type { BuiltCatalog, PublishSource } from './source.ts'
import { uuid7 } from './uuid7.ts'

export interface PublishOptions {
  readonly source: PublishSource
  readonly openStore: OpenStore
  readonly engine?: DuckDbOptions
  /** HEAD's when absent */
  readonly branch?: string
  readonly author?: string
  readonly message?: string
  readonly clock?: Clock
  /** told of what a version leaves out, and of what was found on the way */
  readonly onNote?: (text: string) => void
}

export interface PublishResult {
  /** undefined: nothing to publish, the head says the same already */
  readonly id: string | undefined
  readonly ref: string
  readonly parent: string | undefined
  readonly formats: readonly string[]
  readonly skipped: readonly { readonly ducklake: string; readonly reason: string }[]
  readonly files: number
  /** that were not in the repository before */
  readonly newFiles: number
  readonly newBytes: number
}

/** The storage a catalog of a format is written in: what its oldest readers open. */
export const STORAGE_OF: Readonly<Record<WriteFormat, string>> = { '1.0': 'v1.2.0', '1.1': 'v1.5.0' }

const ATTEMPTS = 10

/**
 * @throws DeltaError `DUCKLAKE_PUBLISH_CONFLICT`, `DUCKLAKE_FILE_CONFLICT`, `DUCKLAKE_FORMAT_LIMIT`,
 * `DUCKLAKE_STORE_NO_SWAP`, the codes of the source and of the store
 */
export async function publish(repository: Repository, options: PublishOptions): Promise<PublishResult> {
  if (repository.store.replaceIf === undefined) throw deltaError('DUCKLAKE_STORE_NO_SWAP', { root: repository.root })
  const ref = options.branch === undefined ? await repository.headRef() : HEADS + options.branch
  let first: { parent: string | undefined; built: readonly string[] | undefined } | undefined
  for (let attempt = 1; ; attempt++) {
    const head = await repository.readRef(ref)
    if (first !== undefined) await refuseOverlap(repository, options, { ref, first, head })
    const made = await makeVersion(repository, options, { ref, head })
    if (made.id === undefined || (await swap(repository, { ref, head, id: made.id }))) return made
    first = { parent: head?.id, built: made.tables }
    if (attempt === ATTEMPTS)
      throw conflict(repository, ref, head?.id, await repository.readRef(ref), ['the same branch'])
  }
}

interface Made extends PublishResult {
  readonly tables: readonly string[] | undefined
}

async function makeVersion(
  repository: Repository,
  options: PublishOptions,
  { ref, head }: { readonly ref: string; readonly head: RefState | undefined },
): Promise<Made> {
  const base =
    head === undefined
      ? undefined
      : await openVersion(repository, await repository.version(head.id, ref), {
          openStore: options.openStore,
          ...(options.engine && { engine: options.engine }),
        })
  let built: BuiltCatalog | undefined
  try {
    built = await options.source(base?.lake)
    const nothing = {
      id: undefined,
      ref,
      parent: head?.id,
      formats: [],
      skipped: [],
      files: built.files.length,
      newFiles: 0,
      newBytes: 0,
      tables: built.tables,
    }
    if (base !== undefined && (await catalogDigest(base.lake.catalog)) === (await catalogDigest(built.draft)))
      return nothing
    const id = uuid7((options.clock ?? systemClock).now())
    const known = new Set(
      head === undefined ? [] : ((await repository.files(head.id)) ?? []).map(({ path, bytes }) => `${path} ${bytes}`),
    )
    const put = await putFiles(repository, built.files, (file) => known.has(`${file.target} ${file.bytes}`))
    const written = await writeCatalogs(repository, built, { ...options, id, head })
    return { ...nothing, id, ...written, newFiles: put.files, newBytes: put.bytes }
  } finally {
    await built?.close()
    await base?.close()
  }
}

interface VersionTask extends PublishOptions {
  readonly id: string
  readonly head: RefState | undefined
}

async function writeCatalogs(repository: Repository, built: BuiltCatalog, task: VersionTask) {
  const now = (task.clock ?? systemClock).now()
  const wanted = formatsAt(repository.config, now)
  const { possible, skipped } = await judgeFormats(built, wanted.length === 0 ? [...WRITE_FORMATS].reverse() : wanted)
  const [mainFormat] = possible
  if (mainFormat === undefined) {
    const [{ ducklake, reason }] = skipped as [(typeof skipped)[number]]
    throw deltaError('DUCKLAKE_FORMAT_LIMIT', { format: ducklake, reason })
  }
  for (const { ducklake, reason } of skipped) task.onNote?.(`no catalog in DuckLake ${ducklake}: ${reason}`)
  const folder = await mkdtemp(join(tmpdir(), 'bayou-publish-'))
  try {
    const catalogs: CatalogRecord[] = []
    for (const format of wanted.length === 0 ? [] : possible) {
      catalogs.push(
        await putCatalog(repository, built, { folder, id: task.id, format, path: `catalogs/${format}.duckdb` }),
      )
    }
    const main = await putCatalog(repository, built, {
      folder,
      id: task.id,
      format: mainFormat,
      path: 'ducklake.duckdb',
    })
    await putVersion(repository, built, { ...task, now, main, catalogs, skipped: wanted.length === 0 ? [] : skipped })
    return { formats: [...new Set([mainFormat, ...catalogs.map(({ ducklake }) => ducklake)])], skipped }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Newest first. */
export async function judgeFormats(built: BuiltCatalog, formats: readonly WriteFormat[]) {
  const possible: WriteFormat[] = []
  const skipped: { ducklake: string; reason: string }[] = []
  for (const format of formats) {
    const reason = await formatLimit(built.draft, format, (id) => built.isContainer(id))
    if (reason === undefined) possible.push(format)
    else skipped.push({ ducklake: format, reason })
  }
  return { possible, skipped }
}

export interface CatalogTask {
  /** for the file while it is made */
  readonly folder: string
  readonly id: string
  readonly format: WriteFormat
  /** below the version's folder */
  readonly path: string
}

/** Freezes a catalog, puts it and says what it is. */
export async function putCatalog(
  repository: Repository,
  built: Pick<BuiltCatalog, 'draft'>,
  task: CatalogTask,
): Promise<CatalogRecord> {
  const path = join(task.folder, `${task.path.replaceAll('/', '-')}`)
  const { storage } = await freeze(built.draft, {
    path,
    format: task.format,
    storage: STORAGE_OF[task.format],
    dataPath: DATA,
  })
  const bytes = new Uint8Array(await readFile(path))
  await putNew(repository, versionFolder(task.id) + task.path, bytes)
  return { ducklake: task.format, storage, path: task.path, bytes: bytes.length, sha256: await sha256(bytes) }
}

interface VersionParts extends VersionTask {
  readonly now: number
  readonly main: CatalogRecord
  readonly catalogs: readonly CatalogRecord[]
  readonly skipped: readonly { readonly ducklake: string; readonly reason: string }[]
}

async function putVersion(repository: Repository, built: BuiltCatalog, parts: VersionParts): Promise<void> {
  const { id, main } = parts
  const files = built.files.map(({ target, bytes }) => ({ path: target, bytes }))
  const unique = [...new Map(files.map((file) => [file.path, file])).values()].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  )
  await putNew(repository, `${versionFolder(id)}files.json`, encodeUtf8(printObject(unique)))
  const [snapshot] = await built.draft.query(`SELECT max(snapshot_id) FROM ${built.draft.view('snapshot')}`)
  const record = {
    format: LAYOUT,
    id,
    parents: parts.head === undefined ? [] : [parts.head.id],
    author: parts.author ?? '',
    message: parts.message ?? '',
    created_at: new Date(parts.now).toISOString().replace(/\.\d+Z$/, 'Z'),
    sha256: main.sha256,
    catalog: {
      ducklake: main.ducklake,
      storage: main.storage,
      bytes: main.bytes,
      snapshot: Number(snapshot?.[0] ?? 0),
    },
    ...(parts.catalogs.length > 0 && { catalogs: parts.catalogs.map(catalogJson) }),
    ...(parts.skipped.length > 0 && { skipped: parts.skipped }),
  }
  await putNew(repository, `${versionFolder(id)}version.json`, encodeUtf8(printObject(record)))
}

export function catalogJson({ ducklake, storage, path, bytes, sha256: digest }: CatalogRecord) {
  return { ducklake, storage, path, bytes, sha256: digest }
}

/** Ids are never given twice, so that an object that is there already is this call's own, its answer lost. */
async function putNew(repository: Repository, key: string, bytes: Uint8Array): Promise<void> {
  const answer = await repository.store.putIfAbsent(key, bytes)
  if (answer === 'created') return
  const held = await repository.store.get(key)
  if ((await sha256(held)) !== (await sha256(bytes))) {
    throw deltaError('DUCKLAKE_FILE_CONFLICT', { root: repository.root, object: key })
  }
}

/** @returns whether the ref names the new version; an unclear answer is settled by reading it */
async function swap(
  { store, ...repository }: Repository,
  { ref, head, id }: { readonly ref: string; readonly head: RefState | undefined; readonly id: string },
): Promise<boolean> {
  const bytes = encodeUtf8(`${id}\n`)
  let failure: DeltaError | undefined
  try {
    const answer =
      head === undefined ? await store.putIfAbsent(ref, bytes) : await store.replaceIf!(ref, bytes, head.bytes)
    if (answer === 'created' || answer === 'replaced') return true
  } catch (error) {
    if (!isDeltaError(error) || !error.retryable) throw error
    failure = error
  }
  void repository
  const now = await store.get(ref).catch((error: unknown) => {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  })
  if (now !== undefined && new TextDecoder().decode(now).trim() === id) return true
  // nothing happened: the fault is what there is to tell
  const isUnmoved = new TextDecoder().decode(now) === new TextDecoder().decode(head?.bytes)
  if (failure !== undefined && isUnmoved) throw failure
  return false
}

interface Overlap {
  readonly ref: string
  readonly first: { readonly parent: string | undefined; readonly built: readonly string[] | undefined }
  readonly head: RefState | undefined
}

async function refuseOverlap(
  repository: Repository,
  options: PublishOptions,
  { ref, first, head }: Overlap,
): Promise<void> {
  if (head === undefined) return
  const theirs = await changedTables(repository, options, { from: first.parent, to: head.id })
  const both = first.built === undefined ? theirs : first.built.filter((table) => theirs.includes(table))
  if (both.length > 0) throw conflict(repository, ref, first.parent, head, both)
  if (first.built === undefined) throw conflict(repository, ref, first.parent, head, ['the lake'])
}

function conflict(
  repository: Repository,
  ref: string,
  parent: string | undefined,
  head: RefState | undefined,
  tables: readonly string[],
) {
  const details = { root: repository.root, ref, parent: parent ?? 'nothing', head: head?.id ?? 'nothing', tables }
  return deltaError('DUCKLAKE_PUBLISH_CONFLICT', details)
}

/** Whether an engine that opens one storage opens what a format is written in. */
export function readableWith(storage: string, format: WriteFormat): boolean {
  return opensStorage(storage, STORAGE_OF[format])
}
