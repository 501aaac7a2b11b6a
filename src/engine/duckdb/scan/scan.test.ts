import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddFile, encodePath, type TableLayout } from '../../../kernel/index.ts'
import {
  arrayType,
  dateType,
  decimalType,
  doubleType,
  field,
  integerType,
  longType,
  mapType,
  type Row,
  rowToJson,
  type StructField,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  voidType,
} from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { memoryStore } from '../../../storage/index.ts'
import type { ScanPlan } from '../../index.ts'
import { DuckDatabase } from '../instance.ts'
import { quoteLiteral } from '../sql-text.ts'
import { count, scan } from './scan.ts'

let root: string
let database: DuckDatabase
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'scan-[x]*-'))
  database = new DuckDatabase({ threads: 2, memoryLimit: '500MB' })
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true })
})

interface WrittenTestFile extends Partial<AddFile> {
  key: string
}

/** Writes a Parquet file with plain DuckDB and gives the add that names it. */
async function file(key: string, sql: string, options = ''): Promise<AddFile> {
  const path = join(root, key)
  mkdirSync(dirname(path), { recursive: true })
  await database.withSession((s) => s.run(`COPY (${sql}) TO ${quoteLiteral(path)} (FORMAT parquet${options})`))
  return add({ key, size: statSync(path).size })
}

function add({ key, ...rest }: WrittenTestFile): AddFile {
  return {
    path: encodePath(key),
    partitionValues: new Map(),
    size: 1,
    modificationTime: 0,
    dataChange: true,
    ...rest,
  }
}

function layout(fields: StructField[], rest: Partial<TableLayout> = {}): TableLayout {
  return { schema: structType(fields), partitionColumns: [], columnMapping: 'none', ...rest }
}

function planOf(table: TableLayout, files: AddFile[], rest: Partial<ScanPlan> = {}): ScanPlan {
  return { store: localStore(root), layout: table, files, columns: table.schema.fields.map((_, i) => i), ...rest }
}

async function rows(plan: ScanPlan): Promise<Row[]> {
  const result: Row[] = []
  for await (const batch of scan(database, plan)) {
    const columns = batch.schema.fields.map((_, i) => batch.column(i))
    for (let i = 0; i < batch.numRows; i++) result.push(columns.map((column) => column[i]!))
  }
  return result
}

async function json(plan: ScanPlan): Promise<string[]> {
  const schema = structType(plan.columns.map((i) => plan.layout.schema.fields[i]!))
  return (await rows(plan)).map((row) => rowToJson(row, schema))
}

