/** Commits one after the other, as they come; a look at the log lists only what is new. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import {
  type LoadedCommit,
  type LogFile,
  listLog,
  loadCommits,
  newestVersion,
  probeLog,
  type WarningList,
} from '../log/index.ts'

export interface CommitQueueOptions {
  readonly warnings: WarningList
  readonly signal?: AbortSignal
}

export class CommitQueue {
  private readonly store: ObjectStore
  private readonly options: CommitQueueOptions
  private listed: readonly LogFile[] = []

  constructor(store: ObjectStore, options: CommitQueueOptions) {
    this.store = store
    this.options = options
  }

  /**
   * @returns undefined where the version is not committed yet
   * @throws DeltaError `DELTA_VERSIONS_NOT_CONTIGUOUS` when the log has lost it
   */
  async load(version: number): Promise<LoadedCommit | undefined> {
    this.listed = this.listed.filter((file) => file.version >= version)
    if (this.listed[0]?.version !== version) await this.list(version)
    const [file] = this.listed
    if (file === undefined) return undefined
    const [commit] = await loadCommits(this.store, [file], this.options)
    return commit
  }

  private async list(version: number): Promise<void> {
    const { store } = this
    const { signal } = this.options
    const since = { from: version, ...(signal && { signal }) }
    const listing = store.capabilities.list ? await listLog(store, since) : await probeLog(store, since)
    const newest = newestVersion(listing)
    this.listed = listing.commits
    if (newest === undefined || listing.commits[0]?.version === version) return
    throw deltaError('DELTA_VERSIONS_NOT_CONTIGUOUS', {
      path: store.location,
      missing: version,
      from: version,
      to: newest,
      readable: 'what it held cannot be followed any more, start anew without an offset',
    })
  }
}
