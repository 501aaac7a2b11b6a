import { expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { measured, memoryStore, type ObjectStore } from '../storage/index.ts'
import { encodeUtf8 } from '../support/index.ts'
import { deltaTables, localBackend } from './index.ts'

const tablesOf = (store: ObjectStore) => {
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  return deltaTables(() => backend)
}
const withoutListing = (store: ObjectStore): ObjectStore => ({ ...store, capabilities: { write: false, list: false } })

test('where names cannot be listed, a table that is looked for is open for what follows', async () => {
  const plain = memoryStore()
  await tablesOf(plain).write('t', [{ id: 1n }])
  await (await tablesOf(plain).forPath('t')).append([{ id: 2n }])
  const store = measured(withoutListing(plain))
  const table = await tablesOf(store).forPath('t')
  expect(await table.count()).toBe(2)
  const { head, get, list } = store.measures()
  // heads of 0, of 1 and 2, and of 2 once more; the hint and two commits are read
  expect([head.calls, get.calls, list.calls]).toEqual([4, 3, 0])
})

test('where names cannot be listed, a log that cannot be read is there all the same', async () => {
  const plain = memoryStore()
  await plain.put('_delta_log/00000000000000000000.json', encodeUtf8('{"protocol":'))
  const tables = tablesOf(withoutListing(plain))
  expect(await tables.isDeltaTable('t')).toBe(true)
  await expect((await tables.forPath('t')).count()).rejects.toMatchObject({ code: expect.any(String) })
  expect(await tablesOf(withoutListing(memoryStore())).isDeltaTable('t')).toBe(false)
})
