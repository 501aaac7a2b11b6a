/** How often a store is asked for a file: each request costs more than some bytes. */
import { expect, test } from 'vitest'
import { bindExpression, parseExpression } from '../../expressions/index.ts'
import type { TableLayout } from '../../kernel/index.ts'
import { ParquetWriter } from '../../parquet/index.ts'
import { field, longType, stringType, structType } from '../../schema/index.ts'
import { measured, memoryStore } from '../../storage/index.ts'
import { count, scan } from './scan.ts'

const schema = structType([field('a', longType), field('wide', stringType), field('b', longType), field('c', longType)])
const layout: TableLayout = { schema, partitionColumns: [], columnMapping: 'none' }
const GROUPS = 5
const GROUP_ROWS = 3_000

async function made(groups: number) {
  const writer = new ParquetWriter(schema, { compression: 'uncompressed' })
  for (let group = 0; group < groups; group++) {
    const ids = Array.from({ length: GROUP_ROWS }, (_, i) => BigInt(group * GROUP_ROWS + i))
    writer.writeRowGroup([ids, ids.map((id) => `${id}`.padEnd(40, '.')), ids, ids])
  }
  const bytes = writer.finish()
  const objects = memoryStore()
  await objects.put('f', bytes)
  const add = { path: 'f', partitionValues: new Map(), size: bytes.length, modificationTime: 0, dataChange: true }
  return { store: measured(objects), files: [add] }
}

async function requests(columns: readonly number[], where?: string) {
  const { store, files } = await made(GROUPS)
  const filter = where === undefined ? undefined : bindExpression(parseExpression(where), schema)
  let rows = 0
  for await (const batch of scan({ store, files, layout, columns, ...(filter && { filter }) })) rows += batch.numRows
  const { calls, bytes } = store.measures().getRange
  return { rows, calls, share: bytes / files[0]!.size }
}

test('a projection asks for the footer, and once a row group for columns that lie side by side', async () => {
  const { rows, calls, share } = await requests([2, 3])
  expect(rows).toBe(GROUPS * GROUP_ROWS)
  expect(calls).toBeLessThanOrEqual(1 + GROUPS)
  expect(share).toBeLessThan(0.6)
})

test('columns far from each other are two requests', async () => {
  const { calls } = await requests([0, 3])
  expect(calls).toBeLessThanOrEqual(1 + 2 * GROUPS)
})

test('a row group that cannot hold a row is not asked for', async () => {
  expect(await requests([1, 2], 'b = 3500')).toMatchObject({ rows: 1, calls: 2 })
  expect(await requests([1, 2], 'b > 1000000')).toMatchObject({ rows: 0, calls: 1 })
})

test('rows are counted by one request a file, and a small file is read by one', async () => {
  const large = await made(GROUPS)
  expect(await count({ ...large, layout, columns: [] })).toBe(GROUPS * GROUP_ROWS)
  expect(large.store.measures().getRange.calls).toBe(1)
  const writer = new ParquetWriter(schema)
  writer.writeRowGroup([[1n], ['x'], [2n], [3n]])
  const bytes = writer.finish()
  const store = measured(memoryStore())
  await store.put('f', bytes)
  const add = { path: 'f', partitionValues: new Map(), size: bytes.length, modificationTime: 0, dataChange: true }
  for await (const batch of scan({ store, files: [add], layout, columns: [0, 1, 2, 3] })) expect(batch.numRows).toBe(1)
  expect(store.measures().getRange.calls).toBe(1)
})
