import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { encodePath, type TableLayout } from '../../../kernel/index.ts'
import {
  arrayType,
  binaryType,
  booleanType,
  byteType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  mapType,
  type Row,
  rowToJson,
  type StructField,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  voidType,
} from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { memoryStore, type ObjectStore } from '../../../storage/index.ts'
import { Decimal } from '../../../support/index.ts'
import type { Engine, RowSource, WritePlan, WriteResult } from '../../index.ts'
import { duckdbEngine } from '../engine.ts'
import { DuckDatabase } from '../instance.ts'

const engine: Engine = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
const database = new DuckDatabase({ threads: 2 })
const roots: string[] = []
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'write-'))
  roots.push(root)
})
afterAll(async () => {
  await engine.close()
  await database.close()
  for (const path of roots) rmSync(path, { recursive: true })
})

function planOf(layout: Partial<TableLayout> & Pick<TableLayout, 'schema'>, rest: Partial<WritePlan> = {}): WritePlan {
  return {
    store: localStore(root),
    layout: { partitionColumns: [], columnMapping: 'none', ...layout },
    compression: 'zstd',
    targetFileSize: 128 * 1024 * 1024,
    statistics: { kind: 'first', limit: 32, stringPrefixLength: 32 },
    ...rest,
  }
}

function rowsOf(fields: StructField[], ...rows: Row[]): RowSource {
  return {
    kind: 'rows',
    schema: structType(fields),
    rows: (async function* () {
      yield rows
    })(),
  }
}

async function readBack({ files }: WriteResult, plan: WritePlan): Promise<string[]> {
  const result: string[] = []
  const { schema } = plan.layout
  const scan = engine.scan({
    store: plan.store,
    layout: plan.layout,
    files: files.map((file) => ({
      path: encodePath(file.key),
      partitionValues: file.partitionValues,
      size: file.size,
      modificationTime: file.modificationTime,
      dataChange: true,
    })),
    columns: schema.fields.map((_, i) => i),
  })
  for await (const batch of scan) {
    const columns = schema.fields.map((_, i) => batch.column(i))
    for (let i = 0; i < batch.numRows; i++)
      result.push(
        rowToJson(
          columns.map((c) => c[i]!),
          schema,
        ),
      )
  }
  return result
}

function filesBelow(path = root): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

async function query(sql: string): Promise<string> {
  return database.withSession(async (s) => JSON.stringify(await (await s.connection.run(sql)).getRowsJson()))
}

const EXTREMES: [string, StructField['type'], Row][] = [
  ['b', byteType, [-128, 127, null]],
  ['sh', shortType, [-32768, 32767, null]],
  ['i', integerType, [-2147483648, 2147483647, null]],
  ['l', longType, [-9223372036854775808n, 9223372036854775807n, null]],
  ['f', floatType, [Math.fround(0.1), -0, null]],
  ['d', doubleType, [Number.NaN, 1.5, null]],
  ['d4', decimalType(4, 2), [new Decimal(-9999n, 2), new Decimal(1n, 2), null]],
  ['d18', decimalType(18, 0), [new Decimal(10n ** 18n - 1n, 0), new Decimal(0n, 0), null]],
  ['d38', decimalType(38, 38), [new Decimal(-(10n ** 38n) + 1n, 38), new Decimal(10n ** 38n - 1n, 38), null]],
  ['s', stringType, ['', 'é🌼\0', null]],
  ['bin', binaryType, [new Uint8Array(), new Uint8Array([0, 255]), null]],
  ['bo', booleanType, [true, false, null]],
  ['da', dateType, [-719162, 2932896, null]],
  ['t', timestampType, [-62135596800000000n, 253402300799999999n, null]],
  ['n', timestampNtzType, [-62135596800000000n, 1n, null]],
  ['v', voidType, [null, null, null]],
  [
    'st',
    structType([field('__proto__', integerType), field('x', arrayType(stringType)), field('v', voidType)]),
    [[1, ['a', null], null], [null, null, null], null],
  ],
  [
    'm',
    mapType(stringType, decimalType(10, 2)),
    [
      [
        { key: 'k', value: new Decimal(150n, 2) },
        { key: '', value: null },
      ],
      [],
      null,
    ],
  ],
]

