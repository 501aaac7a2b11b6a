import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BoundExpression } from '../../expressions/index.ts'
import {
  booleanType,
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
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { Decimal } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { compareValues } from '../partition/compare-values.ts'
import { formatPartitionValue } from '../partition/partition-value.ts'
import { formatStats } from '../statistics/format-stats.ts'
import { statisticsLeaves } from '../statistics/select-columns.ts'
import { explainFile } from './explain-file.ts'
import { fileMayMatch } from './file-may-match.ts'
import { skippingRule } from './rule-of-predicate.ts'

/** A small table with every type that is ordered, a struct, and two partition columns. */
const schema = structType([
  field('country', stringType),
  field('year', shortType),
  field('id', longType),
  field('n', integerType),
  field('amount', decimalType(10, 2)),
  field('x', doubleType),
  field('r', floatType),
  field('day', dateType),
  field('at', timestampType),
  field('name', stringType),
  field('flag', booleanType),
  field('s', structType([field('a', integerType)])),
])
const layout = { schema, partitionColumns: ['country', 'year'], columnMapping: 'none' } as const

const valueArbitrary: Record<string, fc.Arbitrary<Value>> = {
  string: fc.constantFrom(
    '',
    'DE',
    'FR',
    'a',
    'ab',
    'ab\u{1f33c}',
    `${'a'.repeat(40)}x`,
    'a'.repeat(40),
    '\ufffd',
    '\u{1f33c}',
  ),
  short: fc.integer({ min: 2020, max: 2023 }),
  long: fc.constantFrom(-1n, 0n, 1n, 9007199254740992n, 9007199254740993n, 9223372036854775807n),
  integer: fc.integer({ min: -3, max: 3 }),
  decimal: fc.integer({ min: -300, max: 300 }).map((n) => new Decimal(BigInt(n), 2)),
  double: fc.constantFrom(Number.NaN, -0, 0, 0.1, 1.5, -2.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  float: fc.constantFrom(Number.NaN, -0, 0, Math.fround(0.1), 1.5),
  date: fc.integer({ min: -2, max: 2 }),
  timestamp: fc.constantFrom(-1500n, -1n, 0n, 500n, 999n, 1000n, 1001n, 86_400_000_000n),
  boolean: fc.boolean(),
}

function valueOfType(type: DataType): fc.Arbitrary<Value> {
  return type.kind === 'struct'
    ? fc.option(fc.tuple(...type.fields.map((f) => valueOfType(f.type))), { freq: 4 })
    : fc.option(valueArbitrary[type.kind]!, { freq: 4 })
}

interface Sample {
  readonly file: AddFile
  readonly rows: readonly Row[]
}

const sample: fc.Arbitrary<Sample> = fc
  .record({
    partition: fc.tuple(valueOfType(stringType), valueOfType(shortType)),
    rest: fc.array(fc.tuple(...schema.fields.slice(2).map((f) => valueOfType(f.type))), { maxLength: 4 }),
    indexed: fc.integer({ min: -1, max: 6 }),
    hasStats: fc.boolean(),
  })
  .map(({ partition, rest, indexed, hasStats }) => {
    const [country, year] = partition
    const rows = rest.map((values): Row => [country === '' ? null : country, year, ...values])
    return { rows, file: fileOf(rows, [country, year], hasStats ? indexed : undefined) }
  })

function fileOf(rows: readonly Row[], partition: readonly Value[], indexed: number | undefined): AddFile {
  const stats = indexed === undefined ? {} : { stats: statsOfRows(rows, indexed) }
  return {
    path: 'f',
    size: 1,
    modificationTime: 0,
    dataChange: true,
    partitionValues: new Map([
      ['country', formatPartitionValue(partition[0]!, stringType)],
      ['year', formatPartitionValue(partition[1]!, shortType)],
    ]),
    ...stats,
  }
}

function statsOfRows(rows: readonly Row[], limit: number): string {
  const leaves = statisticsLeaves(layout, { kind: 'first', limit, stringPrefixLength: 32 })
  const columns = leaves.map(({ path, ordinals, type }) => {
    const values = rows.map((row) => valueAt(row, ordinals)).filter((value) => value !== null)
    const sorted = [...values].sort((a, b) => compareValues(a, b, type) ?? 0)
    return { path, type, nullCount: rows.length - values.length, min: sorted[0] ?? null, max: sorted.at(-1) ?? null }
  })
  return formatStats({ numRecords: rows.length, columns, stringPrefixLength: 32 })
}

function valueAt(row: Row, ordinals: readonly number[]): Value {
  let at: Value = row
  for (const ordinal of ordinals) at = at === null ? null : ((at as Row)[ordinal] ?? null)
  return at
}

function columnOf(ordinals: readonly number[]): Extract<BoundExpression, { kind: 'column' }> {
  const path: string[] = []
  let type: DataType = schema
  for (const ordinal of ordinals) {
    if (type.kind !== 'struct') break
    path.push(type.fields[ordinal]!.name)
    type = type.fields[ordinal]!.type
  }
  return { kind: 'column', ordinals, path, type }
}

const columns = [...schema.fields.map((_, i) => [i]).slice(0, -1), [11, 0]].map(columnOf)
const call = (name: string, args: readonly BoundExpression[]): BoundExpression => ({
  kind: 'call',
  name,
  args,
  type: booleanType,
})
const literal = (value: Value, type: BoundExpression['type']): BoundExpression => ({ kind: 'literal', value, type })

const leaf: fc.Arbitrary<BoundExpression> = fc.constantFrom(...columns).chain((column) => {
  const type = column.type as DataType
  const value = valueOfType(type).map((v) => literal(v, type))
  const op = fc.constantFrom('=', '!=', '<', '<=', '>', '>=', '<=>')
  const comparisons = [
    fc.tuple(op, value, fc.boolean()).map(([name, v, flip]) => call(name, flip ? [v, column] : [column, v])),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((items) => call('in', [column, ...items])),
    fc.constantFrom('isnull', 'isnotnull').map((name) => call(name, [column])),
  ]
  const wide = fc.constantFrom(
    new Decimal(15n, 1),
    new Decimal(-25n, 1),
    new Decimal(10n, 1),
    new Decimal(10n ** 21n, 1),
  )
  if (type.kind === 'integer' || type.kind === 'long') {
    const cast: BoundExpression = { kind: 'cast', child: column, type: decimalType(38, 1), safe: false }
    comparisons.push(fc.tuple(op, wide).map(([name, v]) => call(name, [cast, literal(v, decimalType(38, 1))])))
  }
  if (type.kind === 'string') {
    const patterns = fc.constantFrom('a%', 'ab', '%', 'a_%', `${'a'.repeat(35)}%`, 'a\\%%', '\u{1f33c}%')
    comparisons.push(patterns.map((pattern) => call('like', [column, literal(pattern, stringType)])))
    comparisons.push(value.map((prefix) => call('startswith', [column, prefix])))
  }
  return fc.oneof(...comparisons)
})

const { predicate } = fc.letrec<{ predicate: BoundExpression }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    fc
      .tuple(fc.constantFrom('and', 'or'), tie('predicate'), tie('predicate'))
      .map(([name, a, b]) => call(name, [a, b])),
    tie('predicate').map((inner) => call('not', [inner])),
  ),
}))

