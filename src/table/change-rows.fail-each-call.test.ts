/** A change of rows whose Nth call to the store fails, before or after its effect: exactly before, or exactly after. */
import { describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { type FaultPlan, faulty, memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from './index.ts'

const MAX_CALLS = 90

function open(store: ObjectStore): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}

const VECTORS = { 'delta.enableDeletionVectors': 'true' }
const FEED = { 'delta.enableChangeDataFeed': 'true' }
const before = ['1 a', '2 a', '3 a', '4 b', '5 b']

interface Scenario {
  readonly name: string
  readonly properties: Record<string, string>
  readonly work: (table: DeltaTable) => Promise<unknown>
  readonly after: readonly string[]
}

const changes: readonly Omit<Scenario, 'properties'>[] = [
  { name: 'a delete', work: (table) => table.delete('id IN (1, 4)'), after: ['2 a', '3 a', '5 b'] },
  { name: 'a delete of a partition', work: (table) => table.delete("p = 'a'"), after: ['4 b', '5 b'] },
  {
    name: 'an update',
    work: (table) => table.update({ where: 'id IN (1, 4)', set: { id: 'id * 10', p: "'c'" } }),
    after: ['10 c', '2 a', '3 a', '40 c', '5 b'],
  },
  {
    name: 'an overwrite of the rows of a predicate',
    work: (table) => table.overwrite([{ id: 2, p: 'z' }], { replaceWhere: 'id = 2' }),
    after: ['1 a', '2 z', '3 a', '4 b', '5 b'],
  },
  {
    name: 'an overwrite of partitions',
    work: (table) => table.overwrite([{ id: 9, p: 'a' }], { partitionOverwriteMode: 'dynamic' }),
    after: ['4 b', '5 b', '9 a'],
  },
]

const scenarios: readonly Scenario[] = changes.flatMap((change) => [
  { ...change, properties: FEED },
  { ...change, name: `${change.name} by deletion vectors`, properties: { ...FEED, ...VECTORS } },
])

async function prepare(properties: Record<string, string>): Promise<ObjectStore> {
  const store = memoryStore()
  const builder = open(store).create().location('/t').addColumns('id INT, p STRING')
  const table = await builder.partitionedBy('p').properties(properties).execute()
  await table.append([1, 2, 3].map((id) => ({ id, p: 'a' })))
  await table.append([4, 5].map((id) => ({ id, p: 'b' })))
  return store
}

async function rows(store: ObjectStore): Promise<string[]> {
  const found = await (await open(store).forPath('/t')).rows()
  return found.map(({ id, p }) => `${id} ${p}`).sort()
}

/** Files that no commit names. */
async function orphans(store: ObjectStore): Promise<string[]> {
  const texts: string[] = []
  const table = await open(store).forPath('/t')
  for (let version = 0; version <= (await table.version()); version++) {
    for (const action of (await table.commit(version)).actions) {
      if ('add' in action) texts.push(action.add.path)
      if ('add' in action && action.add.deletionVector !== undefined) texts.push('.bin')
      if ('cdc' in action) texts.push(action.cdc.path)
    }
  }
  const keys = (await collect(store.list({ prefix: '' }))).flat().map(({ key }) => key)
  const isData = (key: string) => !key.startsWith('_delta_log/')
  return keys.filter((key) => isData(key) && !texts.some((text) => key.endsWith(text)))
}

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, { properties, work, after }: Scenario): Promise<boolean> {
  const store = await prepare(properties)
  const broken = faulty(store, plan)
  let failed = false
  try {
    await work(await open(broken).forPath('/t'))
  } catch (error) {
    if (!isDeltaError(error)) throw error
    failed = true
  }
  const found = await rows(store)
  const at = `${plan.when} call ${plan.failCall}`
  if (failed) expect([before, after], at).toContainEqual(found)
  else expect(found, at).toEqual(after)
  if (failed && plan.when === 'before') expect(found, at).toEqual(before)
  expect((await orphans(store)).length, at).toBeLessThanOrEqual(plan.when === 'before' ? 0 : 1)
  return broken.hasFailed()
}

describe.each(scenarios)('$name', (scenario) => {
  test.each(['before', 'after-effect'] as const)('with a call failing %s', async (when) => {
    let failCall = 1
    while (await tryWith({ failCall, when }, scenario)) {
      failCall++
      expect(failCall).toBeLessThan(MAX_CALLS)
    }
    expect(failCall).toBeGreaterThan(4)
  })
})
