/** Rows in Arrow's form, out of tables and into them. */
import { Table as ArrowTable, Int32, vectorFromArray } from 'apache-arrow'
import { expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { formatType } from '../schema/index.ts'
import { memoryStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTables, deltaTables, localBackend } from './index.ts'

function newTables(): DeltaTables {
  const stores = new Map<string, ReturnType<typeof memoryStore>>()
  const openStore = async (location: string) => {
    const store = stores.get(location) ?? memoryStore({ location })
    stores.set(location, store)
    return store
  }
  const backend = localBackend({ openStore, engine: jsEngine() })
  return deltaTables(() => backend)
}

async function makeOrders(tables: DeltaTables) {
  const builder = tables.create().location('/lake/orders').addColumn('order_id', 'string')
  const table = await builder.addColumn('amount', 'decimal(10,2)').execute()
  await table.append([
    { order_id: '1043', amount: '12.50' },
    { order_id: '1044', amount: '3.50' },
  ])
  return table
}

async function arrowOrders(tables: DeltaTables): Promise<ArrowTable> {
  const { schema, batches } = await (await makeOrders(tables)).scan().arrow()
  return new ArrowTable(schema, await collect(batches))
}

test('Arrow goes out of one table and into another by name, exactly', async () => {
  const tables = newTables()
  const rows = await arrowOrders(tables)
  const builder = tables.create().location('/lake/copy').addColumn('amount', 'decimal(12,3)')
  const copy = await builder.addColumn('order_id', 'string').execute()
  expect(await copy.append(rows)).toMatchObject({ numOutputRows: 2 })
  const texts = (await copy.scan().rows()).map(({ order_id, amount }) => `${order_id} ${amount}`)
  expect(texts.sort()).toEqual(['1043 12.500', '1044 3.500'])

  await tables.write('/lake/new', rows)
  const { schema } = await (await tables.forPath('/lake/new')).scan().open()
  expect(schema.fields.map(({ type }) => formatType(type))).toEqual(['string', 'decimal(10,2)'])
})

test('Arrow is the source of a MERGE', async () => {
  const tables = newTables()
  const rows = await arrowOrders(tables)
  const orders = await tables.forPath('/lake/orders')
  const merged = orders.as('t').merge(rows, "t.order_id = s.order_id and s.order_id <> '1043'", { sourceAlias: 's' })
  expect(await merged.whenMatchedDelete().execute()).toMatchObject({ version: 2 })
  expect(await orders.scan().count()).toBe(1)
})

test('values that do not fit are refused as an INSERT refuses them, and a schema is not taken', async () => {
  const tables = newTables()
  const table = await tables.create().location('/lake/small').addColumn('n', 'tinyint').execute()
  const rows = new ArrowTable({ n: vectorFromArray([1000], new Int32()) })
  await expect(table.append(rows)).rejects.toMatchObject({ code: 'CAST_OVERFLOW_IN_TABLE_INSERT' })
  const typed = tables.write('/lake/typed', rows, { schema: 'n bigint' })
  await expect(typed).rejects.toMatchObject({ code: 'LAKE_INVALID_OPTION' })
})

test('the result of a query is appended as Arrow is', async () => {
  const table = await makeOrders(newTables())
  const { schema, batches } = await table.scan({ where: "order_id = '1044'" }).open()
  await table.append({ schema, batches: batches() })
  expect(await table.scan({ where: "order_id = '1044'" }).count()).toBe(2)
})
