/** How rows get into a table: sizes and places of files, types that grow, columns by place and by name; both engines. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import {
  arrayType,
  doubleType,
  field,
  integerType,
  longType,
  type Row,
  shortType,
  stringType,
  structType,
} from '../../src/schema/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { collect } from '../../src/support/index.ts'
import { deltaTables } from '../../src/table/index.ts'
import { identity, sorted, TableGround } from './table-ground.ts'

const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
afterAll(() => duckdb.close())

describe.each([
  ['js', jsEngine()],
  ['duckdb', duckdb],
] as const)('the %s engine', (_, engine) => {
  const ground = new TableGround(engine)
  beforeEach(() => ground.begin())

  describe('the layout of files', () => {
    const wide = Array.from({ length: 60_000 }, (_, i) => ({ id: i, v: `${i * 7919}-${(i * 104_729) % 1_000_003}` }))
    const FIELDS = [field('id', integerType), field('v', stringType)]

    test('a write begins a new file about where it is asked to, or where the table says', async () => {
      const table = await ground.make(FIELDS)
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
      const table = await ground.make(FIELDS, properties, ['v'])
      await table.append([
        { id: 1, v: 'a/b' },
        { id: 2, v: null },
      ])
      for (const { key } of await ground.files()) expect(key).toMatch(/^[a-z0-9]{3}\/[^/=]+\.parquet$/)
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
      const table = await ground.make(NESTED, { 'delta.enableTypeWidening': 'true' })
      await table.append([{ id: 1, l: [1], s: { x: 1 } }])
      const error = await ground.refusal(() => ground.move(WIDE, [wideRow]))
      expect(error.code).toBe('DELTA_METADATA_MISMATCH')
      const { location: at } = ground
      expect(error.message).toBe(
        `the data has the columns id, l.element, s.x, which are bigint where ${at} has int, ` +
          `bigint where ${at} has int, int where ${at} has smallint`,
      )
      await ground.move(WIDE, [wideRow], { mergeSchema: true })
      expect(await sorted(table)).toEqual([
        '{"id":"1","l":["1"],"s":{"x":1}}',
        '{"id":"1099511627776","l":["2199023255552",null],"s":{"x":70000}}',
      ])
      const changes = (await ground.snapshot()).schema.fields.map((f) => f.metadata['delta.typeChanges'])
      expect(changes).toEqual([
        [{ toType: 'long', fromType: 'integer' }],
        [{ toType: 'long', fromType: 'integer', fieldPath: 'element' }],
        undefined,
      ])
      expect(
        (await ground.refusal(() => ground.move([field('id', stringType)], [['x']], { mergeSchema: true }))).code,
      ).toBe('DELTA_FAILED_TO_MERGE_FIELDS')
    })

    test('take small whole numbers of a narrower type', async () => {
      const table = await ground.make(NESTED)
      await ground.move([field('id', shortType)], [[7]])
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
      const table = await ground.make(FIELDS, DEFAULTS)
      const into = { by: 'position', columns: ['n', 'A'] } as const
      await ground.move(TEXTS, [['12', 1.5]], { assignment: into })
      await ground.move(TEXTS, [['-7', null]], { assignment: into })
      expect(await sorted(table)).toEqual([
        '{"id":"100","n":12,"a":"1.5","twice":24}',
        '{"id":"110","n":-7,"a":null,"twice":-14}',
      ])
      expect((await ground.refusal(() => ground.move(TEXTS, [['x', 1]], { assignment: into }))).code).toBe(
        'CAST_INVALID_INPUT',
      )
      const large = await ground.refusal(() =>
        ground.move([TEXTS[1]!], [[1e10]], { assignment: { by: 'position', columns: ['n'] } }),
      )
      expect(large).toMatchObject({ code: 'CAST_OVERFLOW_IN_TABLE_INSERT', sqlState: '22003' })
      expect(large.details.column).toBe('n')
      const all = { assignment: { by: 'position' } } as const
      expect((await ground.refusal(() => ground.move(TEXTS, [['1', 1]], all))).code).toBe(
        'DELTA_INSERT_COLUMN_ARITY_MISMATCH',
      )
      expect((await ground.refusal(() => ground.move(FIELDS, [[1n, 1, 'a', 2]], all))).code).toBe(
        'DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED',
      )
    })

    test('by name takes rows of another table', async () => {
      const target = await ground.make([
        field('id', longType),
        field('s', structType([field('a', integerType), field('b', stringType)])),
      ])
      await target.append([{ id: 1, s: { a: 1, b: 'x' } }])
      const { store, layout, files } = await ground.snapshot()
      const adds = (await collect(files.select())).flat()
      const scan = { kind: 'scan', plan: { store, layout, files: adds, columns: [1, 0] } } as const
      const schema = structType([layout.schema.fields[1]!, layout.schema.fields[0]!])
      const other = `${ground.location}-other`
      const lakes = deltaTables(() => ground.openBackend(otherStore))
      const otherStore = memoryStore({ location: other, clock: ground.clock })
      const fields = [field('S', structType([field('b', stringType), field('a', longType)])), field('ID', stringType)]
      const table = await lakes.create().location(other).addColumns(structType(fields)).execute()
      const backends = ground.openBackend(otherStore)
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
