/**
 * Skipping by functions of columns: predicates as text, rows with extremes, the evaluator that filters rows as judge.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bindExpression, bindPredicate, evaluate, parseExpression } from '../../expressions/index.ts'
import {
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  type Row,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, MICROS_PER_DAY } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { compareValues } from '../partition/compare-values.ts'
import { formatPartitionValue } from '../partition/partition-value.ts'
import { formatStats } from '../statistics/format-stats.ts'
import { statisticsLeaves } from '../statistics/select-columns.ts'
import { explainFile } from './explain-file.ts'
import { fileMayMatch } from './file-may-match.ts'
import { monotone } from './monotone.ts'
import { skippingRule } from './rule-of-predicate.ts'

const schema = structType([
  field('p', dateType),
  field('d', dateType),
  field('t', timestampType),
  field('n', timestampNtzType),
  field('i', integerType),
  field('h', shortType),
  field('l', longType),
  field('x', doubleType),
  field('r', floatType),
  field('m', decimalType(10, 2)),
  field('w', decimalType(38, 10)),
  field('s', stringType),
  field('c', stringType, true, { __CHAR_VARCHAR_TYPE_STRING: 'char(4)' }),
  field('f', doubleType, true, { 'delta.typeChanges': [{ fromType: 'float', toType: 'double' }] }),
  field('o', structType([field('t', timestampType), field('i', integerType)])),
])
const layout = { schema, partitionColumns: ['p'], columnMapping: 'none' } as const
const CHAR_AT = 12

const days = [0, 1, -1, 19722, 19723, 19782, 19783, 20088, -719162, -719163, 2932896, 2932897, 2147483647, -2147483648]
const micros = days.flatMap((day) => [BigInt(day) * MICROS_PER_DAY, BigInt(day) * MICROS_PER_DAY + 86_399_999_999n])
const doubles = [
  0,
  -0,
  0.1,
  0.5,
  1.5,
  2.5,
  -2.5,
  1e10,
  2 ** 53,
  -(2 ** 63),
  1e300,
  5e-324,
  Number.NaN,
  Infinity,
  -Infinity,
]
const values: Readonly<Record<string, readonly Exclude<Value, null>[]>> = {
  date: days,
  timestamp: [
    ...micros.filter((value) => BigInt.asIntN(64, value) === value),
    1709251199999999n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ],
  timestamp_ntz: micros.filter((value) => BigInt.asIntN(64, value) === value),
  integer: [0, 1, -1, 2, 3, 5, 7, 100, 2024, 2147483647, -2147483648],
  short: [0, 1, -1, 7, 32767, -32768],
  long: [0n, 1n, -1n, 5n, 2147483648n, 9007199254740993n, 1709251199999n, 2n ** 63n - 1n, -(2n ** 63n)],
  double: doubles,
  float: doubles.map(Math.fround),
  decimal: ['0', '0.5', '1.5', '-1.5', '2.49', '100', '-99999999.99', '99999999.99'].map(
    (text) => new Decimal(BigInt(text.includes('.') ? Math.round(Number(text) * 100) : Number(text) * 100), 2),
  ),
  string: [
    '',
    'a',
    'ab',
    'ab\t',
    'abc',
    'abcd',
    'ab ',
    'b',
    'a\u{1f33c}b',
    `${'a'.repeat(40)}`,
    `${'a'.repeat(33)}z`,
    '\u{1f33c}',
  ],
}

function valueIn(type: DataType): fc.Arbitrary<Value> {
  if (type.kind === 'struct') return fc.option(fc.tuple(...type.fields.map((f) => valueIn(f.type))), { freq: 4 })
  const own = fc.constantFrom(...values[type.kind]!)
  if (type.kind !== 'decimal') return fc.option(own, { freq: 5 })
  const scaled = (value: Value) => new Decimal((value as Decimal).unscaled * 10n ** BigInt(type.scale - 2), type.scale)
  return fc.option(own.map(scaled), { freq: 5 })
}

/** Expressions by the kind of literal they are compared with. */
const expressions: Readonly<Record<string, readonly string[]>> = {
  number: [
    ...['year(d)', 'year(t)', 'year(n)', 'year(p)', 'extract(YEAROFWEEK FROM d)', 'unix_date(d)', 'year(o.t)'],
    ...[
      'i + 5',
      '5 - i',
      'i * -3',
      '-l',
      '-h',
      'i div 2',
      'l div -7',
      'i / 4',
      'x / 2',
      'x * -1.5D',
      '3D - x',
      'r + 1F',
    ],
    ...['cast(x AS INT)', 'cast(m AS INT)', 'cast(l AS INT)', 'try_cast(l AS INT)', 'cast(w AS DOUBLE)', 'o.i + 1'],
    ...[
      'cast(l AS DOUBLE)',
      'cast(l AS FLOAT)',
      'cast(x AS FLOAT)',
      'cast(x AS DECIMAL(10,1))',
      'try_cast(x AS BIGINT)',
    ],
    ...[
      'round(m, 0)',
      'round(x, 1)',
      'bround(w, 0)',
      'floor(x)',
      'ceil(m)',
      'floor(w)',
      'ceil(x)',
      'floor(f)',
      'm * -2',
    ],
    ...["datediff(d, DATE'2024-01-01')", "datediff(DATE'2024-02-29', t)", 'unix_seconds(t)', 'unix_millis(t)'],
    ...['cast(t AS BIGINT)', 'cast(t AS DOUBLE)', 'cast(t AS INT)', 'unix_timestamp(t)', 'f', 'x', 'r', 'm', 'l', 'i'],
    ...[
      'month(d)',
      'hour(t)',
      'day(n)',
      'dayofyear(d)',
      'quarter(t)',
      'minute(t)',
      'weekofyear(d)',
      'dayofweek(d)',
      'month(p)',
    ],
  ],
  date: [
    ...['d', 'p', 'cast(t AS DATE)', 'to_date(n)', 'date_add(d, 7)', 'd - 3', "trunc(t, 'MONTH')", 'last_day(d)'],
    ...['add_months(d, 1)', "next_day(d, 'MON')", 'date_from_unix_date(i)', "d + INTERVAL '1' MONTH", 'date_sub(p, 1)'],
  ],
  timestamp: [
    ...['t', "date_trunc('HOUR', t)", "date_trunc('YEAR', t)", "date_trunc('WEEK', d)", "t + INTERVAL '1' DAY", 'o.t'],
    ...["t + INTERVAL '1' MONTH", 'cast(d AS TIMESTAMP)', 'timestampadd(DAY, 3, t)', 'timestampadd(MONTH, 1, t)'],
    ...[
      'timestamp_millis(l)',
      'timestamp_seconds(i)',
      'cast(i AS TIMESTAMP)',
      'cast(n AS TIMESTAMP)',
      'cast(x AS TIMESTAMP)',
    ],
  ],
  text: [
    ...[
      "date_format(t, 'yyyy-MM')",
      "date_format(d, 'yyyyMMdd')",
      'date_format(n, "yyyy-MM-dd\'T\'HH")',
      "date_format(t, 'y')",
    ],
    ...['left(s, 2)', 'substring(s, 1, 3)', 'substring(s, 2, 3)', 'substring(c, 1, 2)', 'left(c, 6)', 'c', 's'],
  ],
}

