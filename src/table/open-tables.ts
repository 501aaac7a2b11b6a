/** Tables that are open, by address: the store of each and its snapshots, for all who work on it in this process. */
import type { LogEngine } from '../kernel/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { SnapshotCache } from './snapshot-cache.ts'

export interface OpenTable {
  readonly store: ObjectStore
  readonly snapshots: SnapshotCache
}

export interface OpenTablesOptions {
  /** the store of a table's address; called once an address */
  readonly openStore: (location: string) => Promise<ObjectStore>
  readonly engine: LogEngine
}

export class OpenTables {
  private readonly options: OpenTablesOptions
  private readonly tables = new Map<string, Promise<OpenTable>>()

  constructor(options: OpenTablesOptions) {
    this.options = options
  }

  /** An address that cannot be opened is tried again by the next call. */
  open(location: string): Promise<OpenTable> {
    const known = this.tables.get(location)
    if (known !== undefined) return known
    const { openStore, engine } = this.options
    const opening = openStore(location).then((store) => ({ store, snapshots: new SnapshotCache(store, engine) }))
    this.tables.set(location, opening)
    opening.catch(() => this.tables.delete(location))
    return opening
  }

  /** Closes the snapshots; what is asked for afterwards is opened anew. */
  async close(): Promise<void> {
    const tables = await Promise.allSettled(this.tables.values())
    this.tables.clear()
    for (const table of tables) if (table.status === 'fulfilled') await table.value.snapshots.close()
  }
}
