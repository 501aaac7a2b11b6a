import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { encodePath } from '../../../kernel/index.ts'
import {
  arrayType,
  binaryType,
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  longType,
  mapType,
  type Row,
  rowToJson,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
  voidType,
} from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { Decimal } from '../../../support/index.ts'
import type { RowTextFormat, ScanPlan } from '../../index.ts'
import { duckdbEngine } from '../engine.ts'

const engine = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
const root = mkdtempSync(join(tmpdir(), 'export-'))
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true })
})

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 6 })
/** Exponents where the notations of DuckDB and ECMAScript part, and everything else. */
const doubles = fc.oneof(
  fc.double(),
  fc.tuple(fc.double({ min: -10, max: 10 }), fc.integer({ min: -12, max: 25 })).map(([m, e]) => m * 10 ** e),
  fc.constantFrom(
    0,
    -0,
    1e21,
    1e20,
    123456789012345680000,
    1e16,
    9007199254740992,
    1e-6,
    1e-7,
    5e-324,
    0.1,
    1e-5,
    -1e-5,
  ),
)
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'a\u0001\u001f\\u001F"\\', '\u0000', '\u2028/', 'a,b', '"', '\n'),
)
const micros = fc.oneof(
  fc.bigInt({ min: -62135596800000000n, max: 253402300799999999n }),
  fc.bigInt({ min: -70000000000000000n, max: 300000000000000000n }),
)

const columns: [string, DataType, fc.Arbitrary<Value>][] = [
  ['l', longType, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  [
    'd',
    decimalType(38, 10),
    fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map((n) => new Decimal(n, 10)),
  ],
  ['e', decimalType(5, 5), fc.bigInt({ min: -99999n, max: 99999n }).map((n) => new Decimal(n, 5))],
  ['x', doubleType, doubles],
  ['f', floatType, doubles.map(Math.fround)],
  ['s', stringType, texts],
  ['b', binaryType, fc.uint8Array({ maxLength: 5 })],
  ['o', booleanType, fc.boolean()],
  ['y', dateType, fc.integer({ min: -800000, max: 4000000 })],
  ['t', timestampType, micros],
  ['n', timestampNtzType, micros],
  ['v', voidType, fc.constant(null)],
  [
    'a',
    arrayType(arrayType(doubleType)),
    fc.array(nullable(fc.array(nullable(doubles), { maxLength: 3 })), { maxLength: 3 }),
  ],
  [
    'm',
    mapType(stringType, timestampType),
    fc.uniqueArray(texts, { maxLength: 3 }).map((keys) => keys.map((key) => ({ key, value: null }))),
  ],
  [
    'st',
    structType([field('__proto__"', stringType), field('v', voidType), field('i', longType)]),
    fc.tuple(nullable(texts), fc.constant(null), fc.constant(7n)) as fc.Arbitrary<Value>,
  ],
]
const schema = structType(columns.map(([name, type]) => field(name, type)))
const rows = fc.array(fc.tuple(...columns.map(([, , values]) => nullable(values))) as fc.Arbitrary<Row>, {
  minLength: 1,
  maxLength: 30,
})

async function written(data: readonly Row[]): Promise<ScanPlan> {
  const store = localStore(root)
  const layout = { schema, partitionColumns: [], columnMapping: 'none' } as const
  const { files } = await engine.write(
    {
      kind: 'rows',
      schema,
      rows: (async function* () {
        yield data
      })(),
    },
    {
      store,
      layout,
      compression: 'uncompressed',
      targetFileSize: 1e8,
      statistics: { kind: 'first', limit: 0, stringPrefixLength: 32 },
    },
  )
  return {
    store,
    layout,
    files: files.map((file) => ({ ...file, path: encodePath(file.key), dataChange: true })),
    columns: columns.map((_, i) => i),
  }
}

async function exported(plan: ScanPlan, format: RowTextFormat): Promise<string> {
  let text = ''
  for await (const chunk of engine.exportRows!(plan, format)) text += chunk
  return text
}

/** DuckDB's digits of a 32-bit float are not always the fewest that give it: what counts is the float they give. */
function evenFloat(line: string): string {
  return line.replace(/"f":(-?\d[\d.e+-]*)/, (whole, digits: string) =>
    digits === '-0.0' ? whole : `"f":${Math.fround(Number(digits))}`,
  )
}

test('NDJSON made in SQL is the text of every value', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (data) => {
      const plan = await written(data)
      const lines = (await exported(plan, 'ndjson')).split('\n')
      expect(lines.pop()).toBe('')
      expect(lines.map(evenFloat)).toEqual(data.map((row) => evenFloat(rowToJson(row, schema))))
    }),
    { numRuns: 20 },
  )
})

test('CSV quotes what must be quoted, null is empty and an empty text is not', async () => {
  const row = (s: string | null): Row => columns.map(([name]) => (name === 's' ? s : null))
  const plan = await written([row(''), row(null), row('a,"b"\n'), row('x')])
  const names = columns.map(([name]) => name)
  const at = names.indexOf('s')
  expect(await exported({ ...plan, columns: [at, 0] }, 'csv')).toBe('s,l\n"",\n,\n"a,""b""\n",\nx,\n')
  expect(await exported({ ...plan, columns: [at], limit: 2 }, 'csv')).toBe('s\n""\n\n')
})