const literals: Readonly<Record<string, readonly string[]>> = {
  number: [
    '0',
    '1',
    '-1',
    '2',
    '3',
    '2024',
    '2.5',
    '-7',
    '1e3',
    '1D',
    '100',
    '19723',
    '1709251199',
    '2147483647',
    '-0.5',
    '10000',
  ],
  date: [
    "DATE'2024-01-01'",
    "DATE'2023-12-31'",
    "DATE'2024-02-29'",
    "DATE'1970-01-01'",
    "DATE'0001-01-01'",
    "DATE'9999-12-31'",
  ],
  timestamp: [
    ...["TIMESTAMP'2024-01-01 00:00:00'", "TIMESTAMP'2024-02-29 23:59:59.999999'", "TIMESTAMP'1970-01-01 00:00:00'"],
    ...["TIMESTAMP'0001-01-01 00:00:00'", "TIMESTAMP'9999-12-31 23:59:59'"],
  ],
  text: [
    "'2024-01'",
    "'20240229'",
    "'0001-01'",
    "'9999-12-31T23'",
    "'ab'",
    "'a'",
    "'ab  '",
    "'abc'",
    "'ab\\t'",
    "''",
    "'z'",
    "'2023'",
  ],
}

const comparison: fc.Arbitrary<string> = fc.constantFrom(...Object.keys(expressions)).chain((kind) => {
  const expression = fc.constantFrom(...expressions[kind]!)
  const literal = fc.constantFrom(...literals[kind]!)
  const op = fc.constantFrom('=', '!=', '<', '<=', '>', '>=', '<=>')
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(expression, op, literal).map(([e, o, l]) => `${e} ${o} ${l}`) },
    fc.tuple(literal, op, expression).map(([l, o, e]) => `${l} ${o} ${e}`),
    fc.tuple(expression, literal, literal).map(([e, a, b]) => `${e} BETWEEN ${a} AND ${b}`),
    fc.tuple(expression, literal, literal).map(([e, a, b]) => `${e} IN (${a}, ${b})`),
    fc.tuple(expression, fc.constantFrom('', 'NOT ')).map(([e, not]) => `${e} IS ${not}NULL`),
    fc.constantFrom("s LIKE 'ab%'", "c LIKE 'ab %'", "c LIKE 'ab_%'", "s NOT LIKE 'a%'", "startswith(c, 'a ')"),
  )
})

