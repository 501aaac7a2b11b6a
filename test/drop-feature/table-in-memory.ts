/** A table in memory whose clock a test turns, spoken to by statements and by methods. */
import type { Engine } from '../../src/engine/index.ts'
import { type DeltaError, isDeltaError } from '../../src/errors/index.ts'
import { readCommit } from '../../src/kernel/index.ts'
import { SqlSession } from '../../src/sql/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { collect, HOUR_MS, MINUTE_MS } from '../../src/support/index.ts'
import { DeltaTable, localBackend } from '../../src/table/index.ts'

export const LOCATION = '/t'
const TABLE = `delta.\`${LOCATION}\``

export class TableInMemory {
  readonly engine: Engine
  readonly store: ObjectStore
  readonly clock = { now: () => this.nowMs }
  nowMs: number
  private readonly session: SqlSession

  constructor(engine: Engine, { store, nowMs }: { store?: ObjectStore; nowMs?: number } = {}) {
    this.engine = engine
    this.nowMs = nowMs ?? Date.parse('2026-01-01T12:00:30Z')
    this.store = store ?? memoryStore({ location: LOCATION, clock: this.clock })
    this.session = this.openSession()
  }

  private openSession(): SqlSession {
    const openStore = async (location: string) => (location === LOCATION ? this.store : memoryStore({ location }))
    const { engine, clock } = this
    const backend = localBackend({ engine, clock, openStore })
    return new SqlSession({ engine, backend, openStore, clock, tables: new Map() })
  }

  /** Another process, as it were, over the same or another store and by the same clock. */
  table(store: ObjectStore = this.store): DeltaTable {
    const backend = localBackend({ engine: this.engine, clock: this.clock, openStore: async () => store })
    return new DeltaTable(backend, { location: LOCATION })
  }

  /** Statements, one minute apart; `$T` is the table, `$W` a folder with nothing in it. */
  async run(...statements: string[]): Promise<void> {
    for (const sql of statements) {
      this.nowMs += MINUTE_MS
      await this.session.run(sql.replaceAll('$T', TABLE).replaceAll('$W', '/elsewhere'))
    }
  }

  /** @returns what a statement is refused with */
  async refusal(sql: string): Promise<DeltaError> {
    try {
      await this.run(sql)
    } catch (error) {
      if (isDeltaError(error)) return error
      throw error
    }
    throw new Error(`${sql} was not refused`)
  }

  wait(hours: number): void {
    this.nowMs += hours * HOUR_MS
  }

  /** in the order of their texts */
  async rows(version?: number): Promise<string[]> {
    const table = version === undefined ? this.table() : this.table().versionAsOf(version)
    const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
    return (await table.rows()).map((row) => JSON.stringify(Object.values(row), text)).sort()
  }

  /** `(3,7) appendOnly, deletionVectors` */
  async protocol(): Promise<string> {
    const { protocol } = await this.table().describe()
    const { minReaderVersion, minWriterVersion, readerFeatures, writerFeatures } = protocol
    const reader = readerFeatures === undefined ? '' : ` read by ${[...readerFeatures].sort().join(', ')};`
    const writer = writerFeatures === undefined ? '' : ` ${[...writerFeatures].sort().join(', ')}`
    return `(${minReaderVersion},${minWriterVersion})${reader}${writer}`
  }

  async property(key: string): Promise<string | undefined> {
    return (await this.table().describe()).configuration.get(key)
  }

  /** What each commit from a version on was, oldest first. */
  async operations(from = 0): Promise<string[]> {
    const versions = await this.versions()
    const wanted = versions.filter((version) => version >= from)
    const told = wanted.map(async (version) => {
      const { actions } = await readCommit(this.store, version)
      return actions.flatMap((action) => ('commitInfo' in action ? [String(action.commitInfo.operation)] : []))
    })
    return (await Promise.all(told)).flat()
  }

  /** Of the commits that are there. */
  async versions(): Promise<number[]> {
    return (await this.logNames()).flatMap((name) => (/^\d{20}\.json$/.test(name) ? [Number(name.slice(0, 20))] : []))
  }

  /** Of the checkpoints that are there. */
  async checkpoints(): Promise<number[]> {
    const names = (await this.logNames()).filter((name) => name.includes('.checkpoint.'))
    return [...new Set(names.map((name) => Number(name.slice(0, 20))))]
  }

  async logNames(): Promise<string[]> {
    const objects = (await collect(this.store.list({ prefix: '_delta_log/' }))).flat()
    return objects.map(({ key }) => key.slice('_delta_log/'.length))
  }
}
