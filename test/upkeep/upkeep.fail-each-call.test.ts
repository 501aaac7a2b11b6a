/** Upkeep whose Nth call to a store fails, before or after its effect: rows are as they were or as they are to be, and the next run finishes. */
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../src/errors/index.ts'
import { type FaultPlan, faulty, type ObjectStore } from '../../src/storage/index.ts'
import type { DeltaTables } from '../../src/table/index.ts'
import { MemoryWorld, sortedRows } from './memory-world.ts'

const MAX_CALLS = 150
const SOURCE = '/lake/source'
const TARGET = '/lake/target'

interface Scenario {
  readonly name: string
  /** the store whose calls fail */
  readonly at: string
  readonly work: (tables: DeltaTables) => Promise<unknown>
  /** rows of the table at `at` may be one of these when the work failed; undefined: no table */
  readonly during: (world: MemoryWorld) => Promise<readonly (readonly string[] | undefined)[]>
  /** what holds when the next run is done */
  readonly done: (world: MemoryWorld) => Promise<void>
}

const now = ['1', '3', '5']
const before = ['1', '2', '3']

async function makeSource(world: MemoryWorld): Promise<void> {
  const builder = world.tables.create().location(SOURCE).addColumns('id INT, p STRING').partitionedBy('p')
  const properties = { 'delta.enableDeletionVectors': 'true', 'delta.enableChangeDataFeed': 'true' }
  const table = await builder.properties(properties).execute()
  await table.append([1, 2, 3].map((id) => ({ id, p: 'a b' })))
  await table.delete('id = 2')
  await table.append([4, 5].map((id) => ({ id, p: 'c' })))
  await table.update({ where: 'id = 4', set: { id: '40' } })
  await table.delete('id = 40')
  await world.store(SOURCE).put('stray', new Uint8Array(1))
  world.wait(24 * 8)
}

async function ids(world: MemoryWorld, location: string): Promise<readonly string[] | undefined> {
  const tables = world.open((store) => store)
  if (!(await tables.isDeltaTable(location))) return undefined
  return (await sortedRows(await tables.forPath(location))).map((row) => String(JSON.parse(row).id))
}

/** The files of a table that its newest version needs. */
async function live(world: MemoryWorld, location: string): Promise<number> {
  let count = 0
  for await (const file of (await world.open((store) => store).forPath(location)).files()) {
    count += file.deletionVector === undefined || file.deletionVector === null ? 1 : 2
  }
  return count
}

const scenarios: readonly Scenario[] = [
  {
    name: 'VACUUM',
    at: SOURCE,
    work: async (tables) => (await tables.forPath(SOURCE)).vacuum(),
    during: async () => [now],
    done: async (world) => expect(await world.files(SOURCE)).toHaveLength(await live(world, SOURCE)),
  },
  {
    name: 'VACUUM LITE',
    at: SOURCE,
    work: async (tables) => (await tables.forPath(SOURCE)).vacuum({ type: 'lite' }),
    during: async () => [now],
    done: async (world) => expect(await world.files(SOURCE)).toHaveLength((await live(world, SOURCE)) + 1),
  },
  {
    name: 'RESTORE',
    at: SOURCE,
    work: async (tables) => {
      const table = await tables.forPath(SOURCE)
      // a run whose answer was lost may have done it
      if ((await table.history(1))[0]?.operation !== 'RESTORE') await table.restoreToVersion(1)
    },
    during: async () => [now, before],
    done: async (world) => expect(await ids(world, SOURCE)).toEqual(before),
  },
  {
    name: 'a deep clone, its own store failing',
    at: TARGET,
    work: async (tables) => (await tables.forPath(SOURCE)).clone(TARGET, { replace: true }),
    during: async () => [undefined, now],
    done: async (world) => {
      expect(await ids(world, TARGET)).toEqual(now)
      expect(await world.files(TARGET)).toHaveLength(await live(world, TARGET))
    },
  },
  {
    name: 'a deep clone, the store of its source failing',
    at: SOURCE,
    work: async (tables) => (await tables.forPath(SOURCE)).clone(TARGET, { replace: true }),
    during: async () => [now],
    done: async (world) => expect(await ids(world, TARGET)).toEqual(now),
  },
  {
    name: 'CONVERT',
    at: '/lake/folder',
    work: (tables) => tables.convertToDelta('/lake/folder', { partitionBy: 'p STRING' }),
    during: async (world) => [undefined, await ids(world, '/lake/folder')],
    done: async (world) => expect((await ids(world, '/lake/folder'))?.length).toBeGreaterThan(2),
  },
]

/** The Parquet files of the source, without its log. */
async function makeFolder(world: MemoryWorld): Promise<void> {
  for (const key of await world.files(SOURCE)) {
    if (!/^p=.*parquet$/.test(key)) continue
    await world.store('/lake/folder').put(key, await world.store(SOURCE).get(key))
  }
}

/** A copy of the tables, each object as old as it was. */
async function freshWorld(): Promise<MemoryWorld> {
  const made = await template
  const world = new MemoryWorld()
  for (const [location, store] of made.stores) {
    for await (const page of store.list({ prefix: '' })) {
      for (const { key, modifiedMs } of page) {
        world.nowMs = modifiedMs
        await world.store(location).put(key, await store.get(key))
      }
    }
  }
  world.nowMs = made.nowMs
  return world
}

const template = (async () => {
  const world = new MemoryWorld()
  await makeSource(world)
  await makeFolder(world)
  return world
})()

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, scenario: Scenario): Promise<boolean> {
  const world = await freshWorld()
  const broken = faulty(world.store(scenario.at), plan)
  const layer = (store: ObjectStore) => (store === world.store(scenario.at) ? broken : store)
  try {
    await scenario.work(world.open(layer))
  } catch (error) {
    if (!isDeltaError(error)) throw error
  }
  const at = `${plan.when} call ${plan.failCall}`
  expect(await scenario.during(world), at).toContainEqual(await ids(world, scenario.at))
  await scenario.work(world.open((store) => store))
  await scenario.done(world)
  return broken.hasFailed()
}

describe.each(scenarios)('$name', (scenario) => {
  test.each(['before', 'after-effect'] as const)(
    'with a call failing %s',
    async (when) => {
      let failCall = 1
      while (await tryWith({ failCall, when }, scenario)) {
        failCall++
        expect(failCall).toBeLessThan(MAX_CALLS)
      }
      expect(failCall).toBeGreaterThan(4)
    },
    60_000,
  )
})
