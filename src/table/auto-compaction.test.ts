import { expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { deltaError } from '../errors/index.ts'
import { type FaultPlan, faulty, memoryStore, type ObjectStore } from '../storage/index.ts'
import { type DeltaTable, deltaTables, localBackend } from './index.ts'

const AUTO = { 'delta.autoOptimize.autoCompact': 'true' }

async function tableOf(properties: Record<string, string>, store: ObjectStore = memoryStore()) {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  const builder = deltaTables(() => backend)
    .create()
    .location('/t')
    .addColumns('id INT, p INT')
  return await builder.partitionedBy('p').properties(properties).execute()
}

/** So many files in a partition, in one commit. */
async function appendFiles(table: DeltaTable, count: number, p: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, id) => ({ id, p }))
  await table.append(rows, { maxRecordsPerFile: 1 })
}

async function operations(table: DeltaTable): Promise<(string | null)[]> {
  return (await table.history()).map(({ operation }) => operation).reverse()
}

test('many small files of a partition are packed behind the write that made them many', async () => {
  const table = await tableOf(AUTO)
  await appendFiles(table, 49, 0)
  await appendFiles(table, 49, 1)
  expect(await operations(table)).toEqual(['CREATE TABLE', 'WRITE', 'WRITE'])
  const { version } = await table.append([{ id: 100, p: 1 }])
  expect(version).toBe(3)
  expect(await operations(table)).toEqual(['CREATE TABLE', 'WRITE', 'WRITE', 'WRITE', 'OPTIMIZE'])
  const [last] = await table.history(1)
  expect(last).toMatchObject({ operationParameters: { auto: 'true' } })
  expect((await table.detail()).numFiles).toBe(50)
  expect(await table.count()).toBe(99)
})

test('tables that do not ask for it are left as they are', async () => {
  const table = await tableOf({})
  await appendFiles(table, 60, 0)
  expect(await operations(table)).toEqual(['CREATE TABLE', 'WRITE'])
})

test('a compaction that fails fails no write and is told of', async () => {
  const store = memoryStore()
  await tableOf(AUTO, store)
  const warnings: string[] = []
  const full = deltaError('LAKE_STORAGE_FULL', { operation: 'putIfAbsent', key: 'k', cause: 'a planned fault' })
  const plan: FaultPlan = { failCall: 1, when: 'before', keys: /0002\.json$/, error: full }
  const broken = faulty(store, plan)
  const backend = localBackend({
    openStore: async () => broken,
    engine: jsEngine(),
    onWarning: (text) => warnings.push(text),
  })
  const table = await deltaTables(() => backend).forPath('/t')
  await appendFiles(table, 60, 0)
  expect(warnings).toEqual([expect.stringMatching(/^the compaction after version 1 was not done: /)])
  expect(await table.count()).toBe(60)
})
