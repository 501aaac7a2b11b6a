/** Files of tables of every kind written anew by both engines: rows, ids and rules are as they were. */
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { type DeltaTable, deltaTables, localBackend } from '../../src/table/index.ts'

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
afterAll(() => duckdb.close())

interface Kind {
  readonly name: string
  readonly columns: string
  readonly partitionBy?: readonly string[]
  readonly clusterBy?: readonly string[]
  readonly properties?: Readonly<Record<string, string>>
  readonly pages: readonly (readonly Record<string, unknown>[])[]
  readonly between?: (table: DeltaTable) => Promise<unknown>
  readonly zOrderBy?: readonly string[]
}

const HARD = ['a b', 'a%20b', 'é', 'x=y', '~', '2024-12-13 00:00:00', 'a/b', '', null]

const KINDS: readonly Kind[] = [
  {
    name: 'UP-06 partitions whose values differ by escaping alone',
    columns: 'id INT, p STRING',
    partitionBy: ['p'],
    pages: [HARD.map((p, id) => ({ id, p })), HARD.map((p, id) => ({ id: id + 100, p }))],
    zOrderBy: ['id'],
  },
  {
    name: 'partitions of times and dates',
    columns: 'id INT, t TIMESTAMP, d DATE',
    partitionBy: ['t', 'd'],
    pages: [
      [{ id: 1, t: '2024-12-13T00:00:00.000001Z', d: '2024-12-13' }],
      [{ id: 2, t: '2024-12-13T00:00:00.000001Z', d: '2024-12-13' }, { id: 3 }],
      [{ id: 4 }],
    ],
    zOrderBy: ['id'],
  },
  {
    name: 'nested values',
    columns: 'id INT, s STRUCT<a: INT, l: ARRAY<STRING>>, m MAP<STRING, DECIMAL(10,1)>',
    pages: [
      [{ id: 1, s: { a: 1, l: ['', null] }, m: [{ key: 'k', value: '1.5' }] }, { id: 2 }],
      [{ id: 3, s: { a: null, l: null }, m: [] }],
    ],
    zOrderBy: ['s.a', 'id'],
  },
  {
    name: 'numbers at their ends',
    columns: 'l BIGINT, d DOUBLE, f FLOAT, c DECIMAL(38,10), ts TIMESTAMP, day DATE',
    pages: [
      [
        { l: 2n ** 63n - 1n, d: Number.NaN, f: -0, c: '9999999999999999999999999999.9999999999' },
        { l: -(2n ** 63n), d: Number.POSITIVE_INFINITY, f: 0, c: '-0.0000000001' },
      ],
      [{ l: 0n, d: Number.NEGATIVE_INFINITY, ts: '9999-12-31T23:59:59.999999Z', day: '0001-01-01' }, { d: -0 }],
    ],
    zOrderBy: ['l', 'd', 'f', 'c', 'ts', 'day'],
  },
  {
    name: 'types that were widened',
    columns: 'id INT, n INT',
    properties: { 'delta.enableTypeWidening': 'true' },
    pages: [[{ id: 1, n: 1 }], [{ id: 2, n: 2n ** 40n }]],
    between: (table) => table.changeColumn('n', { type: 'BIGINT' }),
    zOrderBy: ['n'],
  },
  {
    name: 'mapped columns, renamed and dropped ones, deleted rows',
    columns: 'id INT, a STRING, b INT',
    properties: { 'delta.columnMapping.mode': 'name', 'delta.enableDeletionVectors': 'true' },
    pages: [
      [
        { id: 1, a: 'x', b: 1 },
        { id: 2, a: 'y', b: 2 },
      ],
      [{ id: 3, c: 'z' }],
    ],
    between: async (table) => {
      await table.delete('id = 1')
      await table.renameColumn('a', 'c')
      await table.dropColumn('b')
    },
    zOrderBy: ['c'],
  },
  {
    name: 'rows that are tracked',
    columns: 'id INT',
    properties: { 'delta.enableRowTracking': 'true', 'delta.enableDeletionVectors': 'true' },
    pages: [[{ id: 1 }, { id: 2 }], [{ id: 3 }]],
    between: (table) => table.update({ where: 'id = 1', set: { id: '10' } }),
    zOrderBy: ['id'],
  },
  {
    name: 'rules of rows',
    columns: 'id INT NOT NULL, c CHAR(4), v VARCHAR(3)',
    properties: { 'delta.constraints.positive': 'id > 0', 'delta.randomizeFilePrefixes': 'true' },
    pages: [[{ id: 1, c: 'ab', v: 'x' }], [{ id: 2, c: null, v: '' }]],
    zOrderBy: ['c', 'v'],
  },
  {
    name: 'clustering through a struct',
    columns: 'id INT, s STRUCT<t: TIMESTAMP>',
    clusterBy: ['s.t', 'id'],
    pages: [[{ id: 1, s: { t: '2024-01-01T00:00:00Z' } }, { id: 2 }], [{ id: 3, s: { t: null } }]],
  },
]

async function lines(table: DeltaTable, ids: boolean): Promise<string[]> {
  const rows = await table.rows({ as: 'exact', rowIds: ids })
  return rows
    .map((row) =>
      JSON.stringify(row, (_, v) =>
        typeof v === 'bigint' ? `${v}n` : Object.is(v, -0) ? '-0' : String(v) === 'NaN' ? 'NaN' : v,
      ),
    )
    .sort()
}

describe.each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('on %s', (_, engine) => {
  test.each(KINDS)(
    '$name',
    async ({ columns, partitionBy = [], clusterBy = [], properties = {}, pages, between, zOrderBy }) => {
      const store = memoryStore()
      const tables = deltaTables(() => localBackend({ openStore: async () => store, engine }))
      const builder = tables
        .create()
        .location('/t')
        .addColumns(columns)
        .partitionedBy(...partitionBy)
        .properties(properties)
      const table = await (clusterBy.length > 0 ? builder.clusterBy(...clusterBy) : builder).execute()
      await table.append(pages[0]!)
      await between?.(table)
      for (const page of pages.slice(1)) await table.append(page)
      const tracked = 'delta.enableRowTracking' in properties
      const before = await lines(table, tracked)
      const version = await table.version()
      expect((await table.optimize().executeCompaction()).versions).toEqual([version + 1])
      expect(await lines(table, tracked)).toEqual(before)
      if (zOrderBy !== undefined) {
        await table.optimize().executeZOrderBy(...zOrderBy)
        expect(await lines(table, tracked)).toEqual(before)
      }
      expect((await table.purge()).versions).toEqual([])
      expect(await lines(await table.versionAsOf(version), tracked)).toEqual(before)
    },
  )
})