describe('values', () => {
  const fields = EXTREMES.map(([name, type]) => field(name, type))
  const rows = [0, 1, 2].map((i): Row => EXTREMES.map(([, , values]) => values[i]!))

  test('every type comes back as it went in, and has the Parquet type other readers take', async () => {
    const plan = planOf({ schema: structType(fields) })
    const result = await engine.write(rowsOf(fields, ...rows), plan)
    expect(await readBack(result, plan)).toEqual(rows.map((row) => rowToJson(row, plan.layout.schema)))
    expect(result).toMatchObject({ numRows: 3, numFiltered: 0, numRejected: 0 })
    const [file] = result.files
    expect(file!.key).toMatch(/^[0-9a-f]{32}\.parquet$/)
    expect(file!.size).toBe(statSync(join(root, file!.key)).size)
    const types = await query(
      `SELECT string_agg(name || ' ' || type || coalesce(' ' || converted_type, ''), ', ') FROM parquet_schema('${join(root, file!.key)}') WHERE type IS NOT NULL AND name NOT IN ('key','value','element','x','__proto__')`,
    )
    expect(types).toBe(
      '[["b INT32 INT_8, sh INT32 INT_16, i INT32 INT_32, l INT64 INT_64, f FLOAT, d DOUBLE, d4 INT32 DECIMAL, ' +
        'd18 INT64 DECIMAL, d38 FIXED_LEN_BYTE_ARRAY DECIMAL, s BYTE_ARRAY UTF8, bin BYTE_ARRAY, bo BOOLEAN, ' +
        'da INT32 DATE, t INT64 TIMESTAMP_MICROS, n INT64 TIMESTAMP_MICROS"]]',
    )
  })

  test('statistics hold outer bounds by the rules, and none where there are none', async () => {
    const plan = planOf({ schema: structType(fields) }, { tightBounds: true })
    const { files } = await engine.write(rowsOf(fields, ...rows), plan)
    const stats = JSON.parse(files[0]!.stats)
    expect(stats.numRecords).toBe(3)
    expect(stats.tightBounds).toBe(true)
    expect(files[0]!.stats).toContain('"l":-9223372036854775808')
    expect(files[0]!.stats).toContain('"d4":-99.99')
    expect(files[0]!.stats).toMatch(/"f":-0\.0\b.*"f":0\.1\b/)
    for (const name of ['d', 'bin', 'bo', 'm', 'v']) expect(stats.minValues).not.toHaveProperty(name)
    expect(stats.maxValues.da).toBe('9999-12-31')
    expect(stats.maxValues).not.toHaveProperty('t')
    expect(stats.minValues.t).toBe('0001-01-01T00:00:00.000Z')
    expect(stats.nullCount).toMatchObject({ l: 1, d: 1, m: 1, st: { x: 2 }, bin: 1 })
    expect(stats.nullCount).not.toHaveProperty('v')
  })

  test('texts longer than the engine keeps bounds of are cut outwards or left out', async () => {
    const plan = planOf({ schema: structType([field('a', stringType), field('b', stringType)]) })
    const { files } = await engine.write(
      rowsOf(plan.layout.schema.fields as StructField[], ['z'.repeat(300), 'é'.repeat(300)]),
      plan,
    )
    const { minValues, maxValues } = JSON.parse(files[0]!.stats)
    expect(minValues).toEqual({ a: 'z'.repeat(32) })
    expect(maxValues).toEqual({ a: `${'z'.repeat(32)}\u007f` })
  })
})

describe('partitions', () => {
  test('one file a partition under hive names, values from the log, order kept', async () => {
    const fields = [field('p', stringType), field('v', integerType), field('d', doubleType)]
    const plan = planOf({ schema: structType(fields), partitionColumns: ['p', 'd'] })
    const texts = ['a/b', 'a%2Fb', '..', "it's", 'x\ny', '日本', '__HIVE_DEFAULT_PARTITION__', null]
    const rows = [0, 1].flatMap((round) => texts.map((p, i): Row => [p, round * 10 + i, i === 0 ? -0 : 0]))
    const result = await engine.write(rowsOf(fields, ...rows), plan)
    expect(result.files.length).toBe(texts.length)
    const written = result.files.map((file) => [file.partitionValues.get('p'), file.partitionValues.get('d')])
    expect(written.sort()).toEqual(texts.map((p, i) => [p, i === 0 ? '-0.0' : '0.0']).sort())
    expect((await readBack(result, plan)).sort()).toEqual(rows.map((row) => rowToJson(row, plan.layout.schema)).sort())
    const slash = result.files.find((file) => file.partitionValues.get('p') === 'a/b')!
    expect(slash.key).toMatch(/^p=a%2Fb\/d=-0\.0\/[0-9a-f]{32}\.parquet$/)
    expect(filesBelow().sort()).toEqual(result.files.map((file) => join(root, file.key)).sort())
  })

  test('a table with only partition columns is refused', async () => {
    const fields = [field('p', stringType), field('v', voidType)]
    const plan = planOf({ schema: structType(fields), partitionColumns: ['p'] })
    await expect(engine.write(rowsOf(fields, ['a', null]), plan)).rejects.toMatchObject({
      code: 'DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION',
    })
  })
})

