/**
 * The log of a table that a catalog manages, open for commits.
 *
 * A commit is staged in a file of its own, proposed to the catalog, and published under its version once the catalog has
 * ratified it. All of that lies behind the store: whoever creates a commit in it and reads it back commits through the
 * catalog, lost answers and lost races included. Source: Delta protocol, "Catalog-managed tables".
 */
import { deltaError } from '../../errors/index.ts'
import type { ObjectMeta, ObjectStore, StoreCallOptions } from '../../storage/index.ts'
import { parseCommitText } from '../actions/commit-text.ts'
import { supportsFeature } from '../features/index.ts'
import { commitKey, LOG_PREFIX, parseLogName, STAGED_COMMIT_PREFIX } from '../paths/index.ts'
import {
  asRatified,
  type CatalogCommits,
  listRatified,
  type RatifiedCommit,
  stagedMeta,
  stagedName,
} from './ratified-log.ts'

/** The port to a catalog that commits for a table. */
export interface CommitCatalog {
  /** What it has ratified, commits that may be unpublished among it. */
  commits(options?: StoreCallOptions): Promise<CatalogCommits>

  /**
   * Makes a staged commit the table's next version.
   *
   * Atomic: of any number of proposals for one version, exactly one file is ratified. Proposing the ratified file again is
   * 'ratified' again. A rejected call may have had its effect: `commits` tells.
   *
   * @returns 'taken' when another commit has the version, or a lower one has none
   */
  ratify(commit: RatifiedCommit, options?: StoreCallOptions): Promise<'ratified' | 'taken'>

  /**
   * The same for a commit that takes the table out of the catalog's care: it is the last one that the catalog ratifies,
   * every later proposal is 'taken'. Absent where the catalog lets go of no table.
   */
  release?(commit: RatifiedCommit, options?: StoreCallOptions): Promise<'ratified' | 'taken'>

  /** Hears that the versions up to this one lie published, so that it may forget their commits. */
  published(version: number): Promise<void>
}

const MANAGED = Symbol.for('bayou.managedLog')

interface ManagedStore extends ObjectStore {
  readonly [MANAGED]: ManagedLog
}

/**
 * The store of a managed table: its log as the catalog has it, and commits through the catalog.
 *
 * The catalog is asked whenever the log is listed or a newer commit is read. Publishing that fails fails no commit; the
 * next commit makes up for it.
 *
 * @throws DeltaError, from its methods, `LAKE_CATALOG_COMMITS_INVALID` and what the catalog throws
 */
export function managedLog(store: ObjectStore, catalog: CommitCatalog): ObjectStore {
  const log = new ManagedLog(store, catalog)
  const managed: ObjectStore = {
    location: store.location,
    capabilities: store.capabilities,
    get: async (key, options) => await store.get(await log.place(key, options), options),
    getRange: async (key, range, options) => await store.getRange(await log.place(key, options), range, options),
    head: async (key, options) => ({ ...(await store.head(await log.place(key, options), options)), key }),
    list: (options) => log.list(options),
    put: (key, bytes, options) => store.put(key, bytes, options),
    putIfAbsent: async (key, bytes, options) => {
      const version = commitVersion(key)
      return version === undefined
        ? await store.putIfAbsent(key, bytes, options)
        : await log.commit(version, bytes, options)
    },
    delete: (key, options) => store.delete(key, options),
    ...(store.localPath && { localPath: (key) => store.localPath!(log.placeNow(key)) }),
    ...(store.elsewhere && { elsewhere: store.elsewhere.bind(store) }),
  }
  return Object.assign(asRatified(managed), { [MANAGED]: log })
}

/** Whether commits to a store go through a catalog. */
export function isManagedLog(store: ObjectStore): boolean {
  return MANAGED in store
}

/** Whether the catalog that commits for a store would let go of the table. */
export function mayRelease(store: ObjectStore): boolean {
  return isManagedLog(store) && (store as ManagedStore)[MANAGED].mayRelease
}

/** The newest version of a managed log that lies published, as far as this process knows; undefined for any other log. */
export function publishedVersion(store: ObjectStore): number | undefined {
  return isManagedLog(store) ? (store as ManagedStore)[MANAGED].published : undefined
}

function commitVersion(key: string): number | undefined {
  const name = key.startsWith(LOG_PREFIX) ? parseLogName(key.slice(LOG_PREFIX.length)) : undefined
  return name?.kind === 'commit' ? name.version : undefined
}

class ManagedLog {
  /** the newest version known to be published */
  published = -1
  private readonly store: ObjectStore
  private readonly catalog: CommitCatalog
  private latest = -1
  /** unpublished commits by the key they are published under */
  private staged: ReadonlyMap<string, ObjectMeta> = new Map()

  constructor(store: ObjectStore, catalog: CommitCatalog) {
    this.store = store
    this.catalog = catalog
  }

  get mayRelease(): boolean {
    return this.catalog.release !== undefined
  }

