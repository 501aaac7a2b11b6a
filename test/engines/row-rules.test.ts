/** What a table asks of rows, kept by every way of writing them, on both engines. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { readCommit } from '../../src/kernel/index.ts'
import {
  arrayType,
  dateType,
  doubleType,
  field,
  integerType,
  longType,
  mapType,
  type Row,
  type StructField,
  stringType,
  structType,
  timestampType,
} from '../../src/schema/index.ts'
import { JsonNumber } from '../../src/support/index.ts'
import { deltaTables } from '../../src/table/index.ts'
import { identity, sorted, TableGround } from './table-ground.ts'

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
afterAll(() => duckdb.close())

const PRICED = [field('id', integerType), field('price', doubleType), field('name', stringType)]
const POSITIVE = {
  'delta.constraints.positive': 'price > 0',
  'delta.constraints.name not empty': "length(name) > 0 AND name <> 'bad'",
}

const EVENTS = [
  field('id', longType),
  field('ts', timestampType),
  field('day', dateType, true, { 'delta.generationExpression': 'CAST(ts AS DATE)' }),
  field('dbl', longType, true, { 'delta.generationExpression': 'id * 2' }),
]

const WITH_DEFAULTS = [
  field('id', integerType),
  field('a', stringType, true, { CURRENT_DEFAULT: "'dflt'" }),
  field('b', integerType, false, { CURRENT_DEFAULT: '1 + 1' }),
  field('at', timestampType, true, { CURRENT_DEFAULT: 'current_timestamp()' }),
  field('twice', integerType, true, { 'delta.generationExpression': 'b * 2' }),
]

describe.each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('the %s engine', (_, engine) => {
  const ground = new TableGround(engine)
  beforeEach(() => ground.begin())

  describe('CHECK constraints', () => {
    test('a row that breaks one fails the write with its values; NULL breaks it too', async () => {
      const table = await ground.make(PRICED, POSITIVE)
      await table.append([{ id: 1, price: 10, name: 'a' }])
      for (const [row, constraint, values] of [
        [{ id: 3, price: -1, name: 'c' }, 'positive (price > 0)', 'price : -1.0'],
        [{ id: 4, price: null, name: 'c' }, 'positive (price > 0)', 'price : null'],
        [{ id: 5, price: 1, name: '' }, "name not empty ((length(name) > 0) AND (NOT (name = 'bad')))", 'name : '],
      ] as const) {
        const own = { code: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES', sqlState: '23001' }
        const message = `a row breaks the CHECK constraint ${constraint}; it holds ${values}`
        expect(await ground.refusal(() => table.append([{ id: 2, price: 2, name: 'b' }, row]))).toMatchObject({
          ...own,
          message,
        })
        expect(await ground.refusal(() => table.overwrite([row]))).toMatchObject(own)
        const moved: Row = [row.id, row.price, row.name]
        expect(await ground.refusal(() => ground.move(PRICED, [moved]))).toMatchObject({ ...own, message })
      }
      expect(await table.count()).toBe(1)
    })

    test('one that this package cannot evaluate is named before anything is written', async () => {
      const table = await ground.make(PRICED, { 'delta.constraints.odd': 'rand() < 2' })
      const error = await ground.refusal(() => table.append([{ id: 1, price: 10, name: 'a' }]))
      expect(error.code).toBe('LAKE_CONSTRAINT_UNSUPPORTED')
      expect(error.message).toContain('odd, which is rand() < 2')
    })

    test('one that asks for the time is tried with that of the write', async () => {
      const table = await ground.make(PRICED, {
        'delta.constraints.late': "current_date() > DATE'2026-01-01' OR id = 1",
      })
      await table.append([{ id: 1 }])
      expect((await ground.refusal(() => table.append([{ id: 2 }]))).code).toBe('DELTA_VIOLATE_CONSTRAINT_WITH_VALUES')
      ground.now += 86_400_000
      await table.append([{ id: 2 }])
    })

    test('invariants are checked, NULL breaks them', async () => {
      const invariant = JSON.stringify({ expression: { expression: 'id > 3' } })
      const table = await ground.make([field('id', integerType, true, { 'delta.invariants': invariant })])
      await table.append([{ id: 4 }])
      expect(await ground.refusal(() => table.append([{ id: 3 }]))).toMatchObject({
        code: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES',
      })
      expect((await ground.refusal(() => ground.move([field('id', integerType)], [[null]]))).message).toContain(
        'id : null',
      )
    })
  })

  describe('declared lengths', () => {
    test('hold at any depth, however the rows come', async () => {
      const declared = (name: string, type: StructField['type'], text: string) =>
        field(name, type, true, { __CHAR_VARCHAR_TYPE_STRING: text })
      const st = structType([field('x', stringType), field('y', stringType)])
      const fields = [
        declared('c', stringType, 'char(5)'),
        declared('a', arrayType(stringType), 'array<varchar(3)>'),
        declared('st', st, 'struct<x:char(2),y:string>'),
        declared('m', mapType(stringType, arrayType(stringType)), 'map<varchar(2),array<varchar(1)>>'),
      ]
      const table = await ground.make(fields)
      const good: Row = ['12345', ['abc', null], ['ab', 'long enough'], [{ key: 'ab', value: ['😀', null] }]]
      await ground.move(fields, [good, [null, null, null, null], ['', [], [null, null], []]])
      for (const [ordinal, value, column] of [
        [0, 'toolong', 'c'],
        [1, ['a', 'abcd'], 'a'],
        [2, ['abc', 'y'], 'st'],
        [3, [{ key: 'abc', value: null }], 'm'],
        [3, [{ key: 'a', value: ['ab'] }], 'm'],
      ] as const) {
        const bad = good.map((own, i) => (i === ordinal ? (value as Row[number]) : own))
        const error = await ground.refusal(() => ground.move(fields, [bad]))
        expect(error).toMatchObject({ code: 'DELTA_EXCEED_CHAR_VARCHAR_LIMIT', sqlState: '22001' })
        expect(error.details.column).toBe(column)
      }
      expect((await ground.refusal(() => table.append([{ a: ['abcd'] }]))).code).toBe('DELTA_EXCEED_CHAR_VARCHAR_LIMIT')
      expect(await table.count()).toBe(3)
    })
  })

  describe('generated columns', () => {
    const ROW = { id: 1n, ts: '2024-05-05T23:59:59Z' }

    test('are computed where they are left out, and checked where they are given', async () => {
      const table = await ground.make(EVENTS, {}, ['day'])
      await table.append([ROW, { id: 2n, ts: null }, { ...ROW, id: 3n, day: '2024-05-05', dbl: 6 }])
      await ground.move([field('ts', timestampType), field('id', longType)], [[0n, 7n]])
      expect(await sorted(table)).toEqual([
        '{"id":"1","ts":"2024-05-05T23:59:59Z","day":"2024-05-05","dbl":"2"}',
        '{"id":"2","ts":null,"day":null,"dbl":"4"}',
        '{"id":"3","ts":"2024-05-05T23:59:59Z","day":"2024-05-05","dbl":"6"}',
        '{"id":"7","ts":"1970-01-01T00:00:00Z","day":"1970-01-01","dbl":"14"}',
      ])
      expect(await table.count({ where: "day = DATE'2024-05-05'" })).toBe(2)
      const wrong = await ground.refusal(() => table.append([{ ...ROW, day: '2024-05-06' }]))
      expect(wrong).toMatchObject({ code: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES', sqlState: '23001' })
      expect(wrong.message).toBe(
        'a row breaks the CHECK constraint Generated Column (day <=> CAST(ts AS DATE)); ' +
          'it holds day : 19849, ts : 1714953599000000',
      )
      expect((await ground.refusal(() => table.append([{ ...ROW, dbl: null }]))).message).toContain(
        'dbl : null, id : 1',
      )
      expect((await ground.refusal(() => ground.move(EVENTS, [[1n, 0n, 0, 3n]]))).message).toContain('dbl : 3, id : 1')
    })
  })

  describe('defaults', () => {
    test('stand in for columns that are left out, not for nulls', async () => {
      const table = await ground.make(WITH_DEFAULTS, { 'delta.feature.allowColumnDefaults': 'supported' })
      await table.append([{ id: 1 }, { id: 2, a: null, b: 5, at: null }])
      await ground.move([field('id', integerType)], [[3]])
      expect(await sorted(table)).toEqual([
        '{"id":1,"a":"dflt","b":2,"at":"2026-01-01T12:00:00Z","twice":4}',
        '{"id":2,"a":null,"b":5,"at":null,"twice":10}',
        '{"id":3,"a":"dflt","b":2,"at":"2026-01-01T12:00:00Z","twice":4}',
      ])
      expect((await ground.refusal(() => table.append([{ id: 1, b: null }]))).code).toBe(
        'DELTA_NOT_NULL_CONSTRAINT_VIOLATED',
      )
    })
  })

  describe('identity columns', () => {
    const V = field('v', stringType)
    const markOf = async () => (await ground.snapshot()).schema.fields[0]!.metadata['delta.identity.highWaterMark']

    test('GENERATED ALWAYS: numbers go on behind the mark, also after an overwrite; given ones are refused', async () => {
      const table = await ground.make([identity(false), V])
      await table.append([{ v: 'a' }, { v: 'b' }])
      expect(await markOf()).toBe(110)
      const info = (await readCommit(ground.store, 1)).actions.find((action) => 'commitInfo' in action)
      expect(info).toMatchObject({ commitInfo: { tags: { 'delta.identity.schemaUpdate': 'true' } } })
      await ground.move([V], [['c']])
      const explicit = { code: 'DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED', sqlState: '42808' }
      expect(await ground.refusal(() => table.append([{ id: 1, v: 'x' }]))).toMatchObject(explicit)
      expect(await ground.refusal(() => ground.move([field('id', longType), V], [[1n, 'x']]))).toMatchObject(explicit)
      expect(await sorted(table)).toEqual(['{"id":"100","v":"a"}', '{"id":"110","v":"b"}', '{"id":"120","v":"c"}'])
      await table.overwrite([{ v: 'z' }])
      expect(await sorted(table)).toEqual(['{"id":"130","v":"z"}'])
      expect(await markOf()).toBe(130)
    })

    test('GENERATED BY DEFAULT: given numbers and nulls stay as they are and move no mark', async () => {
      const table = await ground.make([identity(true, -3), V])
      await table.append([{ v: 'a' }, { id: 5, v: 'b' }, { id: null, v: 'c' }, { v: 'd' }])
      expect(await sorted(table)).toEqual([
        '{"id":"100","v":"a"}',
        '{"id":"5","v":"b"}',
        '{"id":"97","v":"d"}',
        '{"id":null,"v":"c"}',
      ])
      await ground.move([field('id', longType), V], [[50n, 'e']])
      expect(await markOf()).toBe(97)
    })

    test('a mark beyond 2^53 loses no digit; the last number is the last', async () => {
      const mark = new JsonNumber(String(2n ** 63n - 11n))
      const id = identity(false)
      const far = {
        ...id,
        metadata: { ...id.metadata, 'delta.identity.start': 7, 'delta.identity.highWaterMark': mark },
      }
      const table = await ground.make([far, V])
      await table.append([{ v: 'a' }])
      expect(await sorted(table)).toEqual(['{"id":"9223372036854775807","v":"a"}'])
      expect((await ground.refusal(() => table.append([{ v: 'b' }]))).code).toBe('ARITHMETIC_OVERFLOW')
      expect((await ground.refusal(() => ground.move([V], [['b']]))).code).toBe('ARITHMETIC_OVERFLOW')
    })

    test('writers at once each get numbers of their own, none fails', async () => {
      const table = await ground.make([identity(false, 1), V])
      const own = () => deltaTables(() => ground.openBackend()).forPath(ground.location)
      await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const other = await own()
          await other.append([{ v: `${i} a` }, { v: `${i} b` }])
        }),
      )
      const ids = (await table.rows()).map((row) => Number(row.id)).sort((a, b) => a - b)
      expect(ids).toEqual(Array.from({ length: 12 }, (_, i) => 100 + i))
      expect(await markOf()).toBe(111)
      expect((await ground.snapshot()).version).toBe(6)
      expect(await ground.files()).toHaveLength(6)
    })
  })
})
