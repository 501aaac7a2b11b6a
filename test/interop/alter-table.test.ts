/** Tables that we changed, changed further by Spark, and read by both. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeTables, DeltaTable } from '../../src/index.ts'
import { oracleMissing, runOnSpark, type SparkAnswer } from './oracle.ts'

interface AlteredTable {
  readonly name: string
  /** what we do first */
  make(path: string): Promise<unknown>
  /** statements of Spark behind it, `{t}` the table; the last one reads it */
  readonly spark: readonly string[]
  /** the rows of the last statement */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** what we add at the end, behind Spark's commits */
  end(table: DeltaTable): Promise<unknown>
}

const create = (path: string, columns: string) => DeltaTable.create().location(path).addColumns(columns)

const TABLES: readonly AlteredTable[] = [
  {
    name: 'columns-mapped',
    async make(path) {
      const table = await create(path, 'id INT, name STRING, amount DOUBLE, st STRUCT<a: INT, b: INT>').execute()
      await table.append([{ id: 1, name: 'x', amount: 1.5, st: { a: 1, b: 2 } }])
      await table.setProperties({ 'delta.columnMapping.mode': 'name' })
      await table.renameColumn('name', 'new label')
      await table.dropColumns(['amount', 'st.b'])
      await table.addColumns([
        { name: 'amount', type: 'INT', position: 'first' },
        { name: 'st.c', type: 'STRING' },
      ])
      await table.append([{ id: 2, 'new label': 'y', amount: 7, st: { a: 3, c: 'c' } }])
    },
    spark: [
      'ALTER TABLE {t} RENAME COLUMN `new label` TO label',
      'ALTER TABLE {t} ADD COLUMN (n INT AFTER id)',
      "INSERT INTO {t} VALUES (8, 3, 9, 'z', named_struct('a', 4, 'c', 'd'))",
      'UPDATE {t} SET amount = -1 WHERE amount IS NULL',
      'SELECT * FROM {t} ORDER BY id',
    ],
    rows: [
      { amount: -1, id: 1, n: null, label: 'x', st: { a: 1, c: null } },
      { amount: 7, id: 2, n: null, label: 'y', st: { a: 3, c: 'c' } },
      { amount: 8, id: 3, n: 9, label: 'z', st: { a: 4, c: 'd' } },
    ],
    end: (table) => table.dropColumn('n'),
  },
  {
    name: 'types-widened',
    async make(path) {
      const builder = create(path, 'id TINYINT, d DECIMAL(5,2), arr ARRAY<SMALLINT>, dt DATE')
      const properties = { 'delta.enableTypeWidening': 'true', 'delta.feature.timestampNtz': 'supported' }
      const table = await builder.properties(properties).execute()
      await table.append([{ id: 1, d: '1.25', arr: [1, 2], dt: '2024-01-01' }])
      await table.changeColumn('id', { type: 'INT' })
      await table.changeColumn('d', { type: 'DECIMAL(10,4)' })
      await table.changeColumn('arr.element', { type: 'BIGINT' })
      await table.changeColumn('dt', { type: 'TIMESTAMP_NTZ' })
      await table.append([{ id: 70000, d: '123456.7891', arr: [9007199254740993n], dt: '2024-01-02T03:04:05.678901' }])
    },
    spark: [
      'ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT',
      "INSERT INTO {t} VALUES (3, 0.5, array(3), TIMESTAMP_NTZ'2024-01-03 00:00:00')",
      'SELECT id, CAST(d AS STRING) AS d, arr, CAST(dt AS STRING) AS dt FROM {t} ORDER BY id',
    ],
    rows: [
      { id: '1', d: '1.2500', arr: ['1', '2'], dt: '2024-01-01 00:00:00' },
      { id: '3', d: '0.5000', arr: ['3'], dt: '2024-01-03 00:00:00' },
      { id: '70000', d: '123456.7891', arr: ['9007199254740993'], dt: '2024-01-02 03:04:05.678901' },
    ],
    end: (table) => table.changeColumn('d', { type: 'DECIMAL(12,5)' }),
  },
  {
    name: 'replaced-and-clustered',
    async make(path) {
      await (await create(path, 'old STRING').property('delta.enableChangeDataFeed', 'true').execute()).append([
        { old: 'x' },
      ])
      const columns = 'id INT, g INT, v STRING'
      const table = await DeltaTable.replace().location(path).addColumns(columns).clusterBy('id').execute()
      await table.append([{ id: 1, g: 2, v: 'a' }])
      await table.addConstraint('positive', 'id > 0')
      await table.clusterBy(['v', 'id'])
      await table.addFeatureSupport('vacuumProtocolCheck')
    },
    spark: [
      'INSERT INTO {t} VALUES (2, 3, null)',
      'OPTIMIZE {t}',
      'ALTER TABLE {t} CLUSTER BY (g)',
      'ALTER TABLE {t} DROP CONSTRAINT positive',
      'SELECT * FROM {t} ORDER BY id',
    ],
    rows: [
      { id: 1, g: 2, v: 'a' },
      { id: 2, g: 3, v: null },
    ],
    end: (table) => table.clusterBy([]),
  },
]

const missing = oracleMissing()
let folder: string
const pathOf = ({ name }: AlteredTable) => join(folder, name)
const answers = new Map<string, readonly SparkAnswer[]>()

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-alter-'))
  for (const table of TABLES) await table.make(pathOf(table))
  const statements = TABLES.flatMap((table) => {
    return table.spark.map((sql) => sql.replaceAll('{t}', `delta.\`${pathOf(table)}\``))
  })
  let at = 0
  const all = runOnSpark(statements)
  for (const table of TABLES) {
    answers.set(table.name, all.slice(at, at + table.spark.length))
    at += table.spark.length
  }
}, 300_000)

afterAll(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true })
  await closeTables()
})

describe('a table that we changed', () => {
  if (missing !== undefined) return test.skip(missing, () => {})
  test.each(TABLES.map((table) => [table.name, table] as const))('%s is changed further by Spark', (name, { rows }) => {
    const given = answers.get(name)!
    expect(given.map(({ error }) => error?.message).filter(Boolean)).toEqual([])
    expect(given.at(-1)!.rows).toEqual(rows)
  })

  test.each(TABLES.map((table) => [table.name, table] as const))(
    '%s is read and changed here again',
    async (_, table) => {
      const handle = await DeltaTable.forPath(pathOf(table))
      expect(await handle.count()).toBe(table.rows.length)
      expect(await handle.rows()).toHaveLength(table.rows.length)
      await table.end(handle)
      expect(await handle.rows()).toHaveLength(table.rows.length)
    },
  )
})
