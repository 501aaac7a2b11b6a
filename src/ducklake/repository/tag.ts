/** Tags: names for versions that stay. */
import { deltaError } from '../../errors/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { TAGS } from './layout.ts'
import type { Repository } from './repository.ts'

export interface TagOptions {
  /** a branch, tag or id; HEAD's version when absent */
  readonly ref?: string
  /** true: a tag that names another version moves */
  readonly force?: boolean
}

/**
 * @returns the version the tag names now
 * @throws DeltaError `DUCKLAKE_REF_NOT_FOUND`, `DUCKLAKE_REF_DANGLING`; `DUCKLAKE_TAG_EXISTS` where the tag names another
 * version and is not to move
 */
export async function tagVersion(repository: Repository, name: string, options: TagOptions = {}): Promise<string> {
  const { store, root } = repository
  const id = (await repository.version(await repository.resolve(options.ref), options.ref)).id
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/.test(name)) {
    throw deltaError('LAKE_USAGE', {
      problem: `${JSON.stringify(name)} is no name of a tag`,
      advice: 'use letters, digits, _, . and -',
    })
  }
  const key = TAGS + name
  const bytes = encodeUtf8(`${id}\n`)
  if ((await store.putIfAbsent(key, bytes)) === 'created') return id
  const held = await repository.readRef(key)
  if (held?.id === id) return id
  if (held !== undefined && options.force && store.replaceIf !== undefined) {
    if ((await store.replaceIf(key, bytes, held.bytes)) === 'replaced') return id
  }
  throw deltaError('DUCKLAKE_TAG_EXISTS', { root, tag: name, version: held?.id ?? 'another version' })
}
