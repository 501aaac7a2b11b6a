/** A change of a table whose Nth call to the store fails: the table is exactly as before or exactly as after. */
import { describe, expect, test } from 'vitest'
import { jsEngine } from '../../engine/js/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import { printSchema } from '../../schema/index.ts'
import { type FaultPlan, faulty, memoryStore, type ObjectStore } from '../../storage/index.ts'
import { collect } from '../../support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../table/index.ts'

const MAX_CALLS = 60

function open(store: ObjectStore): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}

const scenarios: readonly [name: string, work: (table: DeltaTable, tables: DeltaTables) => Promise<unknown>][] = [
  ['adding a column', (table) => table.addColumns('n STRING')],
  ['dropping a column', (table) => table.dropColumn('w')],
  ['renaming a column', (table) => table.renameColumn('w', 'x')],
  ['changing a type', (table) => table.changeColumn('w', { type: 'BIGINT' })],
  ['setting properties', (table) => table.setProperties({ 'delta.enableDeletionVectors': 'true' })],
  ['adding a constraint', (table) => table.addConstraint('c', 'id > 0')],
  ['clustering', (table) => table.clusterBy(['id'])],
  ['adding a feature', (table) => table.addFeatureSupport('v2Checkpoint')],
  ['replacing the table', (_, tables) => tables.replace().location('/t').addColumns('other DATE').execute()],
  [
    'replacing the table with rows',
    (_, tables) =>
      tables
        .replace()
        .location('/t')
        .asRows([{ z: 1 }])
        .execute(),
  ],
]

/** Everything a table is, in one text. */
async function state(store: ObjectStore): Promise<string> {
  const table = await open(store).forPath('/t')
  const { protocol, configuration, schema } = await table.describe()
  const { clusteringColumns } = await table.detail()
  const rows = (await table.rows()).map((row) => Object.values(row).join())
  const text = printSchema(schema).replaceAll(/col-[-0-9a-f]+/g, 'col')
  return JSON.stringify([protocol, [...configuration].sort(), text, clusteringColumns, rows.sort()])
}

async function makeTable(): Promise<ObjectStore> {
  const store = memoryStore()
  const properties = { 'delta.columnMapping.mode': 'name', 'delta.enableTypeWidening': 'true' }
  const table = await open(store).create().location('/t').addColumns('id INT, w INT').properties(properties).execute()
  await table.append([{ id: 1, w: 5 }])
  return store
}

/** Data files that no commit names. */
async function orphans(store: ObjectStore): Promise<number> {
  const named = new Set<string>()
  for await (const { added } of (await open(store).forPath('/t')).log()) for (const path of added) named.add(path)
  const keys = (await collect(store.list({ prefix: '' }))).flat().map(({ key }) => key)
  return keys.filter((key) => key.endsWith('.parquet') && !key.startsWith('_delta_log/') && !named.has(key)).length
}

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, [, work]: (typeof scenarios)[number], after: string): Promise<boolean> {
  const store = await makeTable()
  const before = await state(store)
  const broken = faulty(store, plan)
  let failed = false
  try {
    const tables = open(broken)
    await work(await tables.forPath('/t'), tables)
  } catch (error) {
    if (!isDeltaError(error)) throw error
    failed = true
  }
  const at = `${plan.when} call ${plan.failCall}`
  const now = await state(store)
  if (failed) expect([before, after], at).toContain(now)
  else expect(now, at).toBe(after)
  if (failed && plan.when === 'before') expect(now, at).toBe(before)
  expect(await orphans(store), at).toBeLessThanOrEqual(plan.when === 'before' ? 0 : 1)
  return broken.hasFailed()
}

describe.each(scenarios)('%s', (...scenario) => {
  test.each(['before', 'after-effect'] as const)('with a call failing %s', async (when) => {
    const whole = await makeTable()
    const tables = open(whole)
    await scenario[1](await tables.forPath('/t'), tables)
    const after = await state(whole)
    let failCall = 1
    while (await tryWith({ failCall, when }, scenario, after)) {
      failCall++
      expect(failCall).toBeLessThan(MAX_CALLS)
    }
    expect(failCall).toBeGreaterThan(2)
  })
})
