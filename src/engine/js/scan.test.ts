import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindPredicate, evaluate } from '../../expressions/index.ts'
import type { AddFile } from '../../kernel/index.ts'
import { ParquetWriter } from '../../parquet/index.ts'
import { dateType, decimalType, field, longType, type Row, rowToJson, stringType } from '../../schema/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { Decimal } from '../../support/index.ts'
import { layoutOf, scanPlan, scanTexts } from '../contract/ground.ts'
import { jsEngine } from './index.ts'

const layout = layoutOf([
  field('n', longType),
  field('d', decimalType(9, 2)),
  field('day', dateType),
  field('t', stringType),
])

/** A file with one row group for each list of rows. */
async function putFile(store: ObjectStore, groups: readonly (readonly Row[])[]): Promise<AddFile> {
  const writer = new ParquetWriter(layout.schema, { compression: 'uncompressed' })
  for (const rows of groups) writer.writeRowGroup(layout.schema.fields.map((_, i) => rows.map((row) => row[i]!)))
  const bytes = writer.finish()
  await store.put('f.parquet', bytes)
  return {
    path: 'f.parquet',
    partitionValues: new Map(),
    size: bytes.length,
    modificationTime: 0,
    dataChange: true,
  }
}

const row = fc.tuple(
  fc.option(fc.bigInt({ min: -20n, max: 20n }), { nil: null }),
  fc.option(
    fc.bigInt({ min: -300n, max: 300n }).map((unscaled) => new Decimal(unscaled, 2)),
    { nil: null },
  ),
  fc.option(fc.integer({ min: -20, max: 20 }), { nil: null }),
  fc.option(fc.constantFrom('', 'a', 'b'), { nil: null }),
)

const comparison = fc.oneof(
  fc
    .tuple(fc.constantFrom('=', '<', '<=', '>', '>=', '<>'), fc.integer({ min: -22, max: 22 }))
    .chain(([op, n]) =>
      fc.constantFrom(
        `n ${op} ${n}`,
        `${n} ${op} n`,
        `d ${op} ${n}`,
        `n + 1 ${op} ${n}`,
        `day ${op} date'1970-01-0${1 + (Math.abs(n) % 9)}'`,
      ),
    ),
  fc.constantFrom("t = 'a'", 'n IS NULL', 'day IS NOT NULL', 'NOT (n > 3)'),
)
const predicate = fc
  .array(comparison, { minLength: 1, maxLength: 3 })
  .chain((parts) => fc.constantFrom(parts.join(' AND '), parts.join(' OR '), `NOT (${parts.join(' AND ')})`))

describe('a scan with a filter', () => {
  test('gives every row for which it is TRUE, whatever row groups are left out', async () => {
    const engine = jsEngine()
    const groups = fc.array(fc.array(row, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(groups, predicate, async (rows, text) => {
        const store = memoryStore()
        const file = await putFile(store, rows)
        const filter = bindPredicate(text, layout.schema)
        const expected = rows.flat().filter((candidate) => evaluate(filter, candidate) === true)
        const texts = await scanTexts(engine, scanPlan({ engine, store }, layout, [file], { filter }))
        expect(texts).toEqual(expected.map((match) => rowToJson(match, layout.schema)))
      }),
      { numRuns: 300 },
    )
  })

  test('does not fetch row groups whose bounds rule it out', async () => {
    const store = memoryStore()
    const group = (from: number): Row[] =>
      Array.from({ length: 500 }, (_, i) => [BigInt(from + i), null, null, `${i}`.padEnd(200)])
    const file = await putFile(store, [group(0), group(1000), group(2000)])
    const starts: number[] = []
    const counting: ObjectStore = {
      ...store,
      getRange: (key, range) => {
        starts.push(range.start)
        return store.getRange(key, range)
      },
    }
    const engine = jsEngine()
    const filter = bindPredicate('n >= 1499 AND n < 2000', layout.schema)
    const plan = scanPlan({ engine, store: counting }, layout, [file], { filter, columns: [0] })
    expect(await scanTexts(engine, plan)).toEqual(['{"n":1499}'])
    expect(starts).toHaveLength(2)
  })
})

test('a file whose size the log has wrong is read all the same', async () => {
  const engine = jsEngine()
  const store = memoryStore()
  const file = await putFile(store, [[[1n, null, null, 'a']]])
  for (const size of [1, file.size - 10, file.size + 10]) {
    const plan = scanPlan({ engine, store }, layout, [{ ...file, size }], { columns: [0] })
    expect(await scanTexts(engine, plan)).toEqual(['{"n":1}'])
  }
})
