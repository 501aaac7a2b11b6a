/** A write whose Nth call to the store fails, before or after its effect: the rows are exactly before or exactly after. */
import { describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { type FaultPlan, faulty, memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from './index.ts'

const MAX_CALLS = 60

function open(store: ObjectStore): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}

const scenarios: readonly [name: string, work: (table: DeltaTable) => Promise<unknown>, after: readonly bigint[]][] = [
  ['an append', (table) => table.append([{ id: 3 }]), [1n, 2n, 3n]],
  ['an append that adds a column', (table) => table.append([{ id: 3, n: 'x' }], { mergeSchema: true }), [1n, 2n, 3n]],
  ['an overwrite', (table) => table.overwrite([{ id: 9 }]), [9n]],
  ['an overwrite with no rows', (table) => table.overwrite([]), []],
  [
    'a merge',
    (table) =>
      table
        .as('t')
        .merge([{ id: 2 }, { id: 3 }], 't.id = s.id', { sourceAlias: 's' })
        .whenMatchedDelete()
        .whenNotMatchedInsertAll()
        .execute(),
    [1n, 3n],
  ],
]

async function ids(store: ObjectStore): Promise<unknown[]> {
  const rows = await (await open(store).forPath('/t')).rows()
  return rows.map(({ id }) => id).sort()
}

/** Data files that no commit names. */
async function orphans(store: ObjectStore): Promise<string[]> {
  const named = new Set<string>()
  const table = await open(store).forPath('/t')
  for await (const { added } of table.log()) for (const path of added) named.add(path)
  const keys = (await collect(store.list({ prefix: '' }))).flat().map(({ key }) => key)
  return keys.filter((key) => key.endsWith('.parquet') && !key.startsWith('_delta_log/') && !named.has(key))
}

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, [, work, after]: (typeof scenarios)[number]): Promise<boolean> {
  const store = memoryStore()
  await open(store).write('/t', [{ id: 1 }])
  await (await open(store).forPath('/t')).append([{ id: 2 }])
  const broken = faulty(store, plan)
  let failed = false
  try {
    await work(await open(broken).forPath('/t'))
  } catch (error) {
    if (!isDeltaError(error)) throw error
    failed = true
  }
  const rows = await ids(store)
  const at = `${plan.when} call ${plan.failCall}`
  if (failed) expect([[1n, 2n], after], at).toContainEqual(rows)
  else expect(rows, at).toEqual(after)
  if (failed && plan.when === 'before') expect(rows, at).toEqual([1n, 2n])
  expect((await orphans(store)).length, at).toBeLessThanOrEqual(plan.when === 'before' ? 0 : 1)
  return broken.hasFailed()
}

describe.each(scenarios)('%s', (...scenario) => {
  test.each(['before', 'after-effect'] as const)('with a call failing %s', async (when) => {
    let failCall = 1
    while (await tryWith({ failCall, when }, scenario)) {
      failCall++
      expect(failCall).toBeLessThan(MAX_CALLS)
    }
    expect(failCall).toBeGreaterThan(4)
  })
})