const mapped = (name: string, id: number, physical: string, type: StructField['type']) =>
  field(name, type, true, { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': physical })

describe('values', () => {
  test('every type at its extremes comes out exactly', async () => {
    const fields: [string, string, StructField['type']][] = [
      ['l', "'-9223372036854775808'::BIGINT", longType],
      ['d', "'-99999999999999999999999999999999999.999'::DECIMAL(38,3)", decimalType(38, 3)],
      ['f', "'0.1'::FLOAT", { kind: 'float' }],
      ['nan', "'NaN'::DOUBLE", doubleType],
      ['neg', "'-0.0'::DOUBLE", doubleType],
      ['s', "'é🌼' || chr(0)", stringType],
      ['b', "'\\x00\\xFF'::BLOB", { kind: 'binary' }],
      ['day', "'0001-01-01'::DATE", dateType],
      ['t', "'0001-01-01 00:00:00.000001+00'::TIMESTAMPTZ", timestampType],
      ['n', "'9999-12-31 23:59:59.999999'::TIMESTAMP", timestampNtzType],
      ['m', "MAP{'k': NULL::INTEGER}", mapType(stringType, integerType)],
      ['x', '[[1,NULL],NULL,[]]::INTEGER[][]', arrayType(arrayType(integerType))],
      [
        'p',
        `{'__proto__': 1, '2': NULL::VARCHAR, '1': 'a'}`,
        structType([field('__proto__', integerType), field('2', stringType), field('1', stringType)]),
      ],
    ]
    const added = await file('types.parquet', `SELECT ${fields.map(([n, sql]) => `${sql} AS ${n}`).join(', ')}`)
    const table = layout(fields.map(([name, , type]) => field(name, type)))
    expect(await json(planOf(table, [added]))).toEqual([
      '{"l":-9223372036854775808,"d":-99999999999999999999999999999999999.999,"f":0.1,"nan":"NaN","neg":-0.0,' +
        '"s":"é🌼\\u0000","b":"AP8=","day":"0001-01-01","t":"0001-01-01T00:00:00.000001Z",' +
        '"n":"9999-12-31T23:59:59.999999","m":[{"key":"k","value":null}],"x":[[1,null],null,[]],' +
        '"p":{"__proto__":1,"2":null,"1":"a"}}',
    ])
  })

  test('a null struct, list and map are null and not empty', async () => {
    const added = await file(
      'nulls.parquet',
      `SELECT * FROM (VALUES (1, NULL::STRUCT(a INTEGER), NULL::INTEGER[], NULL::MAP(VARCHAR, INTEGER)),
        (2, {'a': NULL}, [], MAP{})) t(i, s, l, m)`,
    )
    const table = layout([
      field('i', integerType),
      field('s', structType([field('a', integerType), field('gone', voidType)])),
      field('l', arrayType(integerType)),
      field('m', mapType(stringType, integerType)),
      field('v', voidType),
    ])
    expect(await json(planOf(table, [added]))).toEqual([
      '{"i":1,"s":null,"l":null,"m":null,"v":null}',
      '{"i":2,"s":{"a":null,"gone":null},"l":[],"m":[],"v":null}',
    ])
  })
})

describe('files of different shapes in one scan', () => {
  test('narrow, absent and reordered columns are widened, null and found by name', async () => {
    const files = [
      await file('w1.parquet', `SELECT 1::TINYINT AS a, DATE '2024-02-29' AS d, {'x': 1::INTEGER} AS s`),
      await file(
        'w2.parquet',
        `SELECT {'y': 'n', 'x': 9007199254740993} AS s, TIMESTAMP '2024-03-01 01:02:03' AS d, 5::BIGINT AS a, 'new' AS z`,
      ),
    ]
    const table = layout([
      field('a', longType),
      field('d', timestampNtzType),
      field('s', structType([field('x', longType), field('y', stringType)])),
      field('z', stringType),
    ])
    expect(await json(planOf(table, files))).toEqual([
      '{"a":1,"d":"2024-02-29T00:00:00","s":{"x":1,"y":null},"z":null}',
      '{"a":5,"d":"2024-03-01T01:02:03","s":{"x":9007199254740993,"y":"n"},"z":"new"}',
    ])
  })

  test('a struct that shares no member with an old file is a struct of nulls there, and null stays null', async () => {
    const many = await file('c0.parquet', `SELECT {'new': i::INTEGER} AS s FROM range(5000) r(i)`)
    const old = await file('c1.parquet', `SELECT unnest([{'old': 1}, NULL]) AS s`)
    const table = layout([field('s', structType([field('new', integerType)]))])
    const result = await json(planOf(table, [many, old]))
    expect(result.length).toBe(5002)
    expect(result.slice(4998)).toEqual(['{"s":{"new":4998}}', '{"s":{"new":4999}}', '{"s":{"new":null}}', '{"s":null}'])
  })

  test('columns mapped by name are read by their physical names at every level', async () => {
    const added = await file(
      'name.parquet',
      `SELECT 1 AS "col-1", {'col-3': 'v'} AS "col-2", [{'col-5': 7}] AS "col-4"`,
    )
    const table = layout(
      [
        mapped('a b', 1, 'col-1', integerType),
        mapped('s', 2, 'col-2', structType([mapped('renamed', 3, 'col-3', stringType)])),
        mapped('l', 4, 'col-4', arrayType(structType([mapped('k', 5, 'col-5', integerType)]))),
      ],
      { columnMapping: 'name' },
    )
    expect(await json(planOf(table, [added]))).toEqual(['{"a b":1,"s":{"renamed":"v"},"l":[{"k":7}]}'])
  })

  test('columns mapped by id are found whatever the file calls them, nested too', async () => {
    const ids = (a: string, s: string, x: string, l: string, k: string) =>
      `, FIELD_IDS {"${a}": 1, "${s}": {__duckdb_field_id: 2, "${x}": 3},
        "${l}": {__duckdb_field_id: 4, element: {__duckdb_field_id: 100, "${k}": 5}}}`
    const files = [
      await file('id1.parquet', `SELECT 1 AS p, {'q': 'v'} AS r, [{'t': 7}] AS u`, ids('p', 'r', 'q', 'u', 't')),
      await file('id2.parquet', `SELECT 2 AS r, {'u': 'w'} AS q, [{'p': 8}] AS t`, ids('r', 'q', 'u', 't', 'p')),
    ]
    const table = layout(
      [
        mapped('a', 1, 'p1', integerType),
        mapped('s', 2, 'p2', structType([mapped('x', 3, 'p3', stringType)])),
        mapped('l', 4, 'p4', arrayType(structType([mapped('k', 5, 'p5', integerType)]))),
        mapped('later', 9, 'p9', integerType),
      ],
      { columnMapping: 'id' },
    )
    expect(await json(planOf(table, files))).toEqual([
      '{"a":1,"s":{"x":"v"},"l":[{"k":7}],"later":null}',
      '{"a":2,"s":{"x":"w"},"l":[{"k":8}],"later":null}',
    ])
  })

  test('a file without field ids is refused in a table mapped by id', async () => {
    const added = await file('noid.parquet', 'SELECT 1 AS p')
    const table = layout([mapped('a', 1, 'p', integerType)], { columnMapping: 'id' })
    await expect(json(planOf(table, [added]))).rejects.toMatchObject({ code: 'FAILED_READ_FILE.NO_HINT' })
  })
})

describe('paths', () => {
  test('glob characters, quotes and hive names in paths mean themselves', async () => {
    const table = layout([field('v', integerType)])
    const files: AddFile[] = []
    for (const [i, key] of [
      'st*r/f.parquet',
      'stXr/f.parquet',
      'b[x]/f.parquet',
      "q'uote/f.parquet",
      'a?c.parquet',
      'k=1/f.parquet',
    ].entries()) {
      files.push(await file(key, `SELECT ${i} AS v`))
    }
    expect(await json(planOf(table, files))).toEqual([0, 1, 2, 3, 4, 5].map((v) => `{"v":${v}}`))
    expect(await json(planOf(table, [files[2]!, files[2]!]))).toEqual(['{"v":2}', '{"v":2}'])
  })

  test('columns called as the engine calls its own are read, and their deleted rows are right', async () => {
    const added = await file(
      'virtual.parquet',
      `SELECT i AS file_row_number, 'n' || i AS filename, -i AS file_index, i*2 AS c0 FROM range(6) r(i)`,
    )
    const table = layout([
      field('file_row_number', longType),
      field('filename', stringType),
      field('file_index', longType),
      field('c0', longType),
    ])
    expect((await json(planOf(table, [added]))).at(-1)).toBe(
      '{"file_row_number":5,"filename":"n5","file_index":-5,"c0":10}',
    )
  })

  test('partition columns come from the log, any text of them, and not from the path', async () => {
    const fields = [
      field('p', stringType),
      field('v', integerType),
      field('d', decimalType(5, 2)),
      field('t', timestampType),
    ]
    const table = layout(fields, { partitionColumns: ['p', 'd', 't'] })
    const values: (string | null)[][] = [
      ["it's\n", '1.5', '2024-01-01 00:00:00'],
      [null, null, '2024-01-01T02:00:00.000000Z'],
      ['', '-3.25', null],
    ]
    const files = await Promise.all(
      values.map(async ([p, d, t], i) => ({
        ...(await file(`p=other/f${i}.parquet`, `SELECT ${i} AS v`)),
        partitionValues: new Map([
          ['p', p!],
          ['d', d!],
          ['t', t!],
        ]),
      })),
    )
    expect(await json(planOf(table, files))).toEqual([
      '{"p":"it\'s\\n","v":0,"d":1.50,"t":"2024-01-01T00:00:00Z"}',
      '{"p":null,"v":1,"d":null,"t":"2024-01-01T02:00:00Z"}',
      '{"p":"","v":2,"d":-3.25,"t":null}',
    ])
  })

  test('a store that is no local folder is read through temporary files that do not stay', async () => {
    const local = localStore(root)
    const added = await file('remote.parquet', 'SELECT i FROM range(3) r(i)')
    const store = memoryStore()
    await store.put('remote.parquet', await local.get('remote.parquet'))
    const table = layout([field('i', longType)])
    expect(await json(planOf(table, [added], { store }))).toEqual(['{"i":0}', '{"i":1}', '{"i":2}'])
    await expect(json(planOf(table, [add({ key: 'none.parquet' })], { store }))).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.FILE_NOT_EXIST',
    })
  })
})

