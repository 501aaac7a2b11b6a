/** Generated expressions over generated rows: SQL and the evaluator in TypeScript give the same values or the same error. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue, isDeltaError } from '../../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  compileEvaluator,
  isInterval,
  parseExpression,
} from '../../../expressions/index.ts'
import {
  binaryType,
  booleanType,
  byteType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  isNested,
  longType,
  type Row,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
  valueToJson,
} from '../../../schema/index.ts'
import { Decimal } from '../../../support/index.ts'
import { DuckDatabase, type DuckSession } from '../instance.ts'
import { ChunkBatch } from '../scan/chunk-batch.ts'
import { quoteIdent } from '../sql-text.ts'
import { literal } from '../values/literal.ts'
import { compileExpression, expressionError } from './index.ts'

const schema = structType([
  field('i', integerType),
  field('l', longType),
  field('s', shortType),
  field('b', byteType),
  field('f', floatType),
  field('d', doubleType),
  field('c', decimalType(10, 2)),
  field('w', decimalType(20, 4)),
  field('t', stringType),
  field('x', booleanType),
  field('dt', dateType),
  field('ts', timestampType),
  field('nt', timestampNtzType),
  field('bin', binaryType),
])

const special: readonly (readonly Value[])[] = [
  [0, 1, -1, 7, 2147483647, -2147483648],
  [0n, 1n, -1n, 9223372036854775807n, -9223372036854775808n, 9007199254740993n],
  [0, 1, -1, 32767, -32768],
  [0, 1, -1, 127, -128],
  [
    0,
    -0,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Math.fround(0.1),
    Math.fround(3.4028234e38),
  ],
  [0, -0, 2.5, -2.5, 0.1, 1e-7, 1e10, Number.NaN, Number.POSITIVE_INFINITY, 1.7976931348623157e308, 2147483647.5],
  [new Decimal(0n, 2), new Decimal(150n, 2), new Decimal(-5n, 2), new Decimal(9999999999n, 2)],
  [new Decimal(0n, 4), new Decimal(12345n, 4), new Decimal(-99999999999999999999n, 4), new Decimal(5n, 4)],
  [
    '',
    'a',
    ' 12 ',
    '-7',
    '1.5',
    'x%y_z\\',
    'TRUE',
    '2024-02-29',
    '2024-02-29 12:34:56.789',
    '\u{1f600}e\u0301',
    'NaN',
    '1e3',
  ],
  [true, false],
  [0, -1, 19782, -719162, 2932896],
  [0n, -1n, 1_709_210_096_789_012n, -62_135_596_800_000_000n, 253_402_300_799_999_999n],
  [0n, 1_709_210_096_789_012n],
  [new Uint8Array(), new Uint8Array([0, 255]), new Uint8Array([97])],
]
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.tuple(...special.map((values) => fc.option(fc.constantFrom<Value>(...values), { freq: 6, nil: null }))),
  { minLength: 1, maxLength: 4 },
)

const TYPES = [
  'boolean',
  'tinyint',
  'smallint',
  'int',
  'bigint',
  'float',
  'double',
  'decimal(10,2)',
  'decimal(38,6)',
  'string',
  'date',
  'timestamp',
  'timestamp_ntz',
]
const LITERALS = [
  '0',
  '1',
  '-1',
  '7L',
  '2147483647',
  '1.5',
  '0.005',
  '2.5D',
  "'a'",
  "'12'",
  "''",
  'NULL',
  'true',
  'false',
  "DATE '2024-01-31'",
  "TIMESTAMP '2024-01-31 01:02:03.5'",
  "X'61'",
]

const texts = fc.letrec<{ any: string; leaf: string }>((tie) => {
  const any = tie('any')
  return {
    leaf: fc.oneof(fc.constantFrom(...schema.fields.map((f) => f.name)), fc.constantFrom(...LITERALS)),
    any: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      tie('leaf'),
      fc.tuple(any, fc.constantFrom('+', '-', '*', '/', '%', 'div'), any).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc
        .tuple(any, fc.constantFrom('=', '<', '<=', '>', '>=', '!=', '<=>'), any)
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(any, fc.constantFrom('AND', 'OR'), any).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc
        .tuple(fc.constantFrom('CAST', 'TRY_CAST'), any, fc.constantFrom(...TYPES))
        .map(([cast, a, type]) => `${cast}(${a} AS ${type})`),
      fc.tuple(fc.constantFrom('IS NULL', 'IS NOT NULL'), any).map(([test, a]) => `(${a} ${test})`),
      fc
        .tuple(
          fc.constantFrom(
            'NOT',
            '-',
            'abs',
            'length',
            'trim',
            'year',
            'month',
            'dayofweek',
            'isnan',
            'last_day',
            'second',
          ),
          any,
        )
        .map(([f, a]) => `${f}(${a})`),
      fc.tuple(any, any, any).map(([a, b, c]) => `(${a} IN (${b}, ${c}))`),
      fc.tuple(any, any, any).map(([a, b, c]) => `CASE WHEN ${a} THEN ${b} ELSE ${c} END`),
      fc
        .tuple(
          fc.constantFrom(
            'coalesce',
            'greatest',
            'least',
            'concat',
            'nullif',
            'date_add',
            'try_add',
            'pmod',
            'left',
            'startswith',
            'nanvl',
          ),
          any,
          any,
        )
        .map(([f, a, b]) => `${f}(${a}, ${b})`),
      fc
        .tuple(any, fc.integer({ min: -3, max: 4 }), fc.integer({ min: -1, max: 4 }))
        .map(([a, p, n]) => `substring(${a}, ${p}, ${n})`),
      fc.tuple(any, fc.constantFrom("'%a%'", "'_'", "'x\\\\%%'")).map(([a, p]) => `(${a} LIKE ${p})`),
    ),
  }
}).any

let database: DuckDatabase
let session: DuckSession
beforeAll(async () => {
  database = new DuckDatabase({ threads: 1 })
  session = await database.acquire()
})
afterAll(() => database.close())

/** Per row its value as text, or the code of its error. */
function evaluated(bound: BoundExpression, given: readonly Row[]): { texts: string[]; codes: Set<string> } {
  const evaluator = compileEvaluator(bound)
  const codes = new Set<string>()
  const values = given.map((row) => {
    try {
      return valueToJson(evaluator(row), bound.type as DataType)
    } catch (error) {
      if (!isDeltaError(error)) throw error
      codes.add(error.code)
      return error.code
    }
  })
  return { texts: values, codes }
}

