import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindPredicate, evaluate } from '../../expressions/index.ts'
import type { TableLayout } from '../../kernel/index.ts'
import { memoryFile, openParquet, ParquetWriter } from '../../parquet/index.ts'
import {
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  type Row,
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { Decimal } from '../../support/index.ts'
import { mayMatch } from './index.ts'

const schema = structType([
  field('l', longType),
  field('x', doubleType),
  field('r', floatType),
  field('s', stringType),
  field('c', stringType, true, { __CHAR_VARCHAR_TYPE_STRING: 'char(4)' }),
  field('d', dateType),
  field('t', timestampType),
  field('m', decimalType(9, 2)),
  field('o', structType([field('i', integerType)])),
  field('p', integerType),
])
const layout: TableLayout = { schema, partitionColumns: ['p'], columnMapping: 'none' }
const stored = structType(schema.fields.slice(0, -1))

async function readerOf(groups: readonly (readonly Row[])[]) {
  const writer = new ParquetWriter(stored)
  for (const rows of groups) writer.writeRowGroup(stored.fields.map((_, i) => rows.map((row) => row[i] ?? null)))
  return openParquet(memoryFile('f', writer.finish()))
}

const nullable = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 5 })
const rowArbitrary: fc.Arbitrary<Row> = fc.tuple(
  nullable<Value>(-1n, 0n, 7n, 2n ** 60n + 1n),
  nullable<Value>(Number.NaN, -0, 0, 1.5, -2.5, Number.POSITIVE_INFINITY),
  nullable<Value>(Number.NaN, 0, Math.fround(0.1)),
  nullable<Value>('', 'ab', 'ab ', 'b', '\u{1f33c}', '\ufffd', `${'a'.repeat(70)}`, `${'a'.repeat(70)}z`),
  nullable<Value>('ab', 'ab\t', 'cd'),
  nullable<Value>(0, 19_723, 19_800, -719_162),
  nullable<Value>(0n, 1_709_251_199_999_999n, -1n),
  nullable<Value>(new Decimal(150n, 2), new Decimal(-7n, 2)),
  nullable<Value>([1], [2], [null]),
)

const predicates = [
  ...['l = 7', 'l > 0', 'l + 1 <= 0', 'l BETWEEN 1 AND 6', 'l IS NULL', 'l IS NOT NULL', 'l IN (8, 7)', 'l <=> NULL'],
  ...['x > 1', 'x = 1.5D', 'x < 0', 'x <= -0D', 'x BETWEEN 2 AND 3', 'NOT x <= 1', 'r > 0', "r = CAST('NaN' AS FLOAT)"],
  ...["s = 'ab'", "s LIKE 'a%'", "s > '\ufffd'", "s < ''", "left(s, 1) = 'b'", `s > '${'a'.repeat(70)}y'`],
  ...["c = 'ab  '", "c > 'ab'", "c LIKE 'c%'", "c = 'ab'", "c < 'b'"],
  ...['year(d) = 2024', 'month(d) = 3', "d < DATE'1970-01-01'", 'year(t) = 2024', 'hour(t) = 23', 'm > 1', 'm * 2 = 3'],
  ...['o.i = 3', 'o.i IS NULL', 'o.i > 1 AND l = 7', 'p = 1', 'p = 2 OR l = 9', 'upper(s) = s'],
]

describe('a row group', () => {
  test('with a matching row is never left out', async () => {
    let left = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(rowArbitrary, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        async (groups) => {
          const reader = await readerOf(groups)
          for (const text of predicates) {
            const filter = bindPredicate(text, schema)
            for (const [i, rows] of groups.entries()) {
              const isKept = mayMatch(filter, reader, reader.footer.rowGroups[i]!, layout)
              if (!isKept) left++
              const matches = rows.some((row) => evaluate(filter, [...row.map(asRead), 1]) === true)
              if (matches) expect([text, isKept]).toEqual([text, true])
            }
          }
        },
      ),
      { numRuns: 150 },
    )
    expect(left).toBeGreaterThan(1000)
  })

  test('is kept where a table maps its columns by id, and by predicates over what is in no file', async () => {
    const reader = await readerOf([[[1n]]])
    const [group] = reader.footer.rowGroups
    expect(mayMatch(bindPredicate('l = 2', schema), reader, group!, layout)).toBe(false)
    expect(mayMatch(bindPredicate('l = 2', schema), reader, group!, { ...layout, columnMapping: 'id' })).toBe(true)
    expect(mayMatch(bindPredicate('p = 2', schema), reader, group!, layout)).toBe(true)
  })
})

function asRead(value: Value, i: number): Value {
  return i === 4 && typeof value === 'string' ? value.padEnd(4) : value
}