describe('layouts', () => {
  test('mapped columns are written under physical names with their field ids at every level', async () => {
    const id = (name: string, n: number, type: StructField['type']) =>
      field(name, type, true, { 'delta.columnMapping.id': n, 'delta.columnMapping.physicalName': `col-${n}` })
    const fields = [
      id('a b', 1, longType),
      id('s', 2, structType([id('x', 3, stringType)])),
      id('l', 4, arrayType(structType([id('k', 5, integerType)]))),
      id('m', 6, mapType(stringType, structType([id('w', 7, integerType)]))),
    ]
    const plan = planOf({ schema: structType(fields), columnMapping: 'name' })
    const row: Row = [1n, ['v'], [[7], null], [{ key: 'k', value: [8] }]]
    const result = await engine.write(rowsOf(fields, row, [null, null, null, null]), plan)
    expect(await readBack(result, plan)).toEqual([
      '{"a b":1,"s":{"x":"v"},"l":[{"k":7},null],"m":[{"key":"k","value":{"w":8}}]}',
      '{"a b":null,"s":null,"l":null,"m":null}',
    ])
    expect(
      await query(
        `SELECT string_agg(name || ' ' || field_id, ', ') FROM parquet_schema('${join(root, result.files[0]!.key)}') WHERE field_id IS NOT NULL`,
      ),
    ).toBe('[["col-1 1, col-2 2, col-3 3, col-4 4, col-5 5, col-6 6, col-7 7"]]')
    expect(JSON.parse(result.files[0]!.stats).nullCount).toEqual({
      'col-1': 1,
      'col-2': { 'col-3': 1 },
      'col-4': 1,
      'col-6': 1,
    })
  })

  test('columns are matched by name, narrower ones widened, missing ones null', async () => {
    const plan = planOf({ schema: structType([field('a', longType), field('b', stringType), field('c', dateType)]) })
    const result = await engine.write(rowsOf([field('B', stringType), field('a', integerType)], ['x', 5]), plan)
    expect(await readBack(result, plan)).toEqual(['{"a":5,"b":"x","c":null}'])
  })

  test('a null in a required column fails the write and leaves no file', async () => {
    const required: [StructField, Row, string][] = [
      [field('a', integerType, false), [null], 'a'],
      [field('s', structType([field('x', integerType, false)])), [[null]], 's.x'],
      [field('l', arrayType(integerType, false)), [[1, null]], 'l.element'],
      [
        field('m', mapType(stringType, structType([field('y', longType, false)]))),
        [[{ key: 'k', value: [null] }]],
        'm.value.y',
      ],
    ]
    for (const [column, bad, path] of required) {
      const fields = [column]
      const plan = planOf({ schema: structType(fields) })
      const good = column.name === 'a' ? [1] : [null]
      expect((await engine.write(rowsOf(fields, good), plan)).numRows).toBe(1)
      const before = filesBelow()
      await expect(engine.write(rowsOf(fields, good, bad), plan)).rejects.toMatchObject({
        code: 'DELTA_NOT_NULL_CONSTRAINT_VIOLATED',
        details: { column: path },
      })
      expect(filesBelow()).toEqual(before)
    }
  })
})

