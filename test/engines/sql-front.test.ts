/** What a session of statements has beside the statements themselves: parameters, kept names, texts about tables. */
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { rowsOf } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { rowToJson } from '../../src/schema/index.ts'
import { type ParameterValues, SqlSession } from '../../src/sql/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { memoryStore } from '../../src/storage/memory/index.ts'
import { localBackend } from '../../src/table/index.ts'

const duckdb = duckdbEngine()
afterAll(() => duckdb.close())
const code = (expected: string) => expect.objectContaining({ code: expected })

/** Sessions over the same stores, each with names of its own and those of one folder. */
function lake(engine: Engine) {
  const stores = new Map<string, ObjectStore>()
  const openStore = async (location: string) => {
    const store = stores.get(location) ?? memoryStore({ location })
    stores.set(location, store)
    return store
  }
  const keysOf = async (location: string) => {
    const keys: string[] = []
    for await (const page of stores.get(location)!.list({ prefix: '' })) keys.push(...page.map(({ key }) => key))
    return keys
  }
  /** Deletes the data files of a table but one. */
  const removeData = async (location: string, kept: string) => {
    const data = (await keysOf(location)).filter((key) => key.endsWith('.parquet') && key !== kept)
    for (const key of data) await stores.get(location)!.delete(key)
  }
  const open = () => {
    const backend = localBackend({ openStore, engine })
    const session = new SqlSession({ engine, backend, openStore, tables: new Map(), namesFolder: '/lake' })
    return async (text: string, parameters?: ParameterValues) => {
      const { schema, batches } = await session.run(text, parameters === undefined ? {} : { parameters })
      const lines: string[] = []
      for await (const batch of batches) for (const row of rowsOf(batch)) lines.push(rowToJson(row, schema))
      return lines
    }
  }
  return { open, keysOf, removeData }
}

describe.each([
  ['duckdb', duckdb],
  ['js', jsEngine()],
] as const)('a session on the engine %s', (_, engine) => {
  test('takes parameters as values, never as SQL', async () => {
    const sql = lake(engine).open()
    await sql('CREATE TABLE orders (id BIGINT, country STRING, amount DOUBLE)')
    const hostile = "DE'; \\' DROP TABLE orders; --"
    await sql('INSERT INTO orders VALUES (:id, :country, :amount), (2, ?, NULL)'.replace('?', ':other'), {
      id: 9007199254740993n,
      country: hostile,
      amount: 0.1,
      other: null,
    })
    await sql('UPDATE orders SET amount = ? WHERE country = ?', [2.5, hostile])
    expect(await sql('DELETE FROM orders WHERE country = :country', { country: hostile })).toEqual([
      '{"num_affected_rows":1}',
    ])
    await expect(sql('DELETE FROM orders WHERE id = :id', { other: 1 })).rejects.toThrow(code('UNBOUND_SQL_PARAMETER'))
  })

  test('keeps names for other sessions, and drops the files of tables that lie with them', async () => {
    const { open, keysOf } = lake(engine)
    const [one, two] = [open(), open()]
    await one("CREATE TABLE shop.orders (id INT) LOCATION '/elsewhere/orders'")
    await one('CREATE TABLE Own (id INT)')
    await one('INSERT INTO own VALUES (1)')
    expect(await two("SHOW TABLES LIKE '*o*'")).toHaveLength(2)
    await expect(two('CREATE TABLE own (id INT)')).rejects.toThrow(code('TABLE_OR_VIEW_ALREADY_EXISTS'))
    await two('ALTER TABLE own RENAME TO mine')
    await expect(one('INSERT INTO own VALUES (2)')).rejects.toThrow(code('TABLE_OR_VIEW_NOT_FOUND'))
    await two('DROP TABLE mine')
    await two('DROP TABLE shop.orders')
    expect(await one('SHOW TABLES')).toEqual([])
    expect(await keysOf('/lake/own')).toEqual([])
    expect(await keysOf('/elsewhere/orders')).not.toEqual([])
  })

  test('SHOW CREATE TABLE makes the same table again', async () => {
    const sql = lake(engine).open()
    await sql(`CREATE TABLE a (id BIGINT NOT NULL COMMENT 'it''s', \`b c\` STRUCT<x: INT, y: ARRAY<STRING>>, n BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 2),
      d DATE GENERATED ALWAYS AS (CAST(ts AS DATE)), ts TIMESTAMP, v VARCHAR(5), p STRING DEFAULT 'x\\\\y')
      PARTITIONED BY (p) COMMENT 'all of it' TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.feature.allowColumnDefaults' = 'supported', 'k' = 'v')`)
    const [made] = await sql('SHOW CREATE TABLE a')
    const { createtab_stmt: text } = JSON.parse(made!) as { createtab_stmt: string }
    await sql(text.replace('CREATE TABLE a', 'CREATE TABLE b'))
    const [again] = await sql('SHOW CREATE TABLE b')
    expect((JSON.parse(again!) as { createtab_stmt: string }).createtab_stmt).toBe(text.replace('TABLE a', 'TABLE b'))
    expect(await sql('DESCRIBE b')).toEqual(await sql('DESCRIBE a'))
  })

  test('EXPLAIN of a change tells what it would read, and changes nothing', async () => {
    const sql = lake(engine).open()
    await sql('CREATE TABLE t (id INT, p INT) PARTITIONED BY (p)')
    await sql('INSERT INTO t VALUES (1, 1), (2, 2)')
    const [plan] = await sql('EXPLAIN DELETE FROM t WHERE p = 1')
    expect(plan).toMatch(/files to read 1 .*skipped 1/)
    expect(await sql('DESCRIBE HISTORY t')).toHaveLength(2)
    expect(await sql('SHOW PARTITIONS t PARTITION (p = 2)')).toEqual(['{"p":2}'])
  })

  test('a query that asks no table answers as Spark does', async () => {
    const sql = lake(engine).open()
    await sql('CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRING>, d DOUBLE)')
    await sql(
      "INSERT INTO t SELECT id, named_struct('a', id * 2, 'b', concat('v', id)), id / 2 FROM range(1, 3) WHERE id > 1",
    )
    await sql(
      "INSERT INTO t SELECT * FROM VALUES (5L, null, 1.5D) AS v(a, b, c) UNION ALL SELECT 6, named_struct('a', 1, 'b', 'x'), null",
    )
    expect(await sql('DELETE FROM t WHERE id IN (2, 5) OR d IS NULL')).toEqual(['{"num_affected_rows":3}'])
    await expect(sql("INSERT INTO t (id) SELECT cast('x' AS INT)")).rejects.toThrow(code('CAST_INVALID_INPUT'))
  })
})

