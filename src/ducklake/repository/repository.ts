/** A repository's refs and versions, read from any store. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8, encodeHex } from '../../support/index.ts'
import {
  CONFIG_KEY,
  type Config,
  type FileRecord,
  HEAD_KEY,
  HEADS,
  invalid,
  parseConfig,
  parseFiles,
  parseHead,
  parseVersion,
  TAGS,
  type VersionRecord,
  versionFolder,
  versionKey,
} from './layout.ts'
import { isVersionId } from './uuid7.ts'

/** A ref with what its object holds, for a later swap. */
export interface RefState {
  /** `refs/heads/main` */
  readonly key: string
  readonly bytes: Uint8Array
  readonly id: string
}

export class Repository {
  readonly store: ObjectStore
  readonly config: Config

  private constructor(store: ObjectStore, config: Config) {
    this.store = store
    this.config = config
  }

  /** @throws DeltaError `DUCKLAKE_REPOSITORY_NOT_FOUND`, `DUCKLAKE_REPOSITORY_INVALID`, `DUCKLAKE_REPOSITORY_NEWER` */
  static async open(store: ObjectStore): Promise<Repository> {
    const bytes = await getIfThere(store, CONFIG_KEY)
    if (bytes === undefined) throw deltaError('DUCKLAKE_REPOSITORY_NOT_FOUND', { root: store.location })
    return new Repository(store, parseConfig(bytes, store.location))
  }

  get root(): string {
    return this.store.location
  }

  /** The ref that HEAD names; `refs/heads/main` where there is no HEAD. */
  async headRef(): Promise<string> {
    const bytes = await getIfThere(this.store, HEAD_KEY)
    return bytes === undefined ? `${HEADS}main` : parseHead(bytes, this.root)
  }

  /** @returns undefined where the ref has no version yet */
  async readRef(key: string): Promise<RefState | undefined> {
    const bytes = await getIfThere(this.store, key)
    if (bytes === undefined) return undefined
    const id = decodeUtf8(bytes).trim()
    if (!isVersionId(id)) throw invalid({ object: key, root: this.root }, 'it names no version')
    return { key, bytes, id }
  }

  /** All branches and tags by key. */
  async refs(): Promise<RefState[]> {
    const found: RefState[] = []
    for await (const page of this.store.list({ prefix: 'refs/' })) {
      for (const { key } of page) {
        const state = key.startsWith(HEADS) || key.startsWith(TAGS) ? await this.readRef(key) : undefined
        if (state !== undefined) found.push(state)
      }
    }
    return found
  }

  /** Ids of all versions that lie in the store, reachable or not, oldest first. */
  async versionIds(): Promise<string[]> {
    const ids = new Set<string>()
    for await (const page of this.store.list({ prefix: 'versions/' })) {
      for (const { key } of page) {
        const id = key.split('/')[1]!
        if (isVersionId(id)) ids.add(id)
      }
    }
    return [...ids].sort()
  }

  /**
   * The version a branch, a tag, an id or the beginning of one means; HEAD's when nothing is given.
   *
   * @throws DeltaError `DUCKLAKE_REF_NOT_FOUND`
   */
  async resolve(ref?: string): Promise<string> {
    const notFound = (name: string) => deltaError('DUCKLAKE_REF_NOT_FOUND', { root: this.root, ref: name })
    if (ref === undefined || ref === 'HEAD') {
      const key = await this.headRef()
      const state = await this.readRef(key)
      if (state === undefined) throw notFound(key)
      return state.id
    }
    if (isVersionId(ref)) return ref
    for (const key of [ref, HEADS + ref, TAGS + ref]) {
      if (!key.startsWith('refs/') || key.split('/').some((part) => part === '' || part.startsWith('.'))) continue
      const state = await this.readRef(key)
      if (state !== undefined) return state.id
    }
    if (!/^[0-9a-f-]{4,}$/.test(ref) || !this.store.capabilities.list) throw notFound(ref)
    const matches = (await this.versionIds()).filter((id) => id.startsWith(ref))
    if (matches.length === 1) return matches[0]!
    throw notFound(matches.length === 0 ? ref : `${ref} alone: it begins ${matches.length} versions`)
  }

  /** @throws DeltaError `DUCKLAKE_REF_DANGLING`, `DUCKLAKE_REPOSITORY_INVALID`, `DUCKLAKE_REPOSITORY_NEWER` */
  async version(id: string, ref = 'the ref'): Promise<VersionRecord> {
    const bytes = await getIfThere(this.store, versionKey(id))
    if (bytes === undefined) throw deltaError('DUCKLAKE_REF_DANGLING', { root: this.root, ref, version: id })
    return parseVersion(bytes, id, this.root)
  }

  /** Files of a version; undefined where it does not list them. */
  async files(id: string): Promise<FileRecord[] | undefined> {
    const bytes = await getIfThere(this.store, `${versionFolder(id)}files.json`)
    return bytes && parseFiles(bytes, id, this.root)
  }

  /** From a version back to the first, by first parents. */
  async *history(id: string): AsyncGenerator<VersionRecord> {
    const seen = new Set<string>()
    for (let next: string | undefined = id; next !== undefined && !seen.has(next); ) {
      seen.add(next)
      const record: VersionRecord = await this.version(next, `the version ${id}`)
      yield record
      next = record.parents[0]
    }
  }
}

export async function getIfThere(store: ObjectStore, key: string): Promise<Uint8Array | undefined> {
  try {
    return await store.get(key)
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}

export async function sizeIfThere(store: ObjectStore, key: string): Promise<number | undefined> {
  try {
    return (await store.head(key)).size
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}

/** Lower-case hex. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)))
}