describe('plans', () => {
  const table = layout([field('a', longType), field('b', stringType)])

  test('rows come in file order and row order, whatever the threads', async () => {
    const files: AddFile[] = []
    for (let i = 0; i < 3; i++) {
      files.push(
        await file(
          `o${i}.parquet`,
          `SELECT i + ${i} * 100000 AS a, 'x' AS b FROM range(100000) r(i)`,
          ', ROW_GROUP_SIZE 10000',
        ),
      )
    }
    const values = (await rows(planOf(table, files, { columns: [0] }))).map(([a]) => a as bigint)
    expect(values.length).toBe(300_000)
    expect(values.every((value, i) => value === BigInt(i))).toBe(true)
    expect(await rows(planOf(table, files, { columns: [0], limit: 5 }))).toEqual([[0n], [1n], [2n], [3n], [4n]])
    expect(await count(database, planOf(table, files))).toBe(300_000)
    expect(await count(database, planOf(table, files, { limit: 7 }))).toBe(7)
  })

  test('no columns give rows without columns; a column may be asked for twice', async () => {
    const added = await file('none-asked.parquet', `SELECT i AS a, 'b' AS b FROM range(3) r(i)`)
    expect(await rows(planOf(table, [added], { columns: [] }))).toEqual([[], [], []])
    expect((await rows(planOf(table, [added], { columns: [1, 0, 1], limit: 1 })))[0]).toEqual(['b', 0n, 'b'])
    expect(await rows(planOf(table, [], {}))).toEqual([])
  })

  test('a missing file and a file that is no Parquet are named', async () => {
    const good = await file('good.parquet', 'SELECT 1 AS a')
    writeFileSync(join(root, 'bad.parquet'), 'PAR1 nothing PAR1')
    await expect(rows(planOf(table, [good, add({ key: 'gone.parquet' })]))).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.FILE_NOT_EXIST',
      message: 'the data file gone.parquet, which the log names, is not there',
    })
    for (const call of [rows, (plan: ScanPlan) => count(database, plan)]) {
      await expect(call(planOf(table, [good, add({ key: 'bad.parquet' })]))).rejects.toMatchObject({
        code: 'FAILED_READ_FILE.NO_HINT',
        details: { file: 'bad.parquet' },
      })
    }
  })

  test('an aborted scan rejects as cancelled', async () => {
    const added = await file('big.parquet', `SELECT i AS a, 'b' AS b FROM range(200000) r(i)`)
    const abort = new AbortController()
    const reading = (async () => {
      for await (const _ of scan(database, planOf(table, [added]), { signal: abort.signal })) abort.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
  })
})

