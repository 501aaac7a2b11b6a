/**
 * VACUUM over generated histories: every version that was current within the retention reads as before, and so does its
 * change feed; so do the tables that a vacuumed clone was made of.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDeltaError } from '../../src/errors/index.ts'
import { HOUR_MS } from '../../src/support/index.ts'
import type { DeltaTable } from '../../src/table/index.ts'
import { MemoryWorld, sortedRows, textOf } from './memory-world.ts'

const RETENTION_HOURS = 48
const PARTITIONS = ['a b', 'a%20b', 'é', '#?&', 'x=y/z', '2024-01-01 00:00:00', '%', 'ﬀ𝔘', null]

type Step =
  | { readonly do: 'append'; readonly p: number; readonly rows: number }
  | { readonly do: 'delete' | 'update'; readonly every: number }
  | { readonly do: 'overwrite'; readonly p: number }
  | { readonly do: 'restore'; readonly back: number }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'stray'; readonly key: string }
  | { readonly do: 'vectors'; readonly on: boolean }
  | { readonly do: 'checkpoint' | 'crossing append' }
  | { readonly do: 'clone'; readonly shallow: boolean; readonly back: number }
  | { readonly do: 'vacuum'; readonly lite: boolean }

const steps: fc.Arbitrary<readonly (Step & { readonly on_: number })[]> = fc.array(
  fc
    .tuple(
      fc.oneof(
        fc.record({
          do: fc.constant('append' as const),
          p: fc.nat(PARTITIONS.length - 1),
          rows: fc.integer({ min: 1, max: 3 }),
        }),
        fc.record({ do: fc.constantFrom('delete' as const, 'update' as const), every: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ do: fc.constant('overwrite' as const), p: fc.nat(PARTITIONS.length - 1) }),
        fc.record({ do: fc.constant('restore' as const), back: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 20, 47, 60) }),
        fc.record({
          do: fc.constant('stray' as const),
          key: fc.constantFrom('stray', '_change_data/cdc-x', 'p=a b/part-1'),
        }),
        fc.record({ do: fc.constant('vectors' as const), on: fc.boolean() }),
        fc.record({ do: fc.constantFrom('checkpoint' as const, 'crossing append' as const) }),
        fc.record({ do: fc.constant('clone' as const), shallow: fc.boolean(), back: fc.nat(2) }),
        fc.record({ do: fc.constant('vacuum' as const), lite: fc.boolean() }),
        fc.record({ do: fc.constant('vacuum' as const), lite: fc.boolean() }),
      ),
      fc.nat(2),
    )
    .map(([step, on_]) => ({ ...step, on_ })),
  { minLength: 6, maxLength: 22 },
)

interface Remembered {
  readonly rows: readonly string[]
  readonly changes: readonly string[] | undefined
  readonly committedMs: number
}

/** A table and what each of its versions held when it was made. */
class Witness {
  readonly location: string
  readonly table: DeltaTable
  readonly source: Witness | undefined
  private readonly world: MemoryWorld
  private readonly versions = new Map<number, Remembered>()

  constructor(world: MemoryWorld, location: string, table: DeltaTable, source?: Witness) {
    this.world = world
    this.location = location
    this.table = table
    this.source = source
  }

  get newest(): number {
    return Math.max(...this.versions.keys())
  }

  async remember(): Promise<void> {
    const newest = await this.table.version()
    for (let version = this.versions.size === 0 ? newest : this.newest + 1; version <= newest; version++) {
      const rows = await sortedRows(this.table.versionAsOf(version))
      const changes = await this.changes(version)
      this.versions.set(version, { rows, changes, committedMs: this.world.nowMs })
    }
  }

  private async changes(version: number): Promise<string[] | undefined> {
    try {
      const rows = await this.table.changes({ from: version, to: version, select: ['id', 'p', '_change_type'] }).rows()
      return rows.map(textOf).sort()
    } catch (error) {
      if (isDeltaError(error, 'DELTA_MISSING_CHANGE_DATA')) return undefined
      throw error
    }
  }

  /** Reads again all that was current within the retention. */
  async check(): Promise<void> {
    const cutoffMs = this.world.nowMs - RETENTION_HOURS * HOUR_MS
    const entries = [...this.versions].sort(([a], [b]) => a - b)
    for (const [i, [version, known]] of entries.entries()) {
      const endedMs = entries[i + 1]?.[1].committedMs ?? Number.POSITIVE_INFINITY
      const at = `${this.location} version ${version}`
      if (endedMs >= cutoffMs) expect(await sortedRows(this.table.versionAsOf(version)), at).toEqual(known.rows)
      if (known.committedMs >= cutoffMs && known.changes !== undefined) {
        expect(await this.changes(version), `changes of ${at}`).toEqual(known.changes)
      }
    }
  }
}

class History {
  readonly world = new MemoryWorld()
  readonly witnesses: Witness[] = []
  private nextId = 0

