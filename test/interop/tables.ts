/** Tables of ours that other engines read: types at their extremes, partitions with hard values, logs of every length. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeltaTable, parseTableSchema } from '../../src/index.ts'
import { repositoryRoot } from '../support/shared.ts'

export interface MadeTable {
  readonly name: string
  make(path: string): Promise<void>
}

const ALL_TYPES =
  'id INT, b BOOLEAN, t TINYINT, s SMALLINT, l BIGINT, f FLOAT, d DOUBLE, dec9 DECIMAL(9,2), dec18 DECIMAL(18,6), ' +
  'dec38 DECIMAL(38,10), str STRING, bin BINARY, day DATE, ts TIMESTAMP, ' +
  'st STRUCT<x: BIGINT, y: ARRAY<STRING>>, arr ARRAY<INT>, m MAP<STRING, DECIMAL(10,1)>'

const EXTREMES = [
  {
    id: 1,
    b: true,
    t: 127,
    s: 32_767,
    l: 9_223_372_036_854_775_807n,
    f: 3.4028234663852886e38,
    d: 1.7976931348623157e308,
    dec9: '9999999.99',
    dec18: '999999999999.999999',
    dec38: '9999999999999999999999999999.9999999999',
    str: 'a\u0000b"\\ é 日本 🌍',
    bin: new Uint8Array([0, 255, 128]),
    day: '9999-12-31',
    ts: '9999-12-31T23:59:59.999999Z',
    st: { x: -9_223_372_036_854_775_808n, y: ['', null, 'z'] },
    arr: [1, null, -2_147_483_648],
    m: [
      { key: 'a', value: '1.5' },
      { key: '', value: null },
    ],
  },
  {
    id: 2,
    b: false,
    t: -128,
    s: -32_768,
    l: 9_007_199_254_740_993n,
    f: -0,
    d: Number.NaN,
    dec9: '-0.01',
    dec18: '-1.000000',
    dec38: '0.0000000001',
    str: '',
    bin: new Uint8Array(),
    day: '1500-01-01',
    ts: '1883-11-18T12:00:00.123456Z',
    st: { x: null, y: [] },
    arr: [],
    m: [],
  },
  { id: 3, d: Number.POSITIVE_INFINITY },
  { id: 4 },
]

const HARD_TEXTS = ['a b', 'a/b', 'a%2Fb', 'é', 'x=y', "it's", '..', '日本', '{}', '~+&', '2024-12-13 00:00:00']

export const madeTables: readonly MadeTable[] = [
  {
    name: 'types',
    async make(path) {
      await DeltaTable.write(path, EXTREMES, { schema: parseTableSchema(ALL_TYPES) })
    },
  },
  {
    name: 'ntz',
    async make(path) {
      const schema = parseTableSchema('id INT, at TIMESTAMP_NTZ')
      await DeltaTable.write(
        path,
        [
          { id: 1, at: '0001-01-01T00:00:00.000001' },
          { id: 2, at: null },
        ],
        { schema },
      )
    },
  },
  {
    name: 'partitioned',
    async make(path) {
      const schema = parseTableSchema('id INT, p STRING, day DATE, ts TIMESTAMP')
      const rows = [...HARD_TEXTS, null].map((p, id) => ({
        id,
        p,
        day: id % 2 === 0 ? '2024-02-29' : null,
        ts: '2024-01-01T00:00:00.000001Z',
      }))
      await DeltaTable.write(path, rows, { schema, partitionBy: ['p', 'day', 'ts'] })
    },
  },
  {
    name: 'history',
    async make(path) {
      const schema = parseTableSchema('id BIGINT, name STRING')
      await DeltaTable.write(path, [{ id: 0n, name: 'v0' }], { schema })
      const table = await DeltaTable.forPath(path)
      for (let version = 1n; version <= 12n; version++) await table.append([{ id: version, name: `v${version}` }])
      await table.overwrite([{ id: 100n, name: 'over' }])
      await table.append([{ id: 101n, name: 'wider', extra: 'new' }], { mergeSchema: true })
    },
  },
  {
    name: 'variants',
    async make(path) {
      const schema = parseTableSchema('id INT, v VARIANT, l ARRAY<VARIANT>')
      const deep = { a: 1, b: [1, 2n ** 40n, { c: 'x', Z: false }], d: null, e: -1.5, 'é"': 'x'.repeat(300) }
      const rows = [deep, 'text', 70_000, [], {}, true, null, Array.from({ length: 300 }, (_, i) => ({ i }))]
      await DeltaTable.write(
        path,
        rows.map((v, id) => ({ id, v, l: [v, 1] })),
        { schema },
      )
    },
  },
  {
    name: 'streamed',
    async make(path) {
      const config = `${path}.json`
      const source = {
        id: 'made',
        type: 'generator',
        count: 5000,
        batchRecords: 500,
        schema: 'id BIGINT, at TIMESTAMP, p STRING',
      }
      const lake = { id: 'lake', type: 'delta', location: path, bufferBytes: 1_048_576, fileIntervalSecs: 1 }
      writeFileSync(
        config,
        JSON.stringify({ sources: [source], routes: [{ source: 'made', destination: 'lake' }], destinations: [lake] }),
      )
      execFileSync(process.execPath, [join(repositoryRoot, 'dist/cli/main.js'), 'run', config, '--once', '--quiet'])
    },
  },
]
