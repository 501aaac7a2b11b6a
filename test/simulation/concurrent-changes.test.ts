/**
 * Writers whose calls to the store come in any order: what they leave is what their changes give one after the other, in
 * the order of their versions.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'
import { type AxisRow, buildTable, featureAxis, layoutAxis, logAxis, type TableAxes } from '../support/table-axes.ts'

const RUNS = Number(process.env.BAYOU_SIMULATIONS ?? 25)

type Step =
  | { readonly kind: 'append'; readonly count: number; readonly p: string }
  | { readonly kind: 'delete' | 'update'; readonly below: number; readonly p: string; readonly rowLevel: boolean }
  | { readonly kind: 'merge'; readonly met: number; readonly p: string; readonly rowLevel: boolean }
  | { readonly kind: 'overwrite'; readonly p: string }
  | { readonly kind: 'checkpoint' | 'property' | 'optimize' | 'compactLog' }

const p = fc.constantFrom('a', 'b')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 3 }), p }),
  fc.record({
    kind: fc.constantFrom('delete' as const, 'update' as const),
    below: fc.integer({ min: 0, max: 8 }),
    p,
    rowLevel: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('merge' as const), met: fc.integer({ min: 0, max: 9 }), p, rowLevel: fc.boolean() }),
  fc.record({ kind: fc.constant('overwrite' as const), p }),
  fc.record({
    kind: fc.constantFrom('checkpoint' as const, 'property' as const, 'optimize' as const, 'compactLog' as const),
  }),
)
const axes: fc.Arbitrary<TableAxes> = fc.record({
  features: fc.constantFrom(...(Object.keys(featureAxis) as (keyof typeof featureAxis)[])),
  layout: fc.constantFrom(...(Object.keys(layoutAxis) as (keyof typeof layoutAxis)[])),
  log: fc.constantFrom(...(Object.keys(logAxis) as (keyof typeof logAxis)[])),
  checkpointInterval: fc.constantFrom(2, 100),
})

function open(store: ObjectStore): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}

/** The rows an append of a writer's step makes; ids of different steps differ. */
function rowsOf(writer: number, at: number, { count, p }: { count: number; p: string }): AxisRow[] {
  return Array.from({ length: count }, (_, i) => ({ id: BigInt(100 * (writer + 1) + 10 * at + i), v: 0n, p }))
}

interface Landed {
  readonly version: number
  /** what the change does to the rows of the version before */
  readonly change: (rows: readonly AxisRow[]) => readonly AxisRow[]
}

/** One change; what lost against another writer is run again, as a caller would. */
async function run(table: DeltaTable, one: Step, writer: number, at: number): Promise<Landed | undefined> {
  for (;;) {
    try {
      return await attempt(table, one, writer, at)
    } catch (error) {
      if (!isDeltaError(error) || !error.retryable) throw error
    }
  }
}

