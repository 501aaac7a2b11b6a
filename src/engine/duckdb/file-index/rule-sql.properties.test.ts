import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AddFile, fileMayMatch, type RuleColumn, type SkippingRule } from '../../../kernel/index.ts'
import {
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  floatType,
  integerType,
  longType,
  stringType,
  timestampNtzType,
  timestampType,
  type Value,
} from '../../../schema/index.ts'
import { memoryStore } from '../../../storage/memory/index.ts'
import { collect, Decimal } from '../../../support/index.ts'
import { DuckDatabase } from '../instance.ts'
import { duckdbFileIndex } from './index.ts'

let database: DuckDatabase
beforeAll(() => {
  database = new DuckDatabase({ threads: 2 })
})
afterAll(() => database.close())

interface Domain {
  readonly type: DataType
  readonly values: readonly Exclude<Value, null>[]
  /** texts a partition value may have; a JSON string or a bare token in statistics */
  readonly texts: readonly string[]
}

const domains: readonly Domain[] = [
  {
    type: stringType,
    values: ['', 'a', 'ab', 'ab ', 'a\u0001', '\ufffd', '\u{1f33c}', "it's"],
    texts: ['', 'a', 'a ', 'ab', 'abc', '\ufffd', '\u{1f33c}', "it's", '1'],
  },
  {
    type: longType,
    values: [-1n, 0n, 9007199254740992n, 9007199254740993n, 9223372036854775807n],
    texts: [
      '-1',
      '0',
      '1',
      '9007199254740993',
      '9223372036854775807',
      '99999999999999999999',
      '1.9',
      '1e3',
      'x',
      ' 1',
      '+1',
    ],
  },
  { type: integerType, values: [-3, 0, 7], texts: ['-3', '-4', '0', '7', '8', '7.5', ''] },
  {
    type: decimalType(38, 4),
    values: [new Decimal(10000n, 4), new Decimal(-5n, 4), new Decimal(1234567890123456789012345678901234n, 4)],
    texts: [
      '1',
      '1.0000',
      '1.00005',
      '-0.0005',
      '1E-4',
      '123456789012345678901234567890.1234',
      '123456789012345678901234567890.1235',
      'NaN',
    ],
  },
  {
    type: doubleType,
    values: [0, -0, 0.1, 1.5, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Math.fround(0.1)],
    texts: ['0', '-0.0', '0.1', '1.5', '1.0E10', 'NaN', 'Infinity', '-Infinity', '4.9E-324', '1.7976931348623157E308'],
  },
  {
    type: floatType,
    values: [0, Math.fround(0.1), Math.fround(1e-45), Math.fround(3.4e38), Number.NaN],
    texts: ['0.1', '0.10000000149011612', '1.4E-45', '3.4E38', 'NaN', '-0.0', '16777217'],
  },
  {
    type: dateType,
    values: [0, 1, -719162, 2932896, 2147483647, -2147483648],
    texts: [
      '1970-01-01',
      '1970-01-02',
      '0001-01-01',
      '9999-12-31',
      '-0044-03-15',
      '+12345-01-01',
      '1970-1-1',
      '1970-02-30',
    ],
  },
  {
    type: timestampType,
    values: [0n, 1n, 999n, 1000n, -1n, 86_400_000_000n, 2n ** 63n - 1n, -(2n ** 63n)],
    texts: [
      '1970-01-01T00:00:00.000Z',
      '1970-01-01 00:00:00',
      '1970-01-01T00:00:00.001Z',
      '1970-01-01T01:00:00.000+01:00',
      '1969-12-31T23:59:59.999Z',
      '1970-01-02',
      '1970-01-01T24:00:00Z',
    ],
  },
  { type: timestampNtzType, values: [0n, 1000n], texts: ['1970-01-01T00:00:00.000', '1970-01-01 00:00:00.001', 'x'] },
  { type: booleanType, values: [true, false], texts: ['true', 'false', 'TRUE', 'x'] },
]

const columns = domains.flatMap((domain, i): { domain: Domain; column: RuleColumn }[] => [
  { domain, column: { path: [`p${i}`], name: [`p${i}`], type: domain.type, partition: true } },
  { domain, column: { path: ['s/~', `c${i}`], name: ['s', `c${i}`], type: domain.type, partition: false } },
])