const predicate = fc.oneof(
  { weight: 3, arbitrary: comparison },
  fc.tuple(comparison, fc.constantFrom('AND', 'OR'), comparison).map(([a, word, b]) => `(${a}) ${word} (${b})`),
  comparison.map((inner) => `NOT (${inner})`),
)

const sample = fc.record({
  p: valueIn(dateType),
  rows: fc.array(fc.tuple(...schema.fields.slice(1).map((f) => valueIn(f.type))), { maxLength: 3 }),
  hasStats: fc.boolean(),
})

/** What is stored is what the rows hold; only char(n) is filled up when it is read. */
function fileOf(rows: readonly Row[], p: Value, hasStats: boolean): AddFile {
  const stats = hasStats ? { stats: statsOf(rows) } : {}
  const partitionValues = new Map([['p', formatPartitionValue(p, dateType)]])
  return { path: 'f', size: 1, modificationTime: 0, dataChange: true, partitionValues, ...stats }
}

function statsOf(rows: readonly Row[]): string {
  const leaves = statisticsLeaves(layout, { kind: 'first', limit: -1, stringPrefixLength: 32 })
  const columns = leaves.map(({ path, ordinals, type }) => {
    const found = rows.map((row) =>
      ordinals.reduce<Value>((at, i) => (at === null ? null : ((at as Row)[i] ?? null)), row),
    )
    const sorted = found.filter((value) => value !== null).sort((a, b) => compareValues(a, b, type) ?? 0)
    // some writers leave NaN out of the bounds
    const bounded = sorted.filter((value) => !Number.isNaN(value))
    const [min = null, max = null] = [bounded[0], bounded.at(-1)]
    return { path, type, nullCount: rows.length - sorted.length, ...boundsOf(path, min, max) }
  })
  return formatStats({ numRecords: rows.length, columns, stringPrefixLength: 32 })
}

/** A column that was a float has the bounds of a float, which here are those of the float its values are near. */
function boundsOf(path: readonly string[], min: Value, max: Value): { min: Value; max: Value } {
  if (path[0] !== 'f') return { min, max }
  const asText = (value: Value) => (typeof value === 'number' ? shortestFloat(value) : value)
  return { min: asText(min), max: asText(max) }
}