/** What SQL makes of an expression over a row: a small evaluator of its own, so that it shares nothing with the rules. */
function evaluate(expression: BoundExpression, row: Row): Value {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'column') return valueAt(row, expression.ordinals)
  if (expression.kind === 'cast') {
    const value = evaluate(expression.child, row)
    return value === null ? null : new Decimal(BigInt(value as number) * 10n, 1)
  }
  if (expression.kind !== 'call') throw new Error(expression.kind)
  const args = expression.args.map((arg) => evaluate(arg, row))
  return evaluateCall(expression.name, args, expression.args[0]!.type as DataType)
}

function evaluateCall(name: string, args: readonly Value[], type: DataType): Value {
  const [a = null, b = null] = args
  if (name === 'and') return args.includes(false) ? false : args.includes(null) ? null : true
  if (name === 'or') return args.includes(true) ? true : args.includes(null) ? null : false
  if (name === 'isnull') return a === null
  if (name === 'isnotnull') return a !== null
  if (name === '<=>') return a === null || b === null ? a === b : compareValues(a, b, type) === 0
  if (name === 'in') {
    if (a === null) return null
    const found = args.slice(1).some((item) => item !== null && compareValues(a, item, type) === 0)
    return found || !args.slice(1).includes(null) ? found : null
  }
  if (args.includes(null)) return null
  if (name === 'not') return !a
  if (name === 'like') return like(a as string, b as string)
  if (name === 'startswith') return (a as string).startsWith(b as string)
  const order = compareValues(a!, b!, type)!
  return { '=': order === 0, '!=': order !== 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[
    name
  ]!
}

function like(text: string, pattern: string): boolean {
  const source = pattern.replace(/\\?./gsu, (part) => {
    if (part === '%') return '.*'
    if (part === '_') return '.'
    return part.replace(/^\\/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${source}$`, 'su').test(text)
}

describe('skipping', () => {
  test('never drops a file with a matching row', () => {
    fc.assert(
      fc.property(sample, predicate, ({ file, rows }, expression) => {
        const rule = skippingRule(expression, layout)
        const kept = fileMayMatch(rule, file)
        if (rows.some((row) => evaluate(expression, row) === true)) expect(kept).toBe(true)
        expect(explainFile(rule, file).kept).toBe(kept)
      }),
      { numRuns: 6_000 },
    )
  })

  test('drops most files that a selective predicate does not need', () => {
    const ids = columnOf([2])
    const file = (from: bigint) =>
      fileOf(
        [
          ['DE', 2020, from, 0],
          ['DE', 2020, from + 9n, 0],
        ].map((r) => [...r, ...Array(8).fill(null)] as Row),
        ['DE', 2020],
        -1,
      )
    const files = Array.from({ length: 100 }, (_, i) => file(BigInt(i * 10)))
    const rule = skippingRule(call('=', [ids, literal(505n, longType)]), layout)
    expect(files.filter((candidate) => fileMayMatch(rule, candidate))).toHaveLength(1)
  })
})
