import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { formatType, longType, stringType } from '../schema/index.ts'
import { type MeasuredStore, measured, memoryStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTables, deltaTables, localBackend } from './index.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')

let now: number
const clock = { now: () => (now += 1000) }
/** one a location */
let stores: Map<string, MeasuredStore>
let tables: DeltaTables

function storeAt(location: string): MeasuredStore {
  const store = stores.get(location) ?? measured(memoryStore({ location, clock }))
  stores.set(location, store)
  return store
}

/** Tables over the same stores as another process would open them. */
function openTables(): DeltaTables {
  const backend = localBackend({ openStore: async (location) => storeAt(location), engine: jsEngine(), clock })
  return deltaTables(() => backend)
}

beforeEach(() => {
  now = NOON
  stores = new Map()
  tables = openTables()
})

const orders = [
  { order_id: '1043', country: 'DE', amount: '12.50' },
  { order_id: '1044', country: 'FR', amount: '3.50' },
]

async function makeOrders() {
  const builder = tables.create().location('/lake/orders').addColumn('order_id', stringType, { nullable: false })
  const table = await builder
    .addColumn('country', 'string')
    .addColumn('amount', 'decimal(10,2)')
    .partitionedBy('country')
    .execute()
  await table.append(orders)
  return table
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isDeltaError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

const keys = async () => (await collect(storeAt('/lake/orders').list({ prefix: '' }))).flat().map(({ key }) => key)

describe('reading', () => {
  test('rows come as exact values; select, where and limit choose among them', async () => {
    const table = await makeOrders()
    expect(await table.rows({ where: "country = 'DE'" })).toEqual([orders[0]])
    expect(await table.scan({ select: ['AMOUNT', 'order_id'], limit: 1 }).rows()).toHaveLength(1)
    expect(await table.scan({ select: ['amount'], where: "order_id = '1044'" }).rows()).toEqual([{ amount: '3.50' }])
    const seen: unknown[] = []
    for await (const row of table.scan({ as: 'js' })) seen.push(row.amount)
    expect(seen.sort()).toEqual([12.5, 3.5])
  })

  test('a handle reads the newest version, a pinned one stays', async () => {
    const table = await makeOrders()
    const pinned = await table.snapshot()
    await table.append([{ order_id: '1045', country: 'DE', amount: 7n }])
    expect(await table.count()).toBe(3)
    expect(await pinned.count()).toBe(2)
    expect(await table.versionAsOf(0).count()).toBe(0)
    expect(await table.count({ where: "country = 'DE'" })).toBe(2)
    expect(await refusal(pinned.append(orders))).toMatch(/^LAKE_USAGE: .* pinned to a version is for reading/)
    expect(await refusal(table.versionAsOf(9).rows())).toMatch(/^DELTA_VERSION_NOT_FOUND/)
    expect(await refusal(table.rows({ version: 1.5 }))).toMatch(/^DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE/)
    expect(await refusal(table.rows({ timestamp: 'nonsense' }))).toMatch(/^DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE/)
    expect(await refusal(table.rows({ timestamp: '2001-01-01' }))).toMatch(/^DELTA_TIMESTAMP_EARLIER/)
  })

  test('a refresh costs one look for the next commit, and each new commit one read', async () => {
    const table = await makeOrders()
    await table.count()
    const store = storeAt('/lake/orders')
    const calls = () =>
      Object.entries(store.measures()).flatMap(([method, { calls: n }]) => (n === 0 ? [] : [[method, n]]))
    store.reset()
    await table.count()
    expect(calls()).toEqual([['list', 1]])
    await openTables().write('/lake/orders', orders, { mode: 'append' })
    store.reset()
    expect(await table.count()).toBe(4)
    expect(calls()).toEqual([
      ['get', 1],
      ['list', 1],
    ])
  })

  test('columns that are not there are named with those that are', async () => {
    const table = await makeOrders()
    expect(await refusal(table.rows({ select: ['nope'] }))).toBe(
      'UNRESOLVED_COLUMN.WITH_SUGGESTION: there is no column nope; the columns are order_id, country, amount',
    )
    expect(await refusal(table.rows({ where: 'amount >' }))).toMatch(/^PARSE_SYNTAX_ERROR/)
    expect(await refusal(table.rows({ where: 'order_id' }))).toMatch(/^DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN/)
  })

  test('history, detail, schema, files and log say what lies in the log', async () => {
    const table = await makeOrders()
    const [newest, oldest] = await table.history()
    expect(newest).toMatchObject({
      version: 1,
      timestamp: expect.stringMatching(/^2026-01-01T12:00:\d\dZ$/),
      operation: 'WRITE',
      operationParameters: { mode: 'Append', partitionBy: '[]' },
      readVersion: 0,
      isBlindAppend: true,
      operationMetrics: { numFiles: '2', numOutputRows: '2' },
      userMetadata: null,
    })
    expect(oldest).toMatchObject({ version: 0, operation: 'CREATE TABLE', readVersion: null })
    expect(await table.history(1)).toHaveLength(1)
    expect(await table.detail()).toMatchObject({
      format: 'delta',
      partitionColumns: ['country'],
      numFiles: 2,
      minReaderVersion: 1,
      minWriterVersion: 2,
      tableFeatures: ['appendOnly', 'invariants'],
      unwritableFeatures: [],
    })
    expect(formatType(await table.schema())).toBe('struct<order_id:string,country:string,amount:decimal(10,2)>')
    const files = await collect(table.files({ where: "country = 'DE'", explain: true }))
    expect(
      files.map(({ read, reason, partitionValues, numRecords }) => ({ read, reason, partitionValues, numRecords })),
    ).toEqual([
      { read: true, reason: 'kept: may hold a match', partitionValues: { country: 'DE' }, numRecords: 1 },
      { read: false, reason: 'partition country is FR, not DE', partitionValues: { country: 'FR' }, numRecords: 1 },
    ])
    expect(await collect(table.files({ where: "country = 'DE'" }))).toHaveLength(1)
    const commits = await collect(table.log())
    expect(
      commits.map(({ version, operation, added, removed }) => [version, operation, added.length, removed.length]),
    ).toEqual([
      [1, 'WRITE', 2, 0],
      [0, 'CREATE TABLE', 0, 0],
    ])
  })
})

describe('a table without columns', () => {
  test('has no rows to read', async () => {
    const table = await tables.create().location('/none').execute()
    expect(await refusal(table.rows())).toMatch(/^DELTA_READ_TABLE_WITHOUT_COLUMNS/)
  })
})

describe('writing', () => {
  test('zero rows appended make no file and no version; an overwrite with zero rows empties the table (UP-48)', async () => {
    const table = await makeOrders()
    expect(await table.append([])).toMatchObject({ version: null, skipped: 'no rows' })
    expect(await table.overwrite([])).toMatchObject({ version: 2, numFiles: 0, numRemovedFiles: 2 })
    expect(await table.rows()).toEqual([])
    expect(await table.versionAsOf(1).count()).toBe(2)
    expect(await table.overwrite([])).toMatchObject({ version: null, skipped: 'no rows' })
  })

  test('a column of nothing but null is written to a table that knows its type (UP-37)', async () => {
    const table = await makeOrders()
    await table.append([{ order_id: '1', country: null, amount: null }])
    expect(await table.rows({ where: "order_id = '1'" })).toEqual([{ order_id: '1', country: null, amount: null }])
    await tables.write('/new', [{ a: 1, b: null }])
    expect(formatType(await (await tables.forPath('/new')).schema())).toBe('struct<a:bigint>')
  })

  test('integers beyond 2^53 stay exact in cells, predicates, partitions and transactions (UP-02)', async () => {
    const rows = [{ id: 9007199254740993n, p: -(2n ** 63n) }]
    await tables.write('/t', rows, { partitionBy: ['p'], txn: { appId: 'a', version: 9007199254740993n } })
    const table = await tables.forPath('/t')
    expect(await table.rows({ where: 'id = 9007199254740993' })).toEqual(rows)
    expect(await table.count({ where: 'id = 9007199254740992' })).toBe(0)
    expect(await table.count({ where: 'p = -9223372036854775808' })).toBe(1)
    const again = { txn: { appId: 'a', version: 9007199254740992n } }
    expect(await table.append(rows, again)).toMatchObject({ skipped: 'transaction already committed' })
    expect(await table.append(rows, { txn: { appId: 'a', version: 9007199254740994n } })).toMatchObject({ version: 1 })
  })

  test('names keep their spelling whatever they are (UP-25)', async () => {
    const row = JSON.parse('{"UserCode":"u","y--1":"d","10":"n","__proto__":"p","constructor":"c"}') as object
    await tables.write('/t', [row])
    const table = await tables.forPath('/t')
    await table.append([{ usercode: 'v' }])
    const rows = await table.rows({ where: "USERCODE = 'u'" })
    expect(Object.keys(rows[0]!).sort()).toEqual(['10', 'UserCode', '__proto__', 'constructor', 'y--1'])
    expect(await refusal(tables.write('/two', [{ a: 1, A: 2 }]))).toMatch(/^DELTA_DUPLICATE_COLUMNS_FOUND/)
  })

  test('a schema that does not fit is refused by path, and nothing is left behind', async () => {
    const table = await makeOrders()
    const before = await keys()
    expect(await refusal(table.append([{ order_id: '1', amount: 12.5 }]))).toMatch(
      /^DELTA_FAILED_TO_MERGE_FIELDS: row 1: the column amount is decimal\(10,2\), and the data holds the number 12.5/,
    )
    expect(await refusal(table.append([...orders, { order_id: '1', note: 'x' }]))).toBe(
      'DELTA_METADATA_MISMATCH: row 3 has the column note, which /lake/orders does not have',
    )
    expect(await refusal(table.append([{ country: 'DE' }]))).toMatch(/^DELTA_NOT_NULL_CONSTRAINT_VIOLATED: .*order_id/)
    expect(await refusal(table.append(orders, { partitionBy: ['order_id'] }))).toMatch(/^DELTA_METADATA_MISMATCH/)
    expect(await refusal(table.append('text' as never))).toMatch(/^LAKE_USAGE/)
    expect(await keys()).toEqual(before)
  })

  test('mergeSchema adds columns at any depth; old rows read null there', async () => {
    await tables.write('/t', [{ id: 1, items: [{ qty: 1 }], at: { city: 'Berlin' } }])
    const table = await tables.forPath('/t')
    const row = { id: 2, items: [{ qty: 2, price: 2.5 }], AT: { zip: '10115' }, note: 'new' }
    await table.append([row], { mergeSchema: true })
    expect(formatType(await table.schema())).toBe(
      'struct<id:bigint,items:array<struct<qty:bigint,price:double>>,at:struct<city:string,zip:string>,note:string>',
    )
    const rows = await table.rows()
    expect(rows.sort((a, b) => Number((a.id as bigint) - (b.id as bigint)))).toEqual([
      { id: 1n, items: [{ qty: 1n, price: null }], at: { city: 'Berlin', zip: null }, note: null },
      { id: 2n, items: [{ qty: 2n, price: 2.5 }], at: { city: null, zip: '10115' }, note: 'new' },
    ])
    expect(await refusal(table.append([{ id: 'x' }], { mergeSchema: true }))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS/)
  })

  test('modes: error, ignore, overwrite with and without another schema', async () => {
    const table = await makeOrders()
    expect(await refusal(tables.write('/lake/orders', orders))).toMatch(/^DELTA_PATH_EXISTS/)
    expect(await tables.write('/lake/orders', orders, { mode: 'ignore' })).toMatchObject({ skipped: 'table exists' })
    expect(await table.overwrite([orders[0]])).toMatchObject({ version: 2, numFiles: 1, numRemovedFiles: 2 })
    expect(await refusal(table.overwrite([{ id: 1 }]))).toMatch(/^DELTA_METADATA_MISMATCH/)
    await table.overwrite([{ id: 1, day: 'mon' }], { overwriteSchema: true, partitionBy: ['day'] })
    expect(await table.rows()).toEqual([{ id: 1n, day: 'mon' }])
    expect((await table.detail()).partitionColumns).toEqual(['day'])
    expect(await table.versionAsOf(1).count()).toBe(2)
    expect(await refusal(table.append([{ id: 2 }], { overwriteSchema: true } as never))).toMatch(/^LAKE_INVALID_OPTION/)
    expect(await refusal(tables.write('/x', orders, { mode: 'upsert' as never }))).toMatch(/^LAKE_INVALID_OPTION/)
  })

  test('rows come from arrays, generators and async batches', async () => {
    const table = await makeOrders()
    await table.append(
      (function* () {
        yield { order_id: '1' }
        yield [{ order_id: '2' }, { order_id: '3' }]
      })(),
    )
    await table.append(
      (async function* () {
        yield { order_id: '4' }
      })(),
    )
    expect(await table.count()).toBe(6)
  })

  test('ten appends at once are ten versions', async () => {
    const table = await makeOrders()
    const writers = Array.from({ length: 10 }, () => openTables())
    await Promise.all(writers.map((writer) => writer.write('/lake/orders', [orders[0]], { mode: 'append' })))
    expect(await table.version()).toBe(11)
    expect(await table.count()).toBe(12)
  })

  test('writers that add columns at once all land, and each column is there once', async () => {
    await tables.write('/t', [{ id: 0 }])
    const columns = ['a', 'b', 'A', 'c', 'b']
    const work = columns.map((name, i) => {
      return openTables().write('/t', [{ id: i + 1, [name]: i }], { mode: 'append', mergeSchema: true })
    })
    await Promise.all(work)
    const table = await tables.forPath('/t')
    expect(await table.count()).toBe(6)
    const names = (await table.schema()).fields.map((f) => f.name.toLowerCase())
    expect(names.sort()).toEqual(['a', 'b', 'c', 'id'])
    expect((await table.rows({ where: 'a is not null or b is not null or c is not null' })).length).toBe(5)
  })

  test('a write that another process has done meanwhile is left out', async () => {
    await makeOrders()
    const write = () => {
      return openTables().write('/lake/orders', [orders[0]], { mode: 'append', txn: { appId: 'a', version: 1 } })
    }
    const results = await Promise.all([write(), write(), write()])
    expect(results.filter(({ version }) => version !== null)).toHaveLength(1)
    expect(await (await tables.forPath('/lake/orders')).count()).toBe(3)
  })

  test('userMetadata is kept with the commit', async () => {
    const table = await makeOrders()
    await table.append(orders, { userMetadata: 'nightly' })
    expect((await table.history(1))[0]?.userMetadata).toBe('nightly')
  })

  test('every tenth version gets a checkpoint, and one can be asked for', async () => {
    const table = await makeOrders()
    for (let i = 0; i < 9; i++) await table.append([orders[0]])
    expect((await keys()).filter((key) => key.includes('checkpoint'))).toEqual([
      '_delta_log/00000000000000000010.checkpoint.parquet',
      '_delta_log/_last_checkpoint',
    ])
    await table.append([orders[0]])
    expect(await table.checkpoint()).toEqual({ version: 11 })
    expect(await (await openTables().forPath('/lake/orders')).count()).toBe(12)
  })

  test('a write that is cancelled leaves nothing', async () => {
    const table = await makeOrders()
    const before = await keys()
    const stop = new AbortController()
    const endless = (function* () {
      for (let i = 0; ; i++) {
        if (i === 10_000) stop.abort()
        yield { order_id: String(i) }
      }
    })()
    expect(await refusal(table.append(endless, { signal: stop.signal }))).toMatch(/^LAKE_CANCELLED/)
    expect(await keys()).toEqual(before)
  })
})

describe('making tables', () => {
  test('create refuses a table that is there, createIfNotExists leaves it', async () => {
    await makeOrders()
    const create = () => tables.create().location('/lake/orders').addColumn('id', longType).execute()
    expect(await refusal(create())).toMatch(/^DELTA_TABLE_ALREADY_EXISTS/)
    const table = await tables.createIfNotExists().location('/lake/orders').addColumn('id', longType).execute()
    expect(await table.count()).toBe(2)
    expect(await refusal(tables.create().addColumn('id', longType).execute())).toMatch(/^LAKE_USAGE/)
  })

  test('a builder is immutable, and its columns may come as SQL', async () => {
    const base = tables
      .create()
      .addColumns("id BIGINT NOT NULL COMMENT 'key', name STRING")
      .property('delta.appendOnly', 'true')
    const [a, b] = [await base.location('/a').execute(), await base.location('/b').comment('about b').execute()]
    expect((await a.detail()).description).toBeNull()
    expect(await b.detail()).toMatchObject({ description: 'about b', properties: { 'delta.appendOnly': 'true' } })
    expect((await a.schema()).fields[0]).toMatchObject({ nullable: false, metadata: { comment: 'key' } })
    expect(await refusal(tables.write('/a', [{ id: 1 }], { mode: 'overwrite' }).then(() => a.overwrite([])))).toMatch(
      /^DELTA_CANNOT_MODIFY_APPEND_ONLY/,
    )
  })

  test('a path without a table says so', async () => {
    expect(await tables.isDeltaTable('/none')).toBe(false)
    expect(await refusal(tables.forPath('/none'))).toMatch(/^DELTA_TABLE_NOT_FOUND/)
    const handle = await makeOrders()
    for (const key of await keys()) await storeAt('/lake/orders').delete(key)
    expect(await refusal(handle.append(orders))).toMatch(/^DELTA_TABLE_NOT_FOUND/)
  })

  test('rows without a column that has a value make no table', async () => {
    expect(await refusal(tables.write('/t', []))).toMatch(/^LAKE_EMPTY_SCHEMA/)
    expect(await refusal(tables.write('/t', [{ a: null }]))).toMatch(/^LAKE_EMPTY_SCHEMA/)
    expect(await tables.write('/t', [], { schema: 'a INT' })).toMatchObject({ version: 0, numFiles: 0 })
    expect(await (await tables.forPath('/t')).rows()).toEqual([])
  })
})
