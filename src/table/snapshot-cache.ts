/**
 * Snapshots of one table, kept between calls so that a table read before costs only its new commits.
 *
 * A snapshot handed out is leased: one that has been replaced is closed when its last lease ends.
 */
import { isDeltaError } from '../errors/index.ts'
import {
  commitKey,
  isDeltaTable,
  KnownCommits,
  type LoadOptions,
  type LogEngine,
  loadSnapshot,
  type Snapshot,
} from '../kernel/index.ts'
import type { ReadPoint, SnapshotLease } from '../operations/index.ts'
import type { ObjectStore } from '../storage/index.ts'

interface Lease {
  readonly snapshot: Snapshot
  users: number
  replaced: boolean
}

export class SnapshotCache {
  private readonly store: ObjectStore
  private readonly log: LogEngine
  private newest: Lease | undefined
  private readonly known = new KnownCommits()
  /** the refresh under way; calls that come meanwhile wait and then look again */
  private refreshing: Promise<unknown> = Promise.resolve()

  constructor(store: ObjectStore, log: LogEngine) {
    this.store = store
    this.log = log
  }

  async withSnapshot<T>(
    at: ReadPoint | undefined,
    work: (snapshot: Snapshot) => Promise<T>,
    options: LoadOptions,
  ): Promise<T> {
    const { snapshot, release } = await this.lease(at, options)
    try {
      return await work(snapshot)
    } finally {
      await release()
    }
  }

  /** A snapshot that stays open until it is released; releasing it again does nothing. */
  async lease(at: ReadPoint | undefined, options: LoadOptions): Promise<SnapshotLease> {
    const lease = at === undefined ? await this.leaseNewest(options) : await this.leaseAt(at, options)
    let released = false
    return {
      snapshot: lease.snapshot,
      release: async () => {
        if (!released) lease.users--
        released = true
        await closeUnused(lease)
      },
    }
  }

  /**
   * Whether a log lies in the store. For a table that was read before, its newest commit is looked for, so that nothing
   * is put behind a log that somebody deleted meanwhile. A store that cannot list is asked for one name after the other,
   * as opening the table does: there the table is opened, and the calls that follow find it open.
   */
  async exists(options: LoadOptions): Promise<boolean> {
    const known = this.newest
    if (known !== undefined && (await this.isThere(commitKey(known.snapshot.version), options))) return true
    const exists =
      (!this.store.capabilities.list && (await this.opens(options))) || (await isDeltaTable(this.store, options))
    if (!exists) await this.close()
    return exists
  }

  /** @returns false where it does not, for whatever reason: a log may lie there that cannot be read */
  private async opens(options: LoadOptions): Promise<boolean> {
    return await this.withSnapshot(undefined, async () => true, options).catch((error: unknown) => {
      if (isDeltaError(error) && error.code !== 'LAKE_CANCELLED') return false
      throw error
    })
  }

  private async isThere(key: string, { signal }: LoadOptions): Promise<boolean> {
    try {
      await this.store.head(key, signal ? { signal } : {})
      return true
    } catch (error) {
      if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return false
      throw error
    }
  }

  /** Keeps the texts of commits that the next refresh takes in. */
  remember(commits: KnownCommits): void {
    this.known.addAll(commits)
  }

  async close(): Promise<void> {
    if (this.newest === undefined) return
    this.newest.replaced = true
    await closeUnused(this.newest)
    this.newest = undefined
  }

  private async leaseNewest(options: LoadOptions): Promise<Lease> {
    const turn = this.refreshing.then(() => this.refresh(options))
    this.refreshing = turn.catch(() => undefined)
    return await turn
  }

  private async refresh(options: LoadOptions): Promise<Lease> {
    const old = this.newest
    const snapshot =
      old === undefined
        ? await loadSnapshot(this.store, this.log, options)
        : await old.snapshot.refresh({ ...options, known: this.known })
    this.known.forgetTo(snapshot.version)
    if (old?.snapshot === snapshot) {
      old.users++
      return old
    }
    this.newest = { snapshot, users: 1, replaced: false }
    if (old !== undefined) {
      old.replaced = true
      await closeUnused(old)
    }
    return this.newest
  }

  /** A pinned version is loaded for the call, unless it is the one that is open. */
  private async leaseAt(at: ReadPoint, options: LoadOptions): Promise<Lease> {
    const open = this.newest
    if (open !== undefined && 'version' in at && open.snapshot.version === at.version) {
      open.users++
      return open
    }
    return { snapshot: await loadSnapshot(this.store, this.log, { ...options, ...at }), users: 1, replaced: true }
  }
}

async function closeUnused(lease: Lease): Promise<void> {
  if (lease.replaced && lease.users === 0) await lease.snapshot.close()
}