  async *list(options: Parameters<ObjectStore['list']>[0]): AsyncGenerator<readonly ObjectMeta[]> {
    await this.refresh(options)
    yield* listRatified(this.store, this.staged, (key) => this.isHidden(key), options)
  }

  /** Where an object of the log lies; what the catalog has not ratified lies nowhere. */
  async place(key: string, options: StoreCallOptions | undefined): Promise<string> {
    const version = commitVersion(key)
    if (version !== undefined && version > this.latest) await this.refresh(options)
    if (this.isHidden(key)) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key, location: this.store.location })
    return this.placeNow(key)
  }

  placeNow(key: string): string {
    return this.staged.get(key)?.key ?? key
  }

  async commit(
    version: number,
    bytes: Uint8Array,
    options: StoreCallOptions | undefined,
  ): Promise<'created' | 'exists'> {
    const fileName = stagedName(version)
    const key = `${STAGED_COMMIT_PREFIX}${fileName}`
    await this.store.put(key, bytes, options)
    const { size, modifiedMs } = await this.store.head(key, options)
    const answer = await this.propose({ version, fileName, size, modifiedMs }, bytes, options)
    if (answer === 'taken') {
      await this.store.delete(key).catch(() => undefined)
      await this.requireLoss(version, options)
      return 'exists'
    }
    await this.publish(options).catch(() => undefined)
    return 'created'
  }

  /** Nobody else has the next version where the catalog has let go of the table. */
  private async requireLoss(version: number, options: StoreCallOptions | undefined): Promise<void> {
    await this.refresh(options)
    if (version !== this.latest + 1) return
    const cause = 'its catalog no longer commits for it; open the table by its path'
    throw deltaError('LAKE_STORAGE_READ_ONLY', { operation: 'commit', key: commitKey(version), cause })
  }

  /** A commit behind which the protocol no longer lists the feature ends the catalog's care, or is not proposed at all. */
  private async propose(commit: RatifiedCommit, bytes: Uint8Array, options: StoreCallOptions | undefined) {
    if (!endsManagement(bytes)) return await this.catalog.ratify(commit, options)
    if (this.catalog.release === undefined) {
      throw deltaError('DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', {
        feature: 'catalogManaged',
        reason: 'the catalog of the table does not let go of it',
      })
    }
    return await this.catalog.release(commit, options)
  }

  private isHidden(key: string): boolean {
    const name = key.startsWith(LOG_PREFIX) ? parseLogName(key.slice(LOG_PREFIX.length)) : undefined
    return name !== undefined && name.version > this.latest
  }

  private async refresh(options: StoreCallOptions = {}): Promise<void> {
    const { signal } = options
    const { latestVersion, commits } = await this.catalog.commits(signal === undefined ? {} : { signal })
    this.staged = stagedMeta(commits, latestVersion)
    this.latest = latestVersion
    const lowest = Math.min(...commits.map(({ version }) => version))
    this.published = commits.length === 0 ? latestVersion : lowest - 1
  }

  /** In the order of their versions; one that lies there was published by somebody else. */
  private async publish(options: StoreCallOptions | undefined): Promise<void> {
    await this.refresh(options)
    for (const [key, meta] of [...this.staged].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const bytes = await this.store.get(meta.key, options)
      await this.store.putIfAbsent(key, bytes, options)
      this.published = commitVersion(key)!
      await this.catalog.published(this.published)
    }
  }
}

function endsManagement(bytes: Uint8Array): boolean {
  const protocols = parseCommitText(bytes).flatMap((action) => ('protocol' in action ? [action.protocol] : []))
  return protocols.some((protocol) => !supportsFeature(protocol, 'catalogManaged'))
}

/** A catalog of one table in memory, for tests and simulations. */
export class MemoryCommitCatalog implements CommitCatalog {
  private latest: number
  private hasReleased = false
  private readonly unpublished = new Map<number, RatifiedCommit>()

  /** @param latestVersion of the log that is put into its care, all of it published */
  constructor(latestVersion: number) {
    this.latest = latestVersion
  }

  async commits(): Promise<CatalogCommits> {
    return { latestVersion: this.latest, commits: [...this.unpublished.values()] }
  }

  async ratify(commit: RatifiedCommit): Promise<'ratified' | 'taken'> {
    if (this.unpublished.get(commit.version)?.fileName === commit.fileName) return 'ratified'
    if (this.hasReleased || commit.version !== this.latest + 1) return 'taken'
    this.unpublished.set(commit.version, commit)
    this.latest = commit.version
    return 'ratified'
  }

  async release(commit: RatifiedCommit): Promise<'ratified' | 'taken'> {
    const answer = await this.ratify(commit)
    if (answer === 'ratified') this.hasReleased = true
    return answer
  }

  async published(version: number): Promise<void> {
    for (const known of [...this.unpublished.keys()]) if (known <= version) this.unpublished.delete(known)
  }
}
