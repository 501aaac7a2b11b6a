/** A MERGE whose Nth call to the store fails, before or after its effect: the rows are exactly before or exactly after. */
import { describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { type FaultPlan, faulty, memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTables, deltaTables, localBackend } from './index.ts'

const MAX_CALLS = 80
const BEFORE = ['1 a', '2 b', '3 c']
const AFTER = ['2 B', '3 c', '4 d']

function open(store: ObjectStore): DeltaTables {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}

async function merge(store: ObjectStore): Promise<unknown> {
  const table = await open(store).forPath('/t')
  return await table
    .as('t')
    .merge(['1 x', '2 B', '4 d'].map(rowOf), 't.id = s.id', { sourceAlias: 's' })
    .whenMatchedDelete('s.id = 1')
    .whenMatchedUpdateAll()
    .whenNotMatchedInsertAll()
    .execute()
}

function rowOf(text: string) {
  const [id, v] = text.split(' ')
  return { id: Number(id), v }
}

async function rows(store: ObjectStore): Promise<string[]> {
  const found = await (await open(store).forPath('/t')).rows()
  return found.map(({ id, v }) => `${id} ${v}`).sort()
}

/** Objects that no commit names: data, changes, vectors. */
async function orphans(store: ObjectStore): Promise<string[]> {
  const named = new Set<string>()
  const table = await open(store).forPath('/t')
  for await (const { version } of table.log()) {
    const text = JSON.stringify((await table.commit(version)).actions, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    for (const [, path] of text.matchAll(/"path":"([^"]+)"/g)) named.add(path!)
  }
  const keys = (await collect(store.list({ prefix: '' }))).flat().map(({ key }) => key)
  return keys.filter((key) => key.endsWith('.parquet') && !key.startsWith('_delta_log/') && !named.has(key))
}

/** @returns whether the fault happened */
async function tryWith(plan: FaultPlan, properties: Record<string, string>): Promise<boolean> {
  const store = memoryStore()
  const made = open(store).create().location('/t').addColumns('id INT, v STRING').properties(properties)
  const table = await made.execute()
  await table.append(BEFORE.slice(0, 2).map(rowOf))
  await table.append(BEFORE.slice(2).map(rowOf))
  const broken = faulty(store, plan)
  let failed = false
  try {
    await merge(broken)
  } catch (error) {
    if (!isDeltaError(error)) throw error
    failed = true
  }
  const found = await rows(store)
  const at = `${plan.when} call ${plan.failCall}`
  if (!failed) expect(found, at).toEqual(AFTER)
  else expect([BEFORE, AFTER], at).toContainEqual(found)
  if (failed && plan.when === 'before') expect(found, at).toEqual(BEFORE)
  expect((await orphans(store)).length, at).toBeLessThanOrEqual(plan.when === 'before' ? 0 : 1)
  return broken.hasFailed()
}

describe.each([
  ['files written anew', {}],
  ['deletion vectors', { 'delta.enableDeletionVectors': 'true' }],
  ['a change feed', { 'delta.enableChangeDataFeed': 'true', 'delta.enableDeletionVectors': 'true' }],
] as const)('a merge with %s', (_, properties) => {
  test.each(['before', 'after-effect'] as const)('with a call failing %s', async (when) => {
    let failCall = 1
    while (await tryWith({ failCall, when }, properties)) {
      failCall++
      expect(failCall).toBeLessThan(MAX_CALLS)
    }
    expect(failCall).toBeGreaterThan(6)
  })
})