describe('variants', () => {
  test('shredded, plain and our own unshredded ones are one column, nested too', async () => {
    const seven = "{'metadata': '\\x01\\x00\\x00'::BLOB, 'value': '\\x0C\\x07'::BLOB}"
    const shredded = await file('v1.parquet', `SELECT 1 AS i, {'a': 5, 'b': 'x'}::VARIANT AS v, {'w': [${seven}]} AS s`)
    const own = await file(
      'v2.parquet',
      `SELECT 2 AS i, variant_to_parquet_variant('t'::VARIANT) AS v, {'w': [${seven}, NULL]} AS s`,
    )
    const variant = { kind: 'variant' } as const
    const table = layout([
      field('i', integerType),
      field('v', variant),
      field('s', structType([field('w', arrayType(variant))])),
    ])
    expect(await json(planOf(table, [shredded, own, shredded]))).toEqual([
      '{"i":1,"v":{"a":5,"b":"x"},"s":{"w":[7]}}',
      '{"i":2,"v":"t","s":{"w":[7,null]}}',
      '{"i":1,"v":{"a":5,"b":"x"},"s":{"w":[7]}}',
    ])
  })
})

describe('deletion vectors', () => {
  /** Rows 0, 1, 4 and 5. */
  const inline = {
    storageType: 'i',
    pathOrInlineDv: '^Bg9^0rr910000000000iXQKl0rr91000935c8Xg000311onP9',
    sizeInBytes: 40,
    cardinality: 4,
  } as const
  const table = layout([field('a', longType), field('file_row_number', longType)])
  const withVector = async (key: string, rowCount: number) => ({
    ...(await file(
      key,
      `SELECT i AS a, 100 - i AS file_row_number FROM range(${rowCount}) r(i)`,
      ', ROW_GROUP_SIZE 2048',
    )),
    deletionVector: inline,
  })

  test('rows go by their place in the file, before limit, whatever the columns are called', async () => {
    const files = [
      await withVector('dv1.parquet', 10),
      await file('dv2.parquet', 'SELECT -1 AS a, 0 AS file_row_number'),
      await withVector('dv3.parquet', 7),
    ]
    expect((await rows(planOf(table, files, { columns: [0] }))).map(([a]) => Number(a))).toEqual([
      2, 3, 6, 7, 8, 9, -1, 2, 3, 6,
    ])
    expect((await rows(planOf(table, files, { columns: [0], limit: 3 }))).map(([a]) => Number(a))).toEqual([2, 3, 6])
    expect(await count(database, planOf(table, files))).toBe(10)
    expect(await rows(planOf(table, files, { columns: [] }))).toHaveLength(10)
  })

  test('many row groups keep their order', async () => {
    const result = await rows(planOf(table, [await withVector('dv4.parquet', 200_000)], { columns: [0] }))
    expect(result.map(([a]) => Number(a))).toEqual(
      Array.from({ length: 200_000 }, (_, i) => i).filter((i) => ![0, 1, 4, 5].includes(i)),
    )
  })

  test('a position the file does not have is an error', async () => {
    await expect(rows(planOf(table, [await withVector('dv5.parquet', 3)]))).rejects.toMatchObject({
      code: 'DELTA_DELETION_VECTOR_INVALID_ROW_INDEX',
    })
  })
})

