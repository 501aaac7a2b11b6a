/** Statements as text, over both engines where the statement needs no query of the engine's own. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Batch, Engine } from '../../src/engine/index.ts'
import { rowsOf } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { rowToJson, type StructType } from '../../src/schema/index.ts'
import { SqlSession } from '../../src/sql/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { memoryStore } from '../../src/storage/memory/index.ts'
import { localBackend } from '../../src/table/index.ts'

const duckdb = duckdbEngine()
afterAll(() => duckdb.close())

const CREATE = `CREATE TABLE orders (
    id BIGINT NOT NULL, country STRING, amount DECIMAL(10,2) DEFAULT 1.5, day DATE GENERATED ALWAYS AS (CAST(ts AS DATE)), ts TIMESTAMP
  ) USING delta PARTITIONED BY (country) LOCATION '/lake/orders'
  TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported', 'delta.enableDeletionVectors' = 'true')`

interface Opened {
  sql(text: string): Promise<string[]>
  /** the rows of the table of orders by id, as the engine reads them */
  orders(): Promise<string[]>
}

function openSession(engine: Engine): Opened {
  const stores = new Map<string, ObjectStore>()
  const openStore = async (location: string) => {
    const store = stores.get(location) ?? memoryStore({ location })
    stores.set(location, store)
    return store
  }
  const clock = { now: () => Date.UTC(2024, 1, 29, 12) }
  const backend = localBackend({ openStore, engine, clock })
  const session = new SqlSession({ engine, backend, openStore, tables: new Map(), clock })
  return {
    sql: async (text) => {
      const { schema, batches } = await session.run(text)
      return await linesOf(schema, batches)
    },
    orders: async () => {
      const select = ['id', 'country', 'amount', 'day']
      const scan = await backend.execute({ kind: 'scan', table: { location: '/lake/orders' }, select })
      return (await linesOf(scan.schema, scan.batches())).sort()
    },
  }
}

async function linesOf(schema: StructType, batches: AsyncIterable<Batch>): Promise<string[]> {
  const lines: string[] = []
  for await (const batch of batches) for (const row of rowsOf(batch)) lines.push(rowToJson(row, schema))
  return lines
}