async function queried(bound: BoundExpression, given: readonly Row[]): Promise<string[] | string> {
  const sql = compileExpression(bound, (path) => quoteIdent(path[0]!), { mayRefuseValues: true })
  const lines = given.map((row, n) => `(${[n, ...schema.fields.map((f, i) => literal(row[i]!, f.type))].join(', ')})`)
  const names = ['"#"', ...schema.fields.map((f) => quoteIdent(f.name))].join(', ')
  const values: string[] = []
  try {
    for await (const chunk of session.stream(
      `SELECT ${sql} FROM (VALUES ${lines.join(', ')}) AS v(${names}) ORDER BY "#"`,
    )) {
      const batch = new ChunkBatch(chunk, structType([field('r', bound.type as DataType)]))
      values.push(...batch.column(0).map((value) => valueToJson(value, bound.type as DataType)))
    }
    return values
  } catch (cause) {
    const error = expressionError(cause)
    return isDeltaError(error) ? error.code : `${error}`.split('\n')[0]!
  }
}

const REFUSED = ['LAKE_EXPRESSION_NOT_COMPILED', 'LAKE_EXPRESSION_UNSUPPORTED']

test('generated expressions give in SQL what they give in TypeScript', { timeout: 900_000 }, async () => {
  let compared = 0
  let elided = 0
  await fc.assert(
    fc.asyncProperty(texts, rows, async (text, given) => {
      let bound: BoundExpression
      let actual: string[] | string
      try {
        bound = bindExpression(parseExpression(text), schema)
        if (isInterval(bound.type) || isNested(bound.type)) return
        actual = await queried(bound, given)
      } catch (error) {
        if (isDeltaError(error)) return // does not bind, or is refused by name
        throw error
      }
      const expected = evaluated(bound, given)
      if (REFUSED.includes(actual as string) || REFUSED.some((code) => expected.codes.has(code))) return
      compared++
      // a query fails as a whole, and of several errors in it any may come first; which error is which is held elsewhere
      if (typeof actual === 'string')
        expect([actual in catalogue, expected.codes.size > 0], `${text}: ${actual}`).toEqual([true, true])
      else {
        // DuckDB may know a result without its operand (`x AND false`, `CASE … END IS NULL`), as Spark's optimiser may
        if (expected.codes.size > 0) elided++
        const known = (_: string, n: number) => !expected.codes.has(expected.texts[n]!)
        expect(actual.filter(known), text).toEqual(expected.texts.filter(known))
      }
    }),
    { numRuns: Number(process.env.EXPRESSION_RUNS ?? 1000) },
  )
  expect(compared).toBeGreaterThan(50)
  expect(elided).toBeLessThan(compared / 20)
})