function shortestFloat(value: number): number {
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

function asRead(row: Row): Row {
  return row.map((value, i) => {
    if (i === CHAR_AT && typeof value === 'string') return value + ' '.repeat(Math.max(0, 4 - [...value].length))
    return value
  })
}

function isMatch(bound: ReturnType<typeof bindPredicate>, row: Row): boolean {
  try {
    return evaluate(bound, row) === true
  } catch {
    return false
  }
}

test.each([undefined, 'America/Havana'])('no file with a matching row is dropped in the zone %s', (timeZone) => {
  const kinds = new Set<string>()
  let dropped = 0
  fc.assert(
    fc.property(sample, predicate, ({ p, rows: rest, hasStats }, text) => {
      const bound = bindPredicate(text, schema, timeZone === undefined ? {} : { timeZone })
      const rows = rest.map((values): Row => {
        const row = [p, ...values]
        const float = row[13]
        return row.map((value, i) => (i === 13 && typeof float === 'number' ? Math.fround(float) : value))
      })
      const file = fileOf(rows, p, hasStats)
      const rule = skippingRule(bound, layout)
      kinds.add(rule.kind)
      const kept = fileMayMatch(rule, file)
      if (!kept) dropped++
      if (rows.some((row) => isMatch(bound, asRead(row)))) expect(kept).toBe(true)
      expect(explainFile(rule, file).kept).toBe(kept)
    }),
    { numRuns: 6_000 },
  )
  expect(dropped).toBeGreaterThan(500)
  expect([...kinds]).toEqual(expect.arrayContaining(['keep', 'and', 'or', 'compare', 'implied']))
})

/** Values near each other, within the years that functions of the calendar are trusted for, or anywhere. */
function pairOf(type: DataType, isEverywhere: boolean): fc.Arbitrary<readonly [Value, Value]> {
  const isNumber = (value: Value) => typeof value === 'number' && type.kind !== 'date'
  const step = fc.constantFrom(1n, 2n, 1000n, 3_600_000_000n, 86_400_000_000n, 28n * 86_400_000_000n)
  const near = fc.constantFrom(...values[type.kind]!).chain((value) => {
    if (typeof value === 'bigint') return step.map((n): [Value, Value] => [value, BigInt.asIntN(64, value + n)])
    if (isNumber(value)) return fc.constantFrom(...values[type.kind]!).map((other): [Value, Value] => [value, other])
    if (typeof value === 'number') return fc.integer({ min: 1, max: 40 }).map((n): [Value, Value] => [value, value + n])
    return fc.constantFrom(...values[type.kind]!).map((other): [Value, Value] => [value, other])
  })
  const [from, to] = [-719162n, 2932896n]
  const isTrusted = (value: Value): boolean => {
    if (isEverywhere) return true
    if (type.kind === 'date') return BigInt(value as number) >= from && BigInt(value as number) <= to
    if (!type.kind.startsWith('timestamp')) return true
    return (value as bigint) >= from * MICROS_PER_DAY && (value as bigint) < (to + 1n) * MICROS_PER_DAY
  }
  return near.filter((pair) => pair.every(isTrusted) && pair.every((value) => !Number.isNaN(value)))
}

const ordered = Object.values(expressions)
  .flat()
  .flatMap((text) => {
    const bound = bindExpression(parseExpression(text), schema)
    const source = monotone(bound)
    return source === undefined || source.column.ordinals.length > 1 ? [] : [{ text, bound, ...source }]
  })

test('most expressions tried keep the order of a column', () => expect(ordered.length).toBeGreaterThan(60))

test.each(ordered)('$text keeps the order of its column', ({ bound, column, direction, isEverywhere }) => {
  const at = column.ordinals[0]!
  const of = (value: Value): Value => {
    const row: Value[] = []
    row[at] = value
    try {
      return evaluate(bound, row)
    } catch {
      return null
    }
  }
  fc.assert(
    fc.property(pairOf(column.type as DataType, isEverywhere), ([a, b]) => {
      const order = compareValues(a as never, b as never, column.type as DataType)!
      const [low, high] = order <= 0 ? [of(a), of(b)] : [of(b), of(a)]
      if (low === null || high === null) return
      expect(compareValues(low, high, bound.type as DataType)! * direction).toBeLessThanOrEqual(0)
    }),
    { numRuns: 300 },
  )
})
