/** Tables in memory that reach one another, under one clock that tests move: stores, a backend, methods. */
import { jsEngine } from '../../src/engine/js/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { HOUR_MS } from '../../src/support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'

export class MemoryWorld {
  nowMs = Date.parse('2026-01-01T12:00:00Z')
  readonly clock = { now: () => this.nowMs++ }
  readonly stores = new Map<string, ObjectStore>()
  readonly tables: DeltaTables

  constructor() {
    this.tables = this.open((store) => store)
  }

  /** Another process, as it were, which sees each store through a layer. */
  open(layer: (store: ObjectStore) => ObjectStore): DeltaTables {
    const openStore = async (location: string) => layer(this.store(location))
    const backend = localBackend({ openStore, engine: jsEngine(), clock: this.clock })
    return deltaTables(() => backend)
  }

  store(location: string): ObjectStore {
    const known = this.stores.get(location)
    if (known !== undefined) return known
    const made = { ...memoryStore({ location, clock: this.clock }), elsewhere: (path: string) => this.elsewhere(path) }
    this.stores.set(location, made)
    return made
  }

  private elsewhere(path: string) {
    const root = [...this.stores.keys()].find((location) => path.startsWith(`${location}/`))
    // a root that holds nothing yet is reached all the same
    const [location, key] = root === undefined ? ['/nowhere', path.slice(1)] : [root, path.slice(root.length + 1)]
    return { store: this.store(location), key }
  }

  wait(hours: number): void {
    this.nowMs += hours * HOUR_MS
  }

  /** Keys of data files. */
  async files(location: string): Promise<string[]> {
    const keys: string[] = []
    for await (const page of this.store(location).list({ prefix: '' })) keys.push(...page.map(({ key }) => key))
    return keys.filter((key) => !key.startsWith('_delta_log/'))
  }
}

/** The rows of a table as sorted JSON texts. */
export async function sortedRows(table: DeltaTable): Promise<string[]> {
  return (await table.rows()).map(textOf).sort()
}

export function textOf(row: unknown): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
