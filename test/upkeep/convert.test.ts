/** CONVERT TO DELTA over both engines, as the reference is recorded to do it. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { ParquetWriter } from '../../src/parquet/index.ts'
import {
  arrayType,
  doubleType,
  field,
  integerType,
  longType,
  type Row,
  type StructField,
  stringType,
  structType,
} from '../../src/schema/index.ts'
import { LocalGround, sorted } from './local-ground.ts'

const RECORDED = join(import.meta.dirname, '../fixtures/tables-spark/convert-partitioned/table')

describe.each([
  ['duckdb', duckdbEngine],
  ['js', jsEngine],
] as const)('CONVERT on the engine %s', (_, openEngine) => {
  let ground: LocalGround
  beforeEach(() => {
    ground = new LocalGround(openEngine())
  })
  afterEach(() => ground.close())

  function put(key: string, fields: readonly StructField[], rows: readonly Row[]): void {
    const writer = new ParquetWriter(structType(fields))
    writer.writeRowGroup(fields.map((_, i) => rows.map((row) => row[i]!)))
    const path = join(ground.path('t'), key)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, writer.finish())
  }
  const id = field('id', longType)

  test('recorded: convert-partitioned', async () => {
    cpSync(RECORDED, ground.path('t'), { recursive: true })
    rmSync(join(ground.path('t'), '_delta_log'), { recursive: true })
    rmSync(join(ground.path('t'), 'p=c'), { recursive: true })
    await ground.sql('CONVERT TO DELTA parquet.`$W/t` PARTITIONED BY (p STRING)')
    const table = await ground.table('t')
    const files = ground.files('t', (key) => key.endsWith('.parquet') && !key.startsWith('_'))
    expect((await table.schema()).fields.map(({ name }) => name)).toEqual(['id', 'v', 'p'])
    expect((await table.history(1))[0]).toMatchObject({
      operation: 'CONVERT',
      operationParameters: {
        numFiles: String(files.length),
        partitionedBy: '["p"]',
        collectStats: 'true',
        sourceFormat: 'parquet',
      },
      isBlindAppend: false,
      operationMetrics: { numConvertedFiles: String(files.length) },
    })
    const { actions } = await table.commit(0)
    const stats = actions.flatMap((action) => ('add' in action ? [[action.add.path, action.add.stats]] : []))
    expect(stats.find(([path]) => path!.startsWith('p=__HIVE'))?.[1]).toBe(
      '{"numRecords":3,"minValues":{"id":1,"v":"v 1"},"maxValues":{"id":5,"v":"v 5"},"nullCount":{"id":0,"v":0}}',
    )
    expect(stats.some(([path]) => path!.startsWith('p=a%20b/'))).toBe(true)
    expect((await sorted(table)).slice(0, 2)).toEqual([
      '{"id":"0","v":"v 0","p":"a b"}',
      '{"id":"1","v":"v 1","p":null}',
    ])
    await ground.sql('CONVERT TO DELTA parquet.`$W/t`')
    expect(await table.version()).toBe(0)
  })

  test('columns come from all footers, statistics from those or the rows', async () => {
    const tags = field('tags', arrayType(stringType, true))
    const price = field('price', doubleType)
    put(
      'a.parquet',
      [id, price],
      [
        [1n, 1.5],
        [2n, Number.NaN],
      ],
    )
    put(
      'sub/b.parquet',
      [id, field('s', structType([field('x', integerType)])), tags],
      [
        [3n, [7], ['x']],
        [null, null, null],
      ],
    )
    put('_hidden/c.parquet', [field('id', stringType)], [['x']])
    put('.tmp.parquet', [field('id', stringType)], [['x']])
    const table = await ground.session.tables.convertToDelta(ground.path('t'))
    expect(await sorted(table)).toEqual([
      '{"id":"1","price":1.5,"s":null,"tags":null}',
      '{"id":"2","price":null,"s":null,"tags":null}', // JSON has no NaN
      '{"id":"3","price":null,"s":{"x":7},"tags":["x"]}',
      '{"id":null,"price":null,"s":null,"tags":null}',
    ])
    const { actions } = await table.commit(0)
    expect(actions.flatMap((action) => ('add' in action ? [JSON.parse(action.add.stats!)] : []))).toEqual([
      {
        numRecords: 2,
        minValues: { id: 1, s: {} },
        maxValues: { id: 2, s: {} },
        nullCount: { id: 0, price: 0, s: { x: 2 }, tags: 2 },
      },
      {
        numRecords: 2,
        minValues: { id: 3, s: { x: 7 } },
        maxValues: { id: 3, s: { x: 7 } },
        nullCount: { id: 1, price: 2, s: { x: 1 }, tags: 1 },
      },
    ])
    expect(await table.count({ where: 'price > 100' })).toBe(1)
  })

  test('NO STATISTICS, properties, a plan', async () => {
    put('a.parquet', [id], [[1n]])
    const table = { location: ground.path('t') }
    const plan = await ground.session.backend.execute({ kind: 'convert', table, dryRun: true })
    expect(plan).toMatchObject({ version: null, numConvertedFiles: 1 })
    expect(existsSync(join(ground.path('t'), '_delta_log'))).toBe(false)
    await ground.sql('CONVERT TO DELTA parquet.`$W/t` NO STATISTICS')
    const { actions } = await (await ground.table('t')).commit(0)
    expect(actions.some((action) => 'add' in action && action.add.stats === undefined)).toBe(true)
  })

  test.each([
    ['no file', [], '', 'DELTA_EMPTY_DIRECTORY'],
    ['another type', ['a.parquet', 'b.text.parquet'], '', 'DELTA_FAILED_MERGE_SCHEMA_FILE'],
    ['another case', ['a.parquet', 'b.ID.parquet'], '', 'DELTA_FAILED_MERGE_SCHEMA_FILE'],
    ['partitions nobody named', ['p=1/a.parquet'], '', 'DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME'],
    ['too few folders', ['a.parquet'], 'p INT', 'DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME'],
    ['another folder', ['q=1/a.parquet'], 'p INT', 'DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME'],
    ['a value of another type', ['p=x/a.parquet'], 'p INT', 'DELTA_FAILED_CAST_PARTITION_VALUE'],
  ])('refuses %s', async (_, keys, partitionBy, expected) => {
    mkdirSync(ground.path('t'))
    for (const key of keys) {
      if (key.includes('.text.')) put(key, [field('id', stringType)], [['x']])
      else put(key, [field(key.includes('.ID.') ? 'ID' : 'id', longType)], [[1n]])
    }
    const convert = ground.session.tables.convertToDelta(ground.path('t'), partitionBy === '' ? {} : { partitionBy })
    await expect(convert).rejects.toMatchObject({ code: expected })
    expect(await ground.session.tables.isDeltaTable(ground.path('t'))).toBe(false)
  })

  test('refuses what is no Parquet file, and column mapping', async () => {
    put('a.parquet', [id], [[1n]])
    const properties = { 'delta.columnMapping.mode': 'name' }
    await expect(ground.session.tables.convertToDelta(ground.path('t'), { properties })).rejects.toMatchObject({
      code: 'DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING',
    })
    writeFileSync(join(ground.path('t'), 'notes.txt'), 'not a Parquet file at all')
    await expect(ground.session.tables.convertToDelta(ground.path('t'))).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.NO_HINT',
    })
  })

  test('values of partitions are those of their folders', async () => {
    put('day=2024-02-29/n=007/a.parquet', [id, field('n', stringType)], [[1n, 'in the file']])
    put('day=__HIVE_DEFAULT_PARTITION__/n=8/b.parquet', [id, field('n', stringType)], [[2n, 'in the file']])
    const table = await ground.session.tables.convertToDelta(ground.path('t'), { partitionBy: 'day DATE, n INT' })
    expect(await sorted(table)).toEqual(['{"id":"1","n":7,"day":"2024-02-29"}', '{"id":"2","n":8,"day":null}'])
  })
})
