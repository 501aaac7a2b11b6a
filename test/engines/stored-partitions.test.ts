/** Tables with materializePartitionColumns: files hold the partition columns too, and readers take them from the log. */
import { expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { inferSchema, memoryFile, openParquet } from '../../src/parquet/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { collect } from '../../src/support/index.ts'
import { deltaTables, localBackend } from '../../src/table/index.ts'

const rows = [
  { id: 1, p: 'a b', q: 5 },
  { id: 2, p: null, q: 5 },
]

test.each([
  ['js', () => jsEngine()],
  ['duckdb', () => duckdbEngine({ threads: 1 })],
] as const)('%s', async (_, open) => {
  const engine = open()
  const store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine })
  const tables = deltaTables(() => backend)
  await tables.write('/t', rows, {
    partitionBy: ['p', 'q'],
    properties: { 'delta.enableMaterializePartitionColumnsFeature': 'true' },
  })
  const table = await tables.forPath('/t')
  expect((await table.detail()).tableFeatures).toContain('materializePartitionColumns')
  await table.update({ where: 'id = 1', set: { p: "'moved'" } })
  const files = (await collect(table.files())).flat()
  expect(files).toHaveLength(2)
  for (const { path, stats } of files) {
    const key = decodeURIComponent(path)
    const { footer } = await openParquet(memoryFile(key, await store.get(key)))
    expect(inferSchema(footer.root).fields.map(({ name }) => name)).toEqual(['id', 'p', 'q'])
    expect(Object.keys(JSON.parse(stats!).minValues)).toEqual(['id'])
  }
  const found = (await table.rows()).map(({ id, p, q }) => `${id} ${p} ${q}`)
  expect(found.sort()).toEqual(['1 moved 5', '2 null 5'])
  await backend.close()
})
