/** What a page does with `bayou/browser` alone: make a table in memory, write, read at versions. */
import { expect, test } from 'vitest'
import {
  bindPredicate,
  DeltaError,
  deltaTables,
  history,
  jsEngine,
  loadSnapshot,
  localBackend,
  memoryStore,
  type ObjectStore,
  parseTableSchema,
  planScan,
  rowToJson,
} from '../src/browser.ts'

const engine = jsEngine()

async function rowsAt(store: ObjectStore, version?: number, where?: string): Promise<string[]> {
  const snapshot = await loadSnapshot(store, engine, version === undefined ? {} : { version })
  const { layout } = snapshot
  const filter = where === undefined ? undefined : bindPredicate(where, layout.schema)
  const files = await planScan(snapshot, filter)
  const columns = layout.schema.fields.map((_, i) => i)
  const texts: string[] = []
  for await (const batch of engine.scan({ store, layout, files, columns, ...(filter && { filter }) })) {
    for (let at = 0; at < batch.numRows; at++) {
      const row = columns.map((i) => batch.column(i)[at]!)
      texts.push(rowToJson(row, batch.schema))
    }
  }
  return texts.sort()
}

test('a table in memory is made, appended to and read at each version', async () => {
  const store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine })
  const tables = deltaTables(() => backend)
  const schema = parseTableSchema('id BIGINT, country STRING, amount DECIMAL(10,2)')
  await tables.write('orders', [{ id: 1043n, country: 'DE', amount: '12.50' }], { schema, partitionBy: ['country'] })
  const table = await tables.forPath('orders')
  await table.append([
    { id: 9_007_199_254_740_993n, country: 'FR', amount: '0.01' },
    { id: 2, country: null, amount: null },
  ])
  const first = '{"id":1043,"country":"DE","amount":12.50}'
  const second = ['{"id":2,"country":null,"amount":null}', '{"id":9007199254740993,"country":"FR","amount":0.01}']
  expect(await rowsAt(store, 0)).toEqual([first])
  expect(await rowsAt(store)).toEqual([first, ...second])
  expect(await rowsAt(store, undefined, "country = 'FR' AND amount < 1")).toEqual([second[1]])
  expect((await history(store, engine)).map((entry) => entry.version)).toEqual([1, 0])
  await expect(table.append([{ id: 'x' }])).rejects.toBeInstanceOf(DeltaError)
})
