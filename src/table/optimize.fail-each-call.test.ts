/**
 * OPTIMIZE and REORG whose Nth call to the store fails, or that are killed there: the rows are the same whatever happens,
 * and the next run finishes the work.
 */
import { describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { type FaultPlan, faulty, memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from './index.ts'

const MAX_CALLS = 120

function open(store: ObjectStore): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}

interface Scenario {
  readonly name: string
  readonly clusterBy?: readonly string[]
  readonly work: (table: DeltaTable) => Promise<unknown>
  /** live files once the work is done */
  readonly numFiles: number
}

const scenarios: readonly Scenario[] = [
  {
    name: 'a compaction in batches',
    work: (table) => table.optimize({ batchSize: 1 }).executeCompaction(),
    numFiles: 2,
  },
  { name: 'a Z-order', work: (table) => table.optimize().executeZOrderBy('id'), numFiles: 2 },
  { name: 'a clustering', clusterBy: ['id', 'p'], work: (table) => table.optimize().executeCompaction(), numFiles: 1 },
  { name: 'a purge', work: (table) => table.purge(), numFiles: 4 },
]

const ROWS = ['2 a', '3 a', '4 b', '5 b']

const prepared = new Map<Scenario, Promise<ReadonlyMap<string, Uint8Array>>>()

/** A table of its own to work on. */
async function prepare(scenario: Scenario): Promise<ObjectStore> {
  const objects = prepared.get(scenario) ?? makeTable(scenario)
  prepared.set(scenario, objects)
  const store = memoryStore()
  for (const [key, bytes] of await objects) await store.put(key, bytes)
  return store
}

/** Two partitions of two files, deleted rows in one of them. */
async function makeTable({ clusterBy }: Scenario): Promise<ReadonlyMap<string, Uint8Array>> {
  const store = memoryStore()
  const builder = open(store).create().location('/t').addColumns('id INT, p STRING')
  const laidOut = clusterBy === undefined ? builder.partitionedBy('p') : builder.clusterBy(...clusterBy)
  const properties = { 'delta.enableDeletionVectors': 'true', 'delta.enableRowTracking': 'true' }
  const table = await laidOut.properties(properties).execute()
  await table.append([1, 2].map((id) => ({ id, p: 'a' })))
  await table.append([{ id: 3, p: 'a' }])
  await table.append([{ id: 4, p: 'b' }])
  await table.append([{ id: 5, p: 'b' }])
  await table.delete('id = 1')
  const keys = (await collect(store.list({ prefix: '' }))).flat().map(({ key }) => key)
  return new Map(await Promise.all(keys.map(async (key) => [key, await store.get(key)] as const)))
}

async function look(store: ObjectStore, ids = false): Promise<string[]> {
  const select = ['id', 'p', ...(ids ? ['_metadata.row_id'] : [])]
  const rows = await (await open(store).forPath('/t')).rows({ select })
  return rows.map((row) => Object.values(row).join(' ')).sort()
}

async function countFiles(store: ObjectStore): Promise<number> {
  let files = 0
  for await (const _ of (await open(store).forPath('/t')).files()) files++
  return files
}

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, scenario: Scenario): Promise<boolean> {
  const store = await prepare(scenario)
  const ids = await look(store, true)
  const broken = faulty(store, plan)
  const at = `${plan.when} call ${plan.failCall}`
  try {
    await scenario.work(await open(broken).forPath('/t'))
  } catch (error) {
    if (!isDeltaError(error)) throw error
  }
  expect(await look(store), at).toEqual(ROWS)
  await scenario.work(await open(store).forPath('/t'))
  expect(await look(store, true), at).toEqual(ids)
  expect(await countFiles(store), at).toBe(scenario.numFiles)
  return broken.hasFailed()
}

/** From a call on no answer comes from the store any more, as for a process that is gone. */
async function killAt(call: number, scenario: Scenario): Promise<boolean> {
  const store = await prepare(scenario)
  let calls = 0
  let die = () => {}
  const death = new Promise<'killed'>((resolve) => {
    die = () => resolve('killed')
  })
  const dead: ObjectStore = new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (++calls < call) return member.apply(target, args)
        die()
        return name === 'list' ? silence() : new Promise(() => {})
      }
    },
  })
  const end = await Promise.race([open(dead).forPath('/t').then(scenario.work), death])
  expect(await look(store), `killed at ${call}`).toEqual(ROWS)
  await scenario.work(await open(store).forPath('/t'))
  expect(await look(store), `killed at ${call}`).toEqual(ROWS)
  expect(await countFiles(store), `killed at ${call}`).toBe(scenario.numFiles)
  return end === 'killed'
}

async function* silence(): AsyncGenerator<never> {
  await new Promise(() => {})
}

describe.each(scenarios)('$name', (scenario) => {
  test.each(['before', 'after-effect'] as const)('with a call failing %s', async (when) => {
    let failCall = 1
    while (await tryWith({ failCall, when }, scenario)) expect(++failCall).toBeLessThan(MAX_CALLS)
    expect(failCall).toBeGreaterThan(6)
  })

  test('killed at a call', async () => {
    let call = 1
    while (await killAt(call, scenario)) expect(++call).toBeLessThan(MAX_CALLS)
    expect(call).toBeGreaterThan(6)
  })
})