describe('the calendar of old writers', () => {
  const table = layout([field('d', dateType), field('t', timestampType)])
  const written = (key: string, day: string, metadata: string) =>
    file(key, `SELECT DATE '${day}' AS d, TIMESTAMPTZ '2024-01-01 00:00:00+00' AS t`, `, KV_METADATA {${metadata}}`)

  test('an old day in a file that counts it otherwise is refused, and read where it is not', async () => {
    const legacy = "'org.apache.spark.legacyDateTime': ''"
    const code = 'INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME'
    const old = await written('old.parquet', '1500-01-01', legacy)
    const older = await written('older.parquet', '1500-01-01', "'org.apache.spark.version': '2.4.8'")
    const fresh = await written('fresh.parquet', '1500-01-01', "'org.apache.spark.version': '3.5.1'")
    const late = await written('late.parquet', '1600-01-01', legacy)
    await expect(json(planOf(table, [fresh, old]))).rejects.toMatchObject({ code, details: { column: 'd' } })
    await expect(json(planOf(table, [older]))).rejects.toMatchObject({ code })
    expect(await json(planOf(table, [fresh, late]))).toEqual([
      '{"d":"1500-01-01","t":"2024-01-01T00:00:00Z"}',
      '{"d":"1600-01-01","t":"2024-01-01T00:00:00Z"}',
    ])
    expect(await json(planOf(table, [old], { columns: [1] }))).toEqual(['{"t":"2024-01-01T00:00:00Z"}'])
    const stats = '{"numRecords":1,"minValues":{"d":"2024-01-01","t":"2024-01-01T00:00:00.000Z"}}'
    expect(await json(planOf(table, [{ ...late, stats }], { columns: [0] }))).toEqual(['{"d":"1600-01-01"}'])
  })
})
