/** What `gc` and `withdraw` share: which versions stay, what nobody reads any more, and how it goes. */

import { deltaError } from '../../errors/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { parseVersion, printObject, type VersionRecord, versionKey } from './layout.ts'
import type { Repository } from './repository.ts'

export interface Removal {
  /** versions whose version.json is to say that they are gone */
  readonly versions: readonly string[]
  readonly tags: readonly string[]
  /** keys, in the order in which they go: data files, then catalogs and lists */
  readonly objects: readonly { readonly key: string; readonly bytes: number }[]
}

/** Keys of the files that versions read, below the root. */
export async function filesRead(repository: Repository, ids: Iterable<string>): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const id of ids) for (const { path } of (await repository.files(id)) ?? []) keys.add(path)
  return keys
}

/**
 * Marks versions first: from then on nobody opens them, whatever is deleted when this ends in the middle.
 *
 * A rerun goes on with what is left.
 */
export async function remove(
  repository: Repository,
  removal: Removal,
  mark: { readonly at: string; readonly reason: string },
): Promise<void> {
  const { store } = repository
  for (const id of removal.versions) await markWithdrawn(repository, id, mark)
  for (const key of removal.tags) await store.delete(key)
  for (const { key } of removal.objects) await store.delete(key)
}

async function markWithdrawn(
  { store, root }: Repository,
  id: string,
  mark: { readonly at: string; readonly reason: string },
): Promise<void> {
  if (store.replaceIf === undefined) throw deltaError('DUCKLAKE_STORE_NO_SWAP', { root })
  const key = versionKey(id)
  for (;;) {
    const bytes = await store.get(key)
    const version: VersionRecord = parseVersion(bytes, id, root)
    if (version.withdrawn !== undefined) return
    const changed = encodeUtf8(printObject({ ...version.json, withdrawn: mark }))
    if ((await store.replaceIf(key, changed, bytes)) === 'replaced') return
  }
}