const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each([
  ['duckdb', duckdb],
  ['js', jsEngine()],
] as const)('statements on the engine %s', (_, engine) => {
  let sql: Opened['sql']
  let orders: Opened['orders']
  const expectRows = async (...expected: readonly string[]) => expect(await orders()).toEqual(expected)

  beforeEach(async () => {
    ;({ sql, orders } = openSession(engine))
    await sql(CREATE)
    await sql(`INSERT INTO orders (id, country, amount, ts) VALUES
      (1, 'FR', 10, TIMESTAMP'2024-01-31 12:00:00'), (2, 'DE', DEFAULT, NULL), (3, NULL, 3.25, now())`)
  })

  test('INSERT puts values, defaults and the time of the statement in', async () => {
    await expectRows(
      '{"id":1,"country":"FR","amount":10.00,"day":"2024-01-31"}',
      '{"id":2,"country":"DE","amount":1.50,"day":null}',
      '{"id":3,"country":null,"amount":3.25,"day":"2024-02-29"}',
    )
    expect(await sql('SHOW COLUMNS IN orders')).toHaveLength(5)
  })

  test('UPDATE and DELETE count the rows they touched, names written with an alias or without', async () => {
    expect(await sql("UPDATE orders o SET o.amount = o.amount * 2 WHERE o.country = 'FR' OR id = 3")).toEqual([
      '{"num_affected_rows":2}',
    ])
    expect(await sql('DELETE FROM orders WHERE orders.id = 2')).toEqual(['{"num_affected_rows":1}'])
    await expectRows(
      '{"id":1,"country":"FR","amount":20.00,"day":"2024-01-31"}',
      '{"id":3,"country":null,"amount":6.50,"day":"2024-02-29"}',
    )
    expect(await sql('TRUNCATE TABLE orders')).toEqual([])
    await expectRows()
  })

  test('MERGE takes a table as its source', async () => {
    await sql("CREATE TABLE late (id BIGINT, country STRING) USING delta LOCATION '/lake/late'")
    await sql("INSERT INTO late VALUES (1, 'XX'), (9, 'YY')")
    const merged = await sql(`MERGE INTO orders t USING late s ON t.id = s.id
      WHEN MATCHED THEN UPDATE SET t.country = s.country WHEN NOT MATCHED THEN INSERT (id, country) VALUES (s.id, s.country)`)
    expect(merged).toEqual(['{"num_affected_rows":2,"num_updated_rows":1,"num_deleted_rows":0,"num_inserted_rows":1}'])
  })

  test('INSERT OVERWRITE of a partition and REPLACE WHERE leave the other rows', async () => {
    await sql("INSERT OVERWRITE orders PARTITION (country = 'FR') VALUES (7, 7, NULL, NULL)")
    await sql("INSERT INTO orders REPLACE WHERE country = 'DE' VALUES (8, 'DE', 8, NULL, NULL)")
    await expectRows(
      '{"id":3,"country":null,"amount":3.25,"day":"2024-02-29"}',
      '{"id":7,"country":"FR","amount":7.00,"day":null}',
      '{"id":8,"country":"DE","amount":8.00,"day":null}',
    )
    await sql('SET spark.sql.sources.partitionOverwriteMode = dynamic')
    await sql("INSERT OVERWRITE orders VALUES (9, 'DE', 9, NULL, NULL)")
    await expectRows(
      '{"id":3,"country":null,"amount":3.25,"day":"2024-02-29"}',
      '{"id":7,"country":"FR","amount":7.00,"day":null}',
      '{"id":9,"country":"DE","amount":9.00,"day":null}',
    )
  })

  test('ALTER TABLE and COMMENT change what the table is', async () => {
    await sql("ALTER TABLE orders ADD COLUMN note STRING COMMENT 'free text' AFTER id")
    await sql('ALTER TABLE orders ADD CONSTRAINT positive CHECK (amount > 0)')
    await sql("COMMENT ON TABLE orders IS 'all orders'")
    expect((await sql('DESCRIBE orders'))[1]).toBe('{"col_name":"note","data_type":"string","comment":"free text"}')
    expect(await sql('SHOW TBLPROPERTIES orders (delta.constraints.positive)')).toEqual([
      '{"key":"delta.constraints.positive","value":"amount > 0"}',
    ])
    await expect(sql('INSERT INTO orders (id, amount) VALUES (4, -1)')).rejects.toThrow(
      code('DELTA_VIOLATE_CONSTRAINT_WITH_VALUES'),
    )
    const history = await sql('DESCRIBE HISTORY orders LIMIT 3')
    expect(history.map((line) => (JSON.parse(line) as { operation: string }).operation)).toEqual([
      'SET TBLPROPERTIES',
      'ADD CONSTRAINT',
      'ADD COLUMNS',
    ])
  })

  test('names are let go and shown', async () => {
    expect(await sql("SHOW TABLES LIKE 'ord*|x'")).toEqual([
      '{"namespace":"","tableName":"orders","isTemporary":false}',
    ])
    await sql('DROP TABLE orders')
    await expect(sql('DESCRIBE orders')).rejects.toThrow(code('TABLE_OR_VIEW_NOT_FOUND'))
    expect(await sql('SHOW COLUMNS IN delta.`/lake/orders`')).toHaveLength(5)
  })

  test.each([
    ['ANALYZE TABLE orders COMPUTE STATISTICS', 'LAKE_STATEMENT_UNSUPPORTED'],
    ["CREATE TABLE x (a INT) USING parquet LOCATION '/x'", 'LAKE_STATEMENT_UNSUPPORTED'],
    ['CREATE TABLE x (a INT)', 'LAKE_STATEMENT_UNSUPPORTED'],
    ['SET spark.sql.shuffle.partitions = 3', 'LAKE_SETTING_UNKNOWN'],
    ['SET spark.sql.sources.partitionOverwriteMode = often', 'LAKE_INVALID_OPTION'],
    ['INSERT INTO orders VALUES (1)', 'DELTA_INSERT_COLUMN_ARITY_MISMATCH'],
    ['INSERT INTO orders VALUES (1, 2), (1)', 'INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH'],
    ['INSERT INTO orders PARTITION (amount = 1) VALUES (1)', 'NON_PARTITION_COLUMN'],
    ['DELETE FROM orders WHERE id = :id', 'UNBOUND_SQL_PARAMETER'],
    ['DELETE FROM orders WHERE id IN (SELECT 1)', 'DELTA_UNSUPPORTED_SUBQUERY'],
    ['UPDATE nothing SET a = 1', 'TABLE_OR_VIEW_NOT_FOUND'],
  ])('%s is refused', async (text, expected) => {
    const before = await sql('DESCRIBE HISTORY orders')
    await expect(sql(text)).rejects.toThrow(code(expected))
    expect(await sql('DESCRIBE HISTORY orders')).toEqual(before)
  })
})