  async begin(): Promise<void> {
    const table = await this.world.tables
      .create()
      .location('/lake/t 0')
      .addColumns('id BIGINT, p STRING')
      .partitionedBy('p')
      .properties({
        'delta.enableChangeDataFeed': 'true',
        'delta.enableDeletionVectors': 'true',
        'delta.deletedFileRetentionDuration': `${RETENTION_HOURS} hours`,
        'delta.checkpointInterval': '4',
      })
      .execute()
    this.witnesses.push(new Witness(this.world, '/lake/t 0', table))
    await this.witnesses[0]!.remember()
  }

  async take(step: Step & { readonly on_: number }): Promise<void> {
    const witness = this.witnesses[step.on_ % this.witnesses.length]!
    await this.act(step, witness)
    await witness.remember()
  }

  private rows(p: number, count: number) {
    return Array.from({ length: count }, () => ({ id: this.nextId++, p: PARTITIONS[p]! }))
  }

  private async act(step: Step, witness: Witness): Promise<unknown> {
    const { table } = witness
    switch (step.do) {
      case 'append':
        return await table.append(this.rows(step.p, step.rows))
      case 'delete':
        return await table.delete(`id % 4 = ${step.every % 4}`)
      case 'update':
        return await table.update({ where: `id % 4 = ${step.every % 4}`, set: { id: 'id + 100' } })
      case 'overwrite':
        return await table.overwrite(this.rows(step.p, 2))
      case 'restore':
        return await this.restore(witness, step.back)
      case 'wait':
        return this.world.wait(step.hours)
      case 'stray':
        return await this.world.store(witness.location).put(step.key, new Uint8Array(3))
      case 'vectors':
        return await table.setProperties({ 'delta.enableDeletionVectors': String(step.on) })
      case 'checkpoint':
        return await table.checkpoint()
      case 'crossing append':
        return await this.crossingAppend(witness)
      case 'clone':
        return await this.clone(witness, step)
      case 'vacuum':
        return await this.vacuum(witness, step.lite)
    }
  }

  /** A version whose files are gone is refused, and the table is as it was. */
  private async restore({ table, newest }: Witness, back: number): Promise<void> {
    if (newest === 0) return
    try {
      await table.restoreToVersion(Math.max(0, newest - back))
    } catch (error) {
      if (!isDeltaError(error, 'LAKE_RESTORE_MISSING_FILES', 'DELTA_CANNOT_RESTORE_TABLE_VERSION')) throw error
    }
  }

  /** VACUUM runs while a writer has files in the store that no commit names yet. */
  private async crossingAppend({ table, location }: Witness): Promise<void> {
    const first = this.rows(0, 1)
    const others = this.world.open((store) => store)
    const last = this.rows(1, 1)
    async function* pages() {
      yield first
      await (await others.forPath(location)).vacuum()
      yield last
    }
    await table.append(pages(), { maxRecordsPerFile: 1 } as never)
  }

  private async clone(source: Witness, { shallow, back }: Extract<Step, { do: 'clone' }>): Promise<void> {
    if (this.witnesses.length === 3) return
    const location = `/lake/t ${this.witnesses.length}`
    try {
      await source.table.cloneAtVersion(Math.max(0, source.newest - back), location, { shallow })
    } catch (error) {
      // files of an old version may be gone: a deep clone finds out
      if (!isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) throw error
      return
    }
    const witness = new Witness(this.world, location, await this.world.tables.forPath(location), source)
    try {
      await witness.remember()
      this.witnesses.push(witness)
    } catch (error) {
      // a shallow clone of a version whose files are gone: nobody promised it
      if (!isDeltaError(error, 'FAILED_READ_FILE.FILE_NOT_EXIST')) throw error
    }
  }

  private async vacuum(witness: Witness, lite: boolean): Promise<void> {
    // a shallow clone lives by the files of its source: only tables that no clone lives by are vacuumed here
    if (this.witnesses.some(({ source }) => source === witness)) return
    await witness.table.vacuum({ type: lite ? 'lite' : 'full' })
    for (const other of this.witnesses) await other.check()
  }
}

/** A machine that is busy tries fewer histories. */
const LIMIT = process.env.BAYOU_PROPERTY_RUNS === undefined ? { interruptAfterTimeLimit: 10_000 } : {}

test(
  'every version within the retention reads as before',
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const run = new History()
        await run.begin()
        for (const step of history) await run.take(step)
        const last = run.witnesses.at(-1)!
        await run.take({ do: 'vacuum', lite: false, on_: run.witnesses.length - 1 })
        await last.check()
      }),
      {
        numRuns: Number(process.env.BAYOU_PROPERTY_RUNS ?? 20),
        endOnFailure: process.env.BAYOU_SHRINK === undefined,
        ...LIMIT,
      },
    )
  },
  Number(process.env.BAYOU_PROPERTY_RUNS ?? 0) * 10_000 + 60_000,
)