async function attempt(table: DeltaTable, one: Step, writer: number, at: number): Promise<Landed | undefined> {
  switch (one.kind) {
    case 'append': {
      const added = rowsOf(writer, at, one)
      const { version } = await table.append(added)
      return { version: version!, change: (rows) => [...rows, ...added] }
    }
    case 'overwrite': {
      const added = rowsOf(writer, at, { count: 1, p: one.p })
      const { version } = await table.overwrite(added)
      return { version: version!, change: () => added }
    }
    case 'delete': {
      const options = { rowLevelConcurrency: one.rowLevel }
      const { version } = await table.delete(`p = '${one.p}' AND id % 10 < ${one.below}`, options)
      if (version === null) return undefined
      return { version, change: (rows) => rows.filter((row) => !isHit(row, one)) }
    }
    case 'update': {
      const change = { where: `p = '${one.p}' AND id % 10 < ${one.below}`, set: { v: 'v + 1' } }
      const { version } = await table.update(change, { rowLevelConcurrency: one.rowLevel })
      if (version === null) return undefined
      return { version, change: (rows) => rows.map((row) => (isHit(row, one) ? { ...row, v: row.v + 1n } : row)) }
    }
    case 'merge': {
      const [known, added] = [{ id: BigInt(one.met), v: 50n, p: one.p }, ...rowsOf(writer, at, { count: 1, p: one.p })]
      const options = { sourceAlias: 's', rowLevelConcurrency: one.rowLevel }
      const merge = table.as('t').merge([known!, added!], 't.id = s.id', options)
      const { version } = await merge
        .whenMatchedUpdate({ set: { v: 's.v' } })
        .whenNotMatchedInsertAll()
        .execute()
      return { version: version!, change: (rows) => merged(rows, [known!, added!]) }
    }
    case 'optimize': {
      const { versions } = await table.optimize().executeCompaction()
      return versions.length === 0 ? undefined : { version: versions[0]!, change: (rows) => rows }
    }
    case 'compactLog':
      await table.compactLog()
      return undefined
    case 'checkpoint':
      await table.checkpoint()
      return undefined
    case 'property': {
      const { version } = await table.setProperties({ [`writer${writer}`]: String(at) })
      return version === null ? undefined : { version, change: (rows) => rows }
    }
  }
}

function merged(rows: readonly AxisRow[], source: readonly AxisRow[]): readonly AxisRow[] {
  const of = (id: bigint) => source.find((row) => row.id === id)
  const met = rows.map((row) => ({ ...row, v: of(row.id)?.v ?? row.v }))
  return [...met, ...source.filter(({ id }) => !rows.some((row) => row.id === id))]
}

function isHit({ id, p }: AxisRow, step: { readonly below: number; readonly p: string }): boolean {
  return p === step.p && id % 10n < BigInt(step.below)
}

const texts = (rows: readonly AxisRow[]) => rows.map(({ id, v, p }) => `${id} ${v} ${p}`).sort()

test('changes of writers at once come to their changes one after the other', { timeout: 300_000 }, async () => {
  const scenario = fc.record({
    axes,
    writers: fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  })
  const property = fc.asyncProperty(fc.scheduler(), scenario, async (s, { axes, writers }) => {
    const store = memoryStore()
    const first = [0, 3, 7].map((id): AxisRow => ({ id: BigInt(id), v: 0n, p: id < 5 ? 'a' : 'b' }))
    const second = [1, 8].map((id): AxisRow => ({ id: BigInt(id), v: 0n, p: 'a' }))
    const begun = await (await buildTable(open(store), '/t', axes, [first, second])).version()
    const slow: ObjectStore = {
      ...store,
      get: s.scheduleFunction((...args: Parameters<ObjectStore['get']>) => store.get(...args)),
      putIfAbsent: s.scheduleFunction((...args: Parameters<ObjectStore['putIfAbsent']>) => store.putIfAbsent(...args)),
    }
    const work = writers.map(async (steps, writer) => {
      const table = await open(slow).forPath('/t')
      const landed: (Landed | undefined)[] = []
      for (const [at, one] of steps.entries()) landed.push(await run(table, one, writer, at))
      return landed
    })
    const landed = (await s.waitFor(Promise.all(work))).flat().filter((one) => one !== undefined)
    landed.sort((a, b) => a.version - b.version)
    expect(landed.map(({ version }) => version)).toEqual(landed.map((_, i) => begun + 1 + i))
    let model: readonly AxisRow[] = [...first, ...second]
    for (const { version, change } of landed) {
      model = change(model)
      const table = await open(store).forPath('/t')
      const rows = (await table.versionAsOf(version).rows()) as unknown as AxisRow[]
      expect(texts(rows), `version ${version}`).toEqual(texts(model))
    }
    expect(texts((await (await open(store).forPath('/t')).rows()) as unknown as AxisRow[])).toEqual(texts(model))
  })
  await fc.assert(property, { numRuns: RUNS })
})