describe('files', () => {
  const fields = [field('i', longType), field('s', stringType)]

  test('zero rows give no file', async () => {
    const plan = planOf({ schema: structType(fields) })
    expect(await engine.write(rowsOf(fields), plan)).toEqual({ files: [], numRows: 0, numFiltered: 0, numRejected: 0 })
    expect(filesBelow()).toEqual([])
  })

  test('more rows than a file should hold go into several, in order', async () => {
    const plan = planOf({ schema: structType(fields) }, { targetFileSize: 200_000, compression: 'uncompressed' })
    const source: RowSource = {
      kind: 'rows',
      schema: plan.layout.schema,
      rows: (async function* () {
        for (let page = 0; page < 20; page++) {
          yield Array.from(
            { length: 1000 },
            (_, i): Row => [BigInt(page * 1000 + i), `text ${(page * 1000 + i) * 7919}`],
          )
        }
      })(),
    }
    const result = await engine.write(source, plan)
    expect(result.numRows).toBe(20_000)
    expect(result.files.length).toBeGreaterThan(1)
    for (const file of result.files) expect(file.size).toBeLessThan(400_000)
    const ids = (await readBack(result, plan)).map((line) => JSON.parse(line).i as number)
    expect(ids.every((id, i) => id === i)).toBe(true)
  })

  test('a store that is no local folder gets the finished files', async () => {
    const store: ObjectStore = memoryStore()
    const plan = planOf({ schema: structType(fields) }, { store })
    const result = await engine.write(rowsOf(fields, [1n, 'a']), plan)
    expect((await store.head(result.files[0]!.key)).size).toBe(result.files[0]!.size)
    expect(await readBack(result, plan)).toEqual(['{"i":1,"s":"a"}'])
  })

  test('a source that fails leaves no file of those already written', async () => {
    const plan = planOf({ schema: structType(fields) }, { targetFileSize: 1000 })
    const source: RowSource = {
      kind: 'rows',
      schema: plan.layout.schema,
      rows: (async function* () {
        yield Array.from({ length: 5000 }, (_, i): Row => [BigInt(i), 'x'])
        throw new Error('the source broke')
      })(),
    }
    await expect(engine.write(source, plan)).rejects.toThrow('the source broke')
    expect(filesBelow()).toEqual([])
  })

  test('an aborted write rejects as cancelled and leaves no file', async () => {
    const plan = planOf({ schema: structType(fields) }, { targetFileSize: 1000 })
    const abort = new AbortController()
    const source: RowSource = {
      kind: 'rows',
      schema: plan.layout.schema,
      rows: (async function* () {
        yield Array.from({ length: 5000 }, (_, i): Row => [BigInt(i), 'x'])
        abort.abort()
        yield [[1n, 'y']]
      })(),
    }
    await expect(engine.write(source, plan, { signal: abort.signal })).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
    expect(filesBelow()).toEqual([])
  })

  test('bytes that no partition text can hold fail the write and leave no file', async () => {
    const columns = [field('p', binaryType), field('v', integerType)]
    const plan = planOf({ schema: structType(columns), partitionColumns: ['p'] })
    const rows: Row[] = [
      [new Uint8Array([0xc3, 0xa9]), 1],
      [new Uint8Array([0xff]), 2],
    ]
    await expect(engine.write(rowsOf(columns, ...rows), plan)).rejects.toMatchObject({
      code: 'DELTA_INVALID_PARTITION_VALUE',
    })
    expect(filesBelow()).toEqual([])
    const written = await engine.write(rowsOf(columns, rows[0]!), plan)
    expect(written.files[0]!.partitionValues).toEqual(new Map([['p', 'é']]))
    expect(await readBack(written, plan)).toEqual(['{"p":"w6k=","v":1}'])
  })

  test('a place that can hold no folder is an error with a code', async () => {
    writeFileSync(join(root, 'file'), '')
    const plan = planOf({ schema: structType(fields) }, { store: localStore(join(root, 'file', 'table')) })
    await expect(engine.write(rowsOf(fields, [1n, 'x']), plan)).rejects.toMatchObject({
      code: 'LAKE_STORAGE_UNAVAILABLE',
    })
  })

  test('rows of a table are copied in order, its names left behind', async () => {
    const first = planOf({ schema: structType([...fields, field('p', integerType)]), partitionColumns: ['p'] })
    const rows = Array.from({ length: 100 }, (_, i): Row => [BigInt(i), `t${i}`, Math.floor(i / 50)])
    const written = await engine.write(rowsOf(first.layout.schema.fields as StructField[], ...rows), first)
    const mapped = structType(
      first.layout.schema.fields.map((f, i) => ({
        ...f,
        metadata: { 'delta.columnMapping.id': i + 1, 'delta.columnMapping.physicalName': `col-${i}` },
      })),
    )
    const second = planOf({ schema: mapped, columnMapping: 'name' })
    const copied = await engine.write(
      {
        kind: 'scan',
        plan: {
          store: first.store,
          layout: first.layout,
          files: written.files.map((file) => ({ ...file, path: encodePath(file.key), dataChange: true })),
          columns: [2, 0, 1],
        },
      },
      second,
    )
    expect(copied.files.length).toBe(1)
    expect(await readBack(copied, second)).toEqual(rows.map((row) => rowToJson(row, first.layout.schema)))
    rmSync(join(root, written.files[1]!.key))
    const again: RowSource = {
      kind: 'scan',
      plan: {
        store: first.store,
        layout: first.layout,
        files: written.files.map((file) => ({ ...file, path: encodePath(file.key), dataChange: true })),
        columns: [2, 0, 1],
      },
    }
    await expect(engine.write(again, second)).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.FILE_NOT_EXIST',
      details: { file: written.files[1]!.key },
    })
  })
})