test('INSERT of a query puts its columns by place, casts them where it must, and may read its own table', async () => {
  const { sql } = openSession(duckdb)
  await sql("CREATE TABLE a (id BIGINT, n INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '/a'")
  await sql("INSERT INTO a SELECT x AS p, 1 AS other, 'a' AS id FROM range(2) r(x)")
  await sql("INSERT INTO a PARTITION (p = 'b') SELECT i, i FROM range(5, 6) r(i)")
  await sql('INSERT INTO a SELECT id + 10, n, p FROM a')
  await sql('INSERT INTO a (p, id) SELECT NULL, id FROM a WHERE id = 0')
  expect(await sql('SELECT * FROM a ORDER BY id, n NULLS LAST')).toEqual([
    '{"id":0,"n":1,"p":"a"}',
    '{"id":0,"n":null,"p":null}',
    '{"id":1,"n":1,"p":"a"}',
    '{"id":5,"n":5,"p":"b"}',
    '{"id":10,"n":1,"p":"a"}',
    '{"id":11,"n":1,"p":"a"}',
    '{"id":15,"n":5,"p":"b"}',
  ])
  await expect(sql('INSERT INTO a SELECT 3_000_000_000 * i, 3_000_000_000, NULL FROM range(1) r(i)')).rejects.toThrow(
    code('CAST_OVERFLOW_IN_TABLE_INSERT'),
  )
  await expect(sql("INSERT INTO a SELECT error('stop'), 1, NULL FROM range(1) r(i)")).rejects.toThrow(
    code('LAKE_QUERY_FAILED'),
  )
  expect(await sql('SELECT count(*) AS n FROM a')).toEqual(['{"n":7}'])
})

test('CREATE TABLE AS SELECT and INSERT of a query move the rows of queries', async () => {
  const { sql } = openSession(duckdb)
  await sql("CREATE TABLE a USING delta LOCATION '/a' AS SELECT i AS id, 'x' || i AS v FROM range(3) t(i)")
  await sql('INSERT INTO a WITH more AS (SELECT 10 AS id) SELECT id, NULL::VARCHAR FROM more')
  expect(await sql('SELECT * FROM a ORDER BY id')).toEqual([
    '{"id":0,"v":"x0"}',
    '{"id":1,"v":"x1"}',
    '{"id":2,"v":"x2"}',
    '{"id":10,"v":null}',
  ])
  await sql("CREATE TABLE b LIKE a LOCATION '/b'")
  expect(await sql('SELECT count(*) AS n FROM b')).toEqual(['{"n":0}'])
})
