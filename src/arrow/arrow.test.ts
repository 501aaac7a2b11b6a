import * as arrow from 'apache-arrow'
import { describe, expect, test } from 'vitest'
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
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  Variant,
  variantType,
} from '../schema/index.ts'
import { Decimal } from '../support/index.ts'
import { type ArrowRows, arrowBytes, isArrowRows, pagesFromArrow, schemaFromArrow, toArrow } from './index.ts'

const SCHEMA = structType([
  field('b', byteType),
  field('s', shortType),
  field('i', integerType, false),
  field('l', longType),
  field('f', floatType),
  field('d', doubleType),
  field('dec', decimalType(38, 9)),
  field('bool', booleanType),
  field('text', stringType),
  field('bin', binaryType),
  field('day', dateType),
  field('ts', timestampType),
  field('ntz', timestampNtzType),
  field('v', variantType),
  field('list', arrayType(arrayType(longType))),
  field('map', mapType(stringType, structType([field('x', integerType), field('y', arrayType(stringType))]))),
  field('nested', structType([field('a.b', decimalType(10, 2)), field('v', variantType)])),
])

const variant = new Variant(new Uint8Array([1, 0, 0]), new Uint8Array([12, 7]))

const ROWS: Row[] = [
  [
    -128,
    32767,
    -2147483648,
    -(2n ** 63n),
    Math.fround(1e-45),
    Number.NaN,
    new Decimal(-(10n ** 38n - 1n), 9),
    true,
    '',
    new Uint8Array(0),
    -719528,
    -(2n ** 63n),
    2n ** 63n - 1n,
    variant,
    [[1n, null], null, []],
    [{ key: '', value: [1, ['a', null]] }],
    [new Decimal(-1n, 2), variant],
  ],
  SCHEMA.fields.map(({ nullable }) => (nullable ? null : 0)),
  [
    127,
    -1,
    2147483647,
    9007199254740993n,
    Number.NEGATIVE_INFINITY,
    -0,
    new Decimal(1n, 9),
    false,
    'naïve 🦆\u0000',
    new Uint8Array([0, 255]),
    2932896,
    1n,
    -1n,
    variant,
    [],
    [],
    [null, null],
  ],
]

async function through(form: 'file' | 'stream', pages: readonly Row[][]): Promise<arrow.Table> {
  const batches = (async function* () {
    for (const rows of pages) yield { numRows: rows.length, column: (i: number) => rows.map((row) => row[i]!) }
  })()
  const pieces: Uint8Array[] = []
  for await (const piece of arrowBytes(await toArrow(SCHEMA, batches), form)) pieces.push(piece)
  return arrow.tableFromIPC(Buffer.concat(pieces))
}

async function rowsOf(rows: ArrowRows): Promise<Row[]> {
  const all: Row[] = []
  for await (const page of pagesFromArrow(rows)) all.push(...page)
  return all
}

describe.each(['file', 'stream'] as const)('the Arrow %s format', (form) => {
  test('keeps every type at its extremes, nulls and nesting', async () => {
    const table = await through(form, [ROWS, [], ROWS.slice(2)])
    expect(isArrowRows(table)).toBe(true)
    expect(schemaFromArrow(table.schema)).toEqual(SCHEMA)
    expect(await rowsOf(table)).toEqual([...ROWS, ROWS[2]])
  })

  test('keeps the schema where there are no rows', async () => {
    const table = await through(form, [])
    expect(schemaFromArrow(table.schema)).toEqual(SCHEMA)
    expect(await rowsOf(table)).toEqual([])
  })
})

test('a slice gives its own rows', async () => {
  const table = await through('stream', [[...ROWS, ...ROWS]])
  expect(await rowsOf(table.slice(1, 4))).toEqual([ROWS[1], ROWS[2], ROWS[0]])
})

test('types that tables lack become the next that holds them', async () => {
  const columns = {
    u8: arrow.vectorFromArray([255], new arrow.Uint8()),
    u16: arrow.vectorFromArray([65535], new arrow.Uint16()),
    u32: arrow.vectorFromArray([4294967295], new arrow.Uint32()),
    u64: arrow.vectorFromArray([2n ** 64n - 1n], new arrow.Uint64()),
    half: arrow.vectorFromArray([-1.5], new arrow.Float16()),
    word: arrow.vectorFromArray(
      ['red', 'red', null].slice(0, 1),
      new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()),
    ),
    ms: arrow.vectorFromArray([new Date(-1)], new arrow.TimestampMillisecond('UTC')),
    day: arrow.vectorFromArray([new Date(86_400_000)], new arrow.DateMillisecond()),
  }
  const table = new arrow.Table(columns)
  expect(schemaFromArrow(table.schema).fields.map(({ type }) => type)).toEqual([
    shortType,
    integerType,
    longType,
    decimalType(20, 0),
    floatType,
    stringType,
    timestampType,
    dateType,
  ])
  const [row] = await rowsOf(table)
  expect(row).toEqual([255, 65535, 4294967295n, new Decimal(2n ** 64n - 1n, 0), -1.5, 'red', -1000n, 1])
})

test('what no column can hold is refused by its path', () => {
  const time = new arrow.Field('at', new arrow.TimeMicrosecond())
  const schema = new arrow.Schema([new arrow.Field('visit', new arrow.Struct([time]))])
  expect(() => schemaFromArrow(schema)).toThrow(/visit\.at/)
})

test('a time finer than a microsecond is refused, not rounded', async () => {
  const type = new arrow.TimestampNanosecond('UTC')
  const data = arrow.makeData({ type, length: 2, nullCount: 0, data: BigInt64Array.of(1000n, 1001n) })
  const table = new arrow.Table({ t: new arrow.Vector([data]) })
  await expect(rowsOf(table)).rejects.toMatchObject({ code: 'LAKE_ARROW_VALUE' })
})

test.each([null, 7, [], [{ a: 1 }], { schema: {} }, { schema: { fields: [] } }])('%j is not Arrow', (value) => {
  expect(isArrowRows(value)).toBe(false)
})
