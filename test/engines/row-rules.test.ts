/** What a table asks of rows, kept by every way of writing them, on both engines. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { RowSource } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { type DeltaError, isDeltaError } from '../../src/errors/index.ts'
import { loadSnapshot, readCommit } from '../../src/kernel/index.ts'
import type { WriteCommand } from '../../src/operations/index.ts'
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
  shortType,
  stringType,
  structType,
  timestampType,
} from '../../src/schema/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { collect, JsonNumber } from '../../src/support/index.ts'
import { type DeltaTable, deltaTables, localBackend } from '../../src/table/index.ts'

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

function identity(allowExplicit: boolean, step = 10): StructField {
  return field('id', longType, true, {
    'delta.identity.start': 100,
    'delta.identity.step': step,
    'delta.identity.allowExplicitInsert': allowExplicit,
  })
}

describe.each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('the %s engine', (_, engine) => {
  let now: number
  let store: ObjectStore
  let fails: number
  let made = 0
  let location: string
  const clock = { now: () => now }
  const backend = localBackend({ openStore: async () => store, engine, clock })
  const tables = deltaTables(() => backend)

  beforeEach(() => {
    now = Date.parse('2026-01-01T12:00:00Z')
    fails = 0
    location = `/t${++made}`
    store = memoryStore({ location, clock })
  })

  const make = (fields: readonly StructField[], properties: Record<string, string> = {}, partition: string[] = []) =>
    tables
      .create()
      .location(location)
      .addColumns(structType(fields))
      .properties(properties)
      .partitionedBy(...partition)
      .execute()

  /** Rows that an engine moves, as those of another table or of a Parquet file. */
  const move = (fields: readonly StructField[], rows: readonly Row[], options: Partial<WriteCommand> = {}) => {
    const schema = structType(fields)
    const pages = (async function* () {
      yield rows
    })()
    const source: RowSource = { kind: 'rows', schema, rows: pages }
    return backend.execute({
      kind: 'write',
      table: { location },
      source: { kind: 'rows', schema, source },
      mode: 'append',
      ...options,
    })
  }

  const snapshot = () => loadSnapshot(store, engine)
  const files = async () =>
    (await collect(store.list({ prefix: '' }))).flat().filter(({ key }) => key.endsWith('.parquet'))

  /** The error of a write, which left the table and the store as they were. */
  async function refusal(work: () => Promise<unknown>): Promise<DeltaError> {
    const before = [(await snapshot()).version, (await files()).length]
    fails++
    try {
      await work()
    } catch (error) {
      if (!isDeltaError(error)) throw error
      expect([(await snapshot()).version, (await files()).length]).toEqual(before)
      return error
    }
    throw new Error(`write ${fails} was taken`)
  }

  const sorted = async (table: DeltaTable) =>
    (await table.rows())
      .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
      .sort()

  describe('CHECK constraints', () => {
    test('a row that breaks one fails the write with its values; NULL breaks it too', async () => {
      const table = await make(PRICED, POSITIVE)
      await table.append([{ id: 1, price: 10, name: 'a' }])
      for (const [row, constraint, values] of [
        [{ id: 3, price: -1, name: 'c' }, 'positive (price > 0)', 'price : -1.0'],
        [{ id: 4, price: null, name: 'c' }, 'positive (price > 0)', 'price : null'],
        [{ id: 5, price: 1, name: '' }, "name not empty ((length(name) > 0) AND (NOT (name = 'bad')))", 'name : '],
      ] as const) {
        const own = { code: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES', sqlState: '23001' }
        const message = `a row breaks the CHECK constraint ${constraint}; it holds ${values}`
        expect(await refusal(() => table.append([{ id: 2, price: 2, name: 'b' }, row]))).toMatchObject({
          ...own,
          message,
        })
        expect(await refusal(() => table.overwrite([row]))).toMatchObject(own)
        const moved: Row = [row.id, row.price, row.name]
        expect(await refusal(() => move(PRICED, [moved]))).toMatchObject({ ...own, message })
      }
      expect(await table.count()).toBe(1)
    })

    test('one that this package cannot evaluate is named before anything is written', async () => {
      const table = await make(PRICED, { 'delta.constraints.odd': 'rand() < 2' })
      const error = await refusal(() => table.append([{ id: 1, price: 10, name: 'a' }]))
      expect(error.code).toBe('LAKE_CONSTRAINT_UNSUPPORTED')
      expect(error.message).toContain('odd, which is rand() < 2')
    })

    test('one that asks for the time is tried with that of the write', async () => {
      const table = await make(PRICED, { 'delta.constraints.late': "current_date() > DATE'2026-01-01' OR id = 1" })
      await table.append([{ id: 1 }])
      expect((await refusal(() => table.append([{ id: 2 }]))).code).toBe('DELTA_VIOLATE_CONSTRAINT_WITH_VALUES')
      now += 86_400_000
      await table.append([{ id: 2 }])
    })

    test('invariants are checked, NULL breaks them', async () => {
      const invariant = JSON.stringify({ expression: { expression: 'id > 3' } })
      const table = await make([field('id', integerType, true, { 'delta.invariants': invariant })])
      await table.append([{ id: 4 }])
      expect(await refusal(() => table.append([{ id: 3 }]))).toMatchObject({
        code: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES',
      })
      expect((await refusal(() => move([field('id', integerType)], [[null]]))).message).toContain('id : null')
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
      const table = await make(fields)
      const good: Row = ['12345', ['abc', null], ['ab', 'long enough'], [{ key: 'ab', value: ['😀', null] }]]
      await move(fields, [good, [null, null, null, null], ['', [], [null, null], []]])
      for (const [ordinal, value, column] of [
        [0, 'toolong', 'c'],
        [1, ['a', 'abcd'], 'a'],
        [2, ['abc', 'y'], 'st'],
        [3, [{ key: 'abc', value: null }], 'm'],
        [3, [{ key: 'a', value: ['ab'] }], 'm'],
      ] as const) {
        const bad = good.map((own, i) => (i === ordinal ? (value as Row[number]) : own))
        const error = await refusal(() => move(fields, [bad]))
        expect(error).toMatchObject({ code: 'DELTA_EXCEED_CHAR_VARCHAR_LIMIT', sqlState: '22001' })
        expect(error.details.column).toBe(column)
      }
      expect((await refusal(() => table.append([{ a: ['abcd'] }]))).code).toBe('DELTA_EXCEED_CHAR_VARCHAR_LIMIT')
      expect(await table.count()).toBe(3)
    })
  })

  describe('generated columns', () => {
    const ROW = { id: 1n, ts: '2024-05-05T23:59:59Z' }

    test('are computed where they are left out, and checked where they are given', async () => {
      const table = await make(EVENTS, {}, ['day'])
      await table.append([ROW, { id: 2n, ts: null }, { ...ROW, id: 3n, day: '2024-05-05', dbl: 6 }])
      await move([field('ts', timestampType), field('id', longType)], [[0n, 7n]])
      expect(await sorted(table)).toEqual([
        '{"id":"1","ts":"2024-05-05T23:59:59Z","day":"2024-05-05","dbl":"2"}',
        '{"id":"2","ts":null,"day":null,"dbl":"4"}',
        '{"id":"3","ts":"2024-05-05T23:59:59Z","day":"2024-05-05","dbl":"6"}',
        '{"id":"7","ts":"1970-01-01T00:00:00Z","day":"1970-01-01","dbl":"14"}',
      ])
      expect(await table.count({ where: "day = DATE'2024-05-05'" })).toBe(2)
      const wrong = await refusal(() => table.append([{ ...ROW, day: '2024-05-06' }]))
      expect(wrong).toMatchObject({ code: 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES', sqlState: '23001' })
      expect(wrong.message).toBe(
        'a row breaks the CHECK constraint Generated Column (day <=> CAST(ts AS DATE)); ' +
          'it holds day : 19849, ts : 1714953599000000',
      )
      expect((await refusal(() => table.append([{ ...ROW, dbl: null }]))).message).toContain('dbl : null, id : 1')
      expect((await refusal(() => move(EVENTS, [[1n, 0n, 0, 3n]]))).message).toContain('dbl : 3, id : 1')
    })
  })

  describe('defaults', () => {
    test('stand in for columns that are left out, not for nulls', async () => {
      const table = await make(WITH_DEFAULTS, { 'delta.feature.allowColumnDefaults': 'supported' })
      await table.append([{ id: 1 }, { id: 2, a: null, b: 5, at: null }])
      await move([field('id', integerType)], [[3]])
      expect(await sorted(table)).toEqual([
        '{"id":1,"a":"dflt","b":2,"at":"2026-01-01T12:00:00Z","twice":4}',
        '{"id":2,"a":null,"b":5,"at":null,"twice":10}',
        '{"id":3,"a":"dflt","b":2,"at":"2026-01-01T12:00:00Z","twice":4}',
      ])
      expect((await refusal(() => table.append([{ id: 1, b: null }]))).code).toBe('DELTA_NOT_NULL_CONSTRAINT_VIOLATED')
    })
  })

  describe('identity columns', () => {
    const V = field('v', stringType)
    const markOf = async () => (await snapshot()).schema.fields[0]!.metadata['delta.identity.highWaterMark']

    test('GENERATED ALWAYS: numbers go on behind the mark, also after an overwrite; given ones are refused', async () => {
      const table = await make([identity(false), V])
      await table.append([{ v: 'a' }, { v: 'b' }])
      expect(await markOf()).toBe(110)
      const info = (await readCommit(store, 1)).actions.find((action) => 'commitInfo' in action)
      expect(info).toMatchObject({ commitInfo: { tags: { 'delta.identity.schemaUpdate': 'true' } } })
      await move([V], [['c']])
      const explicit = { code: 'DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED', sqlState: '42808' }
      expect(await refusal(() => table.append([{ id: 1, v: 'x' }]))).toMatchObject(explicit)
      expect(await refusal(() => move([field('id', longType), V], [[1n, 'x']]))).toMatchObject(explicit)
      expect(await sorted(table)).toEqual(['{"id":"100","v":"a"}', '{"id":"110","v":"b"}', '{"id":"120","v":"c"}'])
      await table.overwrite([{ v: 'z' }])
      expect(await sorted(table)).toEqual(['{"id":"130","v":"z"}'])
      expect(await markOf()).toBe(130)
    })

    test('GENERATED BY DEFAULT: given numbers and nulls stay as they are and move no mark', async () => {
      const table = await make([identity(true, -3), V])
      await table.append([{ v: 'a' }, { id: 5, v: 'b' }, { id: null, v: 'c' }, { v: 'd' }])
      expect(await sorted(table)).toEqual([
        '{"id":"100","v":"a"}',
        '{"id":"5","v":"b"}',
        '{"id":"97","v":"d"}',
        '{"id":null,"v":"c"}',
      ])
      await move([field('id', longType), V], [[50n, 'e']])
      expect(await markOf()).toBe(97)
    })

    test('a mark beyond 2^53 loses no digit; the last number is the last', async () => {
      const mark = new JsonNumber(String(2n ** 63n - 11n))
      const id = identity(false)
      const far = {
        ...id,
        metadata: { ...id.metadata, 'delta.identity.start': 7, 'delta.identity.highWaterMark': mark },
      }
      const table = await make([far, V])
      await table.append([{ v: 'a' }])
      expect(await sorted(table)).toEqual(['{"id":"9223372036854775807","v":"a"}'])
      expect((await refusal(() => table.append([{ v: 'b' }]))).code).toBe('ARITHMETIC_OVERFLOW')
      expect((await refusal(() => move([V], [['b']]))).code).toBe('ARITHMETIC_OVERFLOW')
    })

    test('writers at once each get numbers of their own, none fails', async () => {
      const table = await make([identity(false, 1), V])
      const own = () =>
        deltaTables(() => localBackend({ openStore: async () => store, engine, clock })).forPath(location)
      await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const other = await own()
          await other.append([{ v: `${i} a` }, { v: `${i} b` }])
        }),
      )
      const ids = (await table.rows()).map((row) => Number(row.id)).sort((a, b) => a - b)
      expect(ids).toEqual(Array.from({ length: 12 }, (_, i) => 100 + i))
      expect(await markOf()).toBe(111)
      expect((await snapshot()).version).toBe(6)
      expect(await files()).toHaveLength(6)
    })
  })

  describe('the layout of files', () => {
    const wide = Array.from({ length: 60_000 }, (_, i) => ({ id: i, v: `${i * 7919}-${(i * 104_729) % 1_000_003}` }))
    const FIELDS = [field('id', integerType), field('v', stringType)]

    test('a write begins a new file about where it is asked to, or where the table says', async () => {
      const table = await make(FIELDS)
      const asked = await table.append(wide, { targetFileSize: '64KB' })
      expect(asked.numFiles).toBeGreaterThan(2)
      expect((await table.append(wide)).numFiles).toBe(1)
      await expect(table.append(wide, { targetFileSize: 'large' })).rejects.toMatchObject({
        code: 'LAKE_INVALID_OPTION',
      })
      await expect(table.append(wide, { targetFileSize: 0 })).rejects.toMatchObject({ code: 'LAKE_INVALID_OPTION' })
      expect(await table.count()).toBe(120_000)
    })

    test('delta.randomizeFilePrefixes puts files into folders of random names', async () => {
      const properties = { 'delta.randomizeFilePrefixes': 'true', 'delta.randomPrefixLength': '3' }
      const table = await make(FIELDS, properties, ['v'])
      await table.append([
        { id: 1, v: 'a/b' },
        { id: 2, v: null },
      ])
      for (const { key } of await files()) expect(key).toMatch(/^[a-z0-9]{3}\/[^/=]+\.parquet$/)
      expect(await sorted(table)).toEqual(['{"id":1,"v":"a/b"}', '{"id":2,"v":null}'])
    })
  })

  describe('the types of columns', () => {
    const NESTED = [
      field('id', integerType),
      field('l', arrayType(integerType)),
      field('s', structType([field('x', shortType)])),
    ]
    const WIDE = [
      field('ID', longType),
      field('l', arrayType(longType)),
      field('s', structType([field('x', integerType)])),
    ]
    const wideRow: Row = [2n ** 40n, [2n ** 41n, null], [70_000]]

    test('grow with mergeSchema where the table widens types, and are refused with both types else', async () => {
      const table = await make(NESTED, { 'delta.enableTypeWidening': 'true' })
      await table.append([{ id: 1, l: [1], s: { x: 1 } }])
      const error = await refusal(() => move(WIDE, [wideRow]))
      expect(error.code).toBe('DELTA_FAILED_TO_MERGE_FIELDS')
      expect(error.message).toBe('the data: the column id is int, and the data holds bigint there')
      await move(WIDE, [wideRow], { mergeSchema: true })
      expect(await sorted(table)).toEqual([
        '{"id":"1","l":["1"],"s":{"x":1}}',
        '{"id":"1099511627776","l":["2199023255552",null],"s":{"x":70000}}',
      ])
      const changes = (await snapshot()).schema.fields.map((f) => f.metadata['delta.typeChanges'])
      expect(changes).toEqual([
        [{ toType: 'long', fromType: 'integer' }],
        [{ toType: 'long', fromType: 'integer', fieldPath: 'element' }],
        undefined,
      ])
      expect((await refusal(() => move([field('id', stringType)], [['x']], { mergeSchema: true }))).code).toBe(
        'DELTA_FAILED_TO_MERGE_FIELDS',
      )
    })

    test('take small whole numbers of a narrower type', async () => {
      const table = await make(NESTED)
      await move([field('id', shortType)], [[7]])
      expect(await sorted(table)).toEqual(['{"id":7,"l":null,"s":null}'])
    })
  })

  describe('INSERT', () => {
    const FIELDS = [
      identity(false),
      field('n', integerType),
      field('a', stringType, true, { CURRENT_DEFAULT: "'dflt'" }),
      field('twice', integerType, true, { 'delta.generationExpression': 'n * 2' }),
    ]
    const DEFAULTS = { 'delta.feature.allowColumnDefaults': 'supported' }
    const TEXTS = [field('x', stringType), field('y', doubleType)]

    test('by place into named columns casts, and fills the others', async () => {
      const table = await make(FIELDS, DEFAULTS)
      const into = { by: 'position', columns: ['n', 'A'] } as const
      await move(TEXTS, [['12', 1.5]], { assignment: into })
      await move(TEXTS, [['-7', null]], { assignment: into })
      expect(await sorted(table)).toEqual([
        '{"id":"100","n":12,"a":"1.5","twice":24}',
        '{"id":"110","n":-7,"a":null,"twice":-14}',
      ])
      expect((await refusal(() => move(TEXTS, [['x', 1]], { assignment: into }))).code).toBe('CAST_INVALID_INPUT')
      const large = await refusal(() => move([TEXTS[1]!], [[1e10]], { assignment: { by: 'position', columns: ['n'] } }))
      expect(large).toMatchObject({ code: 'CAST_OVERFLOW_IN_TABLE_INSERT', sqlState: '22003' })
      expect(large.details.column).toBe('n')
      const all = { assignment: { by: 'position' } } as const
      expect((await refusal(() => move(TEXTS, [['1', 1]], all))).code).toBe('DELTA_INSERT_COLUMN_ARITY_MISMATCH')
      expect((await refusal(() => move(FIELDS, [[1n, 1, 'a', 2]], all))).code).toBe(
        'DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED',
      )
    })

    test('by name takes rows of another table', async () => {
      const target = await make([
        field('id', longType),
        field('s', structType([field('a', integerType), field('b', stringType)])),
      ])
      await target.append([{ id: 1, s: { a: 1, b: 'x' } }])
      const { store, layout, files } = await snapshot()
      const adds = (await collect(files.select())).flat()
      const scan = { kind: 'scan', plan: { store, layout, files: adds, columns: [1, 0] } } as const
      const schema = structType([layout.schema.fields[1]!, layout.schema.fields[0]!])
      const other = `/o${made}`
      const lakes = deltaTables(() => localBackend({ openStore: async () => otherStore, engine, clock }))
      const otherStore = memoryStore({ location: other, clock })
      const fields = [field('S', structType([field('b', stringType), field('a', longType)])), field('ID', stringType)]
      const table = await lakes.create().location(other).addColumns(structType(fields)).execute()
      const backends = localBackend({ openStore: async () => otherStore, engine, clock })
      await backends.execute({
        kind: 'write',
        table: { location: other },
        source: { kind: 'rows', schema, source: scan },
        mode: 'append',
        assignment: { by: 'name' },
      })
      expect(await sorted(table)).toEqual(['{"S":{"b":"x","a":"1"},"ID":"1"}'])
    })
  })
})
