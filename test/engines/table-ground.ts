/** One table in memory at a time, written by an engine under test; what both test files of writing stand on. */
import { expect } from 'vitest'
import type { Engine, RowSource } from '../../src/engine/index.ts'
import { type DeltaError, isDeltaError } from '../../src/errors/index.ts'
import { loadSnapshot, type Snapshot } from '../../src/kernel/index.ts'
import type { Backend, WriteCommand } from '../../src/operations/index.ts'
import { field, longType, type Row, type StructField, structType } from '../../src/schema/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { collect } from '../../src/support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'

export class TableGround {
  readonly engine: Engine
  readonly clock = { now: () => this.now }
  /** milliseconds; tests move it */
  now = 0
  store: ObjectStore = memoryStore()
  location = ''
  private readonly backend: Backend
  private readonly tables: DeltaTables
  private made = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.backend = this.openBackend()
    this.tables = deltaTables(() => this.backend)
  }

  /** An empty place for the next table. */
  begin(): void {
    this.now = Date.parse('2026-01-01T12:00:00Z')
    this.location = `/t${++this.made}`
    this.store = memoryStore({ location: this.location, clock: this.clock })
  }

  /** Another process, as it were: nothing of the table is kept from before. */
  openBackend(store?: ObjectStore): Backend {
    return localBackend({ openStore: async () => store ?? this.store, engine: this.engine, clock: this.clock })
  }

  make(
    fields: readonly StructField[],
    properties: Readonly<Record<string, string>> = {},
    partitionBy: readonly string[] = [],
  ): Promise<DeltaTable> {
    const builder = this.tables.create().location(this.location).addColumns(structType(fields))
    return builder
      .properties(properties)
      .partitionedBy(...partitionBy)
      .execute()
  }

  /** Rows that an engine moves, as those of another table or of a Parquet file. */
  move(fields: readonly StructField[], rows: readonly Row[], options: Partial<WriteCommand> = {}): Promise<unknown> {
    const schema = structType(fields)
    const pages = (async function* () {
      yield rows
    })()
    const source: RowSource = { kind: 'rows', schema, rows: pages }
    const table = { location: this.location }
    return this.backend.execute({
      kind: 'write',
      table,
      source: { kind: 'rows', schema, source },
      mode: 'append',
      ...options,
    })
  }

  snapshot(): Promise<Snapshot> {
    return loadSnapshot(this.store, this.engine)
  }

  async files(): Promise<{ readonly key: string }[]> {
    const objects = (await collect(this.store.list({ prefix: '' }))).flat()
    return objects.filter(({ key }) => key.endsWith('.parquet'))
  }

  /** The error of a write, which left the table and the store as they were. */
  async refusal(work: () => Promise<unknown>): Promise<DeltaError> {
    const before = [(await this.snapshot()).version, (await this.files()).length]
    try {
      await work()
    } catch (error) {
      if (!isDeltaError(error)) throw error
      expect([(await this.snapshot()).version, (await this.files()).length]).toEqual(before)
      return error
    }
    throw new Error('the write was taken')
  }
}

/** The rows of a table as JSON texts, in their order as texts. */
export async function sorted(table: DeltaTable): Promise<string[]> {
  const text = (row: unknown) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return (await table.rows()).map(text).sort()
}

export function identity(allowExplicit: boolean, step = 10): StructField {
  return field('id', longType, true, {
    'delta.identity.start': 100,
    'delta.identity.step': step,
    'delta.identity.allowExplicitInsert': allowExplicit,
  })
}