const leaf: fc.Arbitrary<SkippingRule> = fc.constantFrom(...columns).chain(({ domain, column }) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('compare' as const),
        column: fc.constant(column),
        op: fc.constantFrom('=' as const, '<' as const, '<=' as const, '>' as const, '>=' as const, '!=' as const),
        value: fc.constantFrom(...domain.values),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('in' as const),
        column: fc.constant(column),
        values: fc.oneof(
          fc.array(fc.constantFrom(...domain.values), { maxLength: 3 }),
          fc.array(fc.constantFrom(...domain.values.slice(0, 2)), { minLength: 65, maxLength: 70 }),
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('isNull' as const, 'isNotNull' as const),
        column: fc.constant(column),
      }),
    },
    ...(domain.type.kind === 'string'
      ? [
          {
            weight: 1,
            arbitrary: fc.record({
              kind: fc.constant('startsWith' as const),
              column: fc.constant(column),
              prefix: fc.constantFrom('a', 'ab', '\u{1f33c}'),
            }),
          },
        ]
      : []),
  ),
)
const rules: fc.Arbitrary<SkippingRule> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      rules: fc.array(leaf, { maxLength: 3 }),
    }),
  },
)

/** Members of an object of statistics, as JSON text: some quoted, some bare, some missing. */
function bounds(): fc.Arbitrary<string> {
  const members = domains.map((domain, i) =>
    fc.option(fc.tuple(fc.constantFrom(...domain.texts), fc.boolean()), { freq: 4 }).map((drawn) => {
      if (drawn === null) return undefined
      const [text, bare] = drawn
      const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE]-?\d+)?$|^NaN$|^-?Infinity$/.test(text)
      const quoted = ['string', 'date', 'timestamp', 'timestamp_ntz'].includes(domain.type.kind)
      return `"c${i}":${bare && isNumber && !quoted ? text : JSON.stringify(text)}`
    }),
  )
  return fc.tuple(...members).map((drawn) => `{"s/~":{${drawn.filter((one) => one !== undefined).join(',')}}}`)
}
const nullCounts = fc
  .tuple(
    ...domains.map((_, i) =>
      fc.option(fc.constantFrom(0, 3, 10), { freq: 3 }).map((n) => (n === null ? undefined : `"c${i}":${n}`)),
    ),
  )
  .map((drawn) => `{"s/~":{${drawn.filter((one) => one !== undefined).join(',')}}}`)
const stats = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(0, 10, 10, 10), bounds(), bounds(), nullCounts)
      .map(([n, min, max, nulls]) => `{"numRecords":${n},"minValues":${min},"maxValues":${max},"nullCount":${nulls}}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', 'null', '[]', '{"numRecords":10}', '{"minValues":null,"maxValues":5}'),
  },
)
const files = fc.array(
  fc.tuple(
    fc.option(stats, { nil: undefined, freq: 8 }),
    fc.tuple(...domains.map((domain) => fc.option(fc.constantFrom(...domain.texts), { freq: 4 }))),
  ),
  { minLength: 10, maxLength: 40 },
)

test('SQL drops no file that the kernel keeps', { timeout: 120_000 }, async () => {
  let dropped = 0
  await fc.assert(
    fc.asyncProperty(files, fc.array(rules, { minLength: 8, maxLength: 8 }), async (drawn, asked) => {
      const adds = drawn.map(
        ([text, values], i): AddFile => ({
          path: `f${i}`,
          partitionValues: new Map(values.map((value, column) => [`p${column}`, value])),
          size: 1,
          modificationTime: 0,
          dataChange: true,
          ...(text === undefined ? {} : { stats: text }),
        }),
      )
      async function* commits() {
        yield { version: 0, adds, removes: [] }
      }
      const index = await duckdbFileIndex(database, {
        store: memoryStore(),
        version: 0,
        checkpoint: [],
        commits: commits(),
        partitionColumns: [],
      })
      for (const rule of asked) {
        const kept = new Set((await collect(index.select(rule))).flat().map((file) => file.path))
        const lost = adds.filter((file) => !kept.has(file.path) && fileMayMatch(rule, file))
        expect(
          lost,
          JSON.stringify(rule, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
        ).toEqual([])
        dropped += adds.length - kept.size
      }
      await index.close()
    }),
    { numRuns: 60, endOnFailure: true },
  )
  // a condition that keeps everything would be right and of no use
  expect(dropped).toBeGreaterThan(1000)
})
