/**
 * The log of a table that a catalog manages, as the catalog has ratified it.
 *
 * A commit is staged in a file of its own, ratified by the catalog, and published under its version later or never. Given
 * what the catalog says, a store shows each ratified commit under the name it is published by, and nothing newer, so that
 * everything that reads a log reads this one. Source: Delta protocol, "Catalog-managed tables".
 */
import { deltaError } from '../../errors/index.ts'
import type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions } from '../../storage/index.ts'
import { compareBytes, encodeUtf8 } from '../../support/index.ts'
import { commitKey, LOG_PREFIX, parseLogName, STAGED_COMMIT_PREFIX } from '../paths/index.ts'

/** What a catalog answers when it is asked for a table. */
export interface CatalogCommits {
  /** the newest version it has ratified; whatever lies above it in the log is no part of the table */
  readonly latestVersion: number
  /** ratified commits that may not be published yet, in any order */
  readonly commits: readonly RatifiedCommit[]
}

export interface RatifiedCommit {
  readonly version: number
  /** below `_delta_log/_staged_commits/` */
  readonly fileName: string
  /** bytes */
  readonly size: number
  /** milliseconds since 1970 */
  readonly modifiedMs: number
}

const STAGED_NAME = /^(\d{20})\.[0-9a-zA-Z-]+\.json$/
const RATIFIED = Symbol.for('bayou.ratifiedLog')

/**
 * The store of a managed table, its log as the catalog has it; read-only, since commits go through the catalog.
 *
 * A ratified commit wins over a published file of its version. What the catalog says stands for as long as the store is
 * used: ask it again, and open the table anew, to see newer versions.
 *
 * @throws DeltaError `LAKE_CATALOG_COMMITS_INVALID` when a commit's file is not named by its version, or is above the latest
 */
export function ratifiedLog(store: ObjectStore, { latestVersion, commits }: CatalogCommits): ObjectStore {
  const staged = stagedMeta(commits, latestVersion)
  const isHidden = (key: string): boolean => {
    const name = key.startsWith(LOG_PREFIX) ? parseLogName(key.slice(LOG_PREFIX.length)) : undefined
    return name !== undefined && name.version > latestVersion
  }
  const placeOf = (key: string): string => {
    if (isHidden(key)) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key, location: store.location })
    return staged.get(key)?.key ?? key
  }
  const refuse =
    (operation: string) =>
    async (key: string): Promise<never> => {
      throw deltaError('LAKE_STORAGE_READ_ONLY', { operation, key, cause: 'its catalog commits for it' })
    }
  const ratified: ObjectStore = {
    location: store.location,
    capabilities: { ...store.capabilities, write: false },
    get: async (key, options) => await store.get(placeOf(key), options),
    getRange: async (key, range, options) => await store.getRange(placeOf(key), range, options),
    head: async (key, options) => ({ ...(await store.head(placeOf(key), options)), key }),
    list: (options) => listRatified(store, staged, isHidden, options),
    put: refuse('put'),
    putIfAbsent: refuse('put'),
    delete: refuse('delete'),
    ...(store.localPath && { localPath: (key) => store.localPath!(placeOf(key)) }),
    ...(store.elsewhere && { elsewhere: store.elsewhere.bind(store) }),
  }
  return asRatified(ratified)
}

/** Marks a store as one that shows what a catalog has ratified. */
export function asRatified(store: ObjectStore): ObjectStore {
  return Object.assign(store, { [RATIFIED]: true })
}

/** The name of a file in which a commit of a version is staged. */
export function stagedName(version: number): string {
  return `${String(version).padStart(20, '0')}.${crypto.randomUUID()}.json`
}

/**
 * Where ratified commits lie, by the key they are published under.
 *
 * @throws DeltaError `LAKE_CATALOG_COMMITS_INVALID`
 */
export function stagedMeta(commits: readonly RatifiedCommit[], latestVersion: number): ReadonlyMap<string, ObjectMeta> {
  return new Map(commits.map((commit) => [commitKey(commit.version), metaOf(commit, latestVersion)]))
}

/** Whether a store shows what a catalog has ratified. */
export function isRatifiedLog(store: ObjectStore): boolean {
  return RATIFIED in store
}

function metaOf({ version, fileName, size, modifiedMs }: RatifiedCommit, latestVersion: number): ObjectMeta {
  if (Number(STAGED_NAME.exec(fileName)?.[1]) !== version || version > latestVersion) {
    throw deltaError('LAKE_CATALOG_COMMITS_INVALID', { version, file: fileName, latest: latestVersion })
  }
  return { key: `${STAGED_COMMIT_PREFIX}${fileName}`, size, modifiedMs }
}

/** One page: the ratified part of a log is short, published files beside it are what checkpoints left. */
export async function* listRatified(
  store: ObjectStore,
  staged: ReadonlyMap<string, ObjectMeta>,
  isHidden: (key: string) => boolean,
  options: ListOptions & StoreCallOptions,
): AsyncGenerator<readonly ObjectMeta[]> {
  const { prefix, startAfter, shallow } = options
  const page: ObjectMeta[] = []
  for await (const found of store.list(options)) {
    page.push(...found.filter(({ key }) => !isHidden(key) && !staged.has(key)))
  }
  for (const [key, { size, modifiedMs }] of staged) {
    const wanted = key.startsWith(prefix) && (startAfter === undefined || compareKeys(key, startAfter) > 0)
    if (wanted && !(shallow && key.slice(prefix.length).includes('/'))) page.push({ key, size, modifiedMs })
  }
  if (page.length > 0) yield page.sort((a, b) => compareKeys(a.key, b.key))
}

function compareKeys(a: string, b: string): number {
  return compareBytes(encodeUtf8(a), encodeUtf8(b))
}
