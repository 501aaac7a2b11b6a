/** A copy of a version and its history in another repository: only what is missing, each object checked, the ref last. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import {
  CONFIG_KEY,
  type FileRecord,
  HEAD_KEY,
  HEADS,
  type VersionRecord,
  versionFolder,
  versionKey,
} from './layout.ts'
import { fetchChecked, refuseWithdrawn } from './open.ts'
import { getIfThere, Repository, sizeIfThere } from './repository.ts'

export interface PullOptions {
  /** a branch, tag or id; HEAD's version when absent */
  readonly ref?: string
  /** the branch that names the version in the copy; the source's own when absent */
  readonly branch?: string
  readonly onProgress?: (progress: { readonly files: number; readonly bytes: number }) => void
}

export interface PullResult {
  readonly id: string
  readonly ref: string
  readonly files: number
  readonly bytes: number
}

/**
 * Ends in the middle without harm: a rerun takes what is there by its size and goes on.
 *
 * @throws DeltaError `DUCKLAKE_CHECKSUM`, `DUCKLAKE_FILE_CONFLICT`, `DUCKLAKE_PUBLISH_CONFLICT` where the copy's branch
 * names a version that the pulled one does not come from
 */
export async function pull(source: Repository, target: ObjectStore, options: PullOptions = {}): Promise<PullResult> {
  const id = await source.resolve(options.ref)
  const version = await source.version(id, options.ref)
  refuseWithdrawn(source, version)
  const ref = options.branch === undefined ? await source.headRef() : HEADS + options.branch
  const result = { files: 0, bytes: 0 }
  const copied = (bytes: number) => {
    result.files++
    result.bytes += bytes
    options.onProgress?.(result)
  }
  for (const one of await lineage(source, id)) await pullVersion(source, target, one, copied)
  for (const key of [CONFIG_KEY, HEAD_KEY]) {
    const bytes = await getIfThere(source.store, key)
    if (bytes !== undefined) await target.putIfAbsent(key, bytes)
  }
  await moveRef(await Repository.open(target), source, { ref, id })
  return { id, ref, ...result }
}

/** The version and those it comes from, oldest first, so that a copy cut short has the parents of all it has. */
async function lineage(source: Repository, id: string): Promise<VersionRecord[]> {
  const versions: VersionRecord[] = []
  for await (const version of source.history(id)) versions.push(version)
  return versions.reverse()
}

/** Files, then catalogs, then what names them: a version whose version.json is there is whole. */
async function pullVersion(
  source: Repository,
  target: ObjectStore,
  version: VersionRecord,
  copied: (bytes: number) => void,
): Promise<void> {
  const folder = versionFolder(version.id)
  if ((await sizeIfThere(target, versionKey(version.id))) !== undefined) return
  if (version.withdrawn === undefined) {
    for (const file of (await source.files(version.id)) ?? []) await pullFile(source, target, file, copied)
    for (const record of [version.main, ...(version.catalogs ?? [])]) {
      if ((await sizeIfThere(target, folder + record.path)) === record.bytes) continue
      const bytes = await fetchChecked(source, version.id, record)
      await target.putIfAbsent(folder + record.path, bytes)
      copied(bytes.length)
    }
  }
  for (const key of [`${folder}files.json`, versionKey(version.id)]) {
    const bytes = await getIfThere(source.store, key)
    if (bytes !== undefined) await target.putIfAbsent(key, bytes)
  }
}

async function pullFile(
  source: Repository,
  target: ObjectStore,
  file: FileRecord,
  copied: (bytes: number) => void,
): Promise<void> {
  const held = await sizeIfThere(target, file.path)
  if (held === file.bytes) return
  if (held !== undefined) throw deltaError('DUCKLAKE_FILE_CONFLICT', { root: target.location, object: file.path })
  const bytes = await source.store.get(file.path)
  if (bytes.length !== file.bytes) {
    const reason = `it has ${bytes.length} bytes, and ${file.bytes} are recorded`
    throw deltaError('DUCKLAKE_CHECKSUM', { object: file.path, root: source.root, reason })
  }
  await target.putIfAbsent(file.path, bytes)
  copied(bytes.length)
}

async function moveRef(
  copy: Repository,
  source: Repository,
  { ref, id }: { readonly ref: string; readonly id: string },
): Promise<void> {
  const { store } = copy
  const bytes = encodeUtf8(`${id}\n`)
  for (;;) {
    const held = await copy.readRef(ref)
    if (held?.id === id) return
    if (held === undefined) {
      if ((await store.putIfAbsent(ref, bytes)) === 'created') return
      continue
    }
    if (!(await comesFrom(source, id, held.id))) {
      const details = { root: copy.root, ref, parent: id, head: held.id, tables: ['what the branch of the copy names'] }
      throw deltaError('DUCKLAKE_PUBLISH_CONFLICT', details)
    }
    if (store.replaceIf === undefined) throw deltaError('DUCKLAKE_STORE_NO_SWAP', { root: copy.root })
    if ((await store.replaceIf(ref, bytes, held.bytes)) === 'replaced') return
  }
}

/** Whether one version is among those another was made from, or the other way round. */
async function comesFrom(source: Repository, id: string, earlier: string): Promise<boolean> {
  for await (const version of source.history(id)) if (version.id === earlier) return true
  for await (const version of source.history(earlier)) if (version.id === id) return true
  return false
}