test.each(['OVERWRITE', 'INTO'])('rows that come while INSERT %s reads the table are a conflict', async (verb) => {
  const inner = memoryStore({ location: '/own' })
  let meanwhile: (() => Promise<unknown>) | undefined
  const store: ObjectStore = Object.create(inner)
  store.putIfAbsent = async (key, ...rest) => {
    const work = meanwhile
    meanwhile = undefined
    await work?.()
    return await inner.putIfAbsent(key, ...rest)
  }
  const openStore = async () => store
  const backend = localBackend({ openStore, engine: duckdb })
  const session = new SqlSession({ engine: duckdb, backend, openStore, tables: new Map() })
  const rows = async (text: string) => {
    const { batches } = await session.run(text)
    const found: unknown[] = []
    for await (const batch of batches) for (const row of rowsOf(batch)) found.push(row[0])
    return found
  }
  const own = 'delta.`/own`'
  await rows(`CREATE TABLE ${own} (id INT) USING delta`)
  await rows(`INSERT INTO ${own} VALUES (1), (2)`)
  meanwhile = () => rows(`INSERT INTO ${own} VALUES (3)`)
  await expect(rows(`INSERT ${verb} ${own} SELECT id FROM ${own} WHERE id > 1`)).rejects.toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^DELTA_CONCURRENT_APPEND/) }),
  )
  expect(await rows(`SELECT id FROM ${own} ORDER BY id`)).toEqual([1, 2, 3])
  await rows(`INSERT INTO ${own} SELECT id + 10 FROM ${own} VERSION AS OF 1`)
  const text = new TextDecoder().decode(await inner.get('_delta_log/00000000000000000003.json'))
  expect(text).toContain('"isBlindAppend":true')
})

test('a star leaves _metadata out, and NULL takes the type of its column', async () => {
  const sql = lake(duckdb).open()
  await sql("CREATE TABLE t (id INT, d DATE) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
  await sql("INSERT INTO t VALUES (1, DATE'2024-01-01')")
  await sql('INSERT INTO t SELECT id + 1, NULL FROM t')
  expect(await sql('SELECT *, _metadata.row_id FROM t ORDER BY id')).toEqual([
    '{"id":1,"d":"2024-01-01","row_id":0}',
    '{"id":2,"d":null,"row_id":1}',
  ])
  expect(await sql('SELECT id FROM t WHERE id = ? AND d IS NULL', [2])).toEqual(['{"id":2}'])
  expect(await sql('EXPLAIN SELECT * FROM t')).toHaveLength(1)
})

test('a lookup opens the files that can hold the row, and EXPLAIN says how many', async () => {
  const { open, keysOf, removeData } = lake(duckdb)
  const sql = open()
  await sql('CREATE TABLE t (id INT, v STRING)')
  for (let first = 0; first < 10; first++) await sql(`INSERT INTO t VALUES (${first}0, 'a'), (${first}9, 'b')`)
  const opened = async (query: string) => /files_opened (\d+ of \d+)/.exec((await sql(`EXPLAIN ${query}`))[0]!)?.[1]
  expect(await opened('SELECT * FROM t')).toBe('10 of 10')
  expect(await opened('SELECT * FROM t WHERE id IN (30, 79)')).toBe('2 of 10')
  const lookup = 'SELECT v FROM t WHERE id = 79'
  expect(await opened(lookup)).toBe('1 of 10')
  // what it does not open it does not miss
  const [path] = await sql('SELECT _metadata.file_path AS p FROM t WHERE id = 79')
  const kept = (await keysOf('/lake/t')).find((key) => path!.includes(key))
  await removeData('/lake/t', kept!)
  expect(await sql(lookup)).toEqual(['{"v":"b"}'])
  await expect(sql('SELECT * FROM t')).rejects.toThrow(code('FAILED_READ_FILE.FILE_NOT_EXIST'))
})
