import { describe, expect, test } from 'vitest'
import { type BoundExpression, bindPredicate } from '../../expressions/index.ts'
import {
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  longType,
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { explainFile } from './explain-file.ts'
import { partitionRule } from './file-may-match.ts'
import { skippingRule } from './rule-of-predicate.ts'

const schema = structType([
  field('country', stringType),
  field('order_id', longType),
  field('month', dateType),
  field('price', doubleType),
  field('code', stringType, true, { __CHAR_VARCHAR_TYPE_STRING: 'char(5)' }),
  field('was_float', doubleType, true, { 'delta.typeChanges': [{ fromType: 'float', toType: 'double' }] }),
  field('address', structType([field('street', stringType)])),
])
const layout = { schema, partitionColumns: ['country'], columnMapping: 'none' } as const

const file: AddFile = {
  path: 'country=FR/part-0001.parquet',
  partitionValues: new Map([['country', 'FR']]),
  size: 100,
  modificationTime: 0,
  dataChange: true,
  stats:
    '{"numRecords":4,"minValues":{"order_id":1000,"price":1.5,"code":"ab","address":{"street":"' +
    `${'a'.repeat(32)}"}},"maxValues":{"order_id":1020,"price":9.5,"code":"ab","address":{"street":"${'a'.repeat(32)}\u007f"}},` +
    '"nullCount":{"order_id":0,"price":0,"code":4,"address":{"street":0}}}',
}

function column(...path: string[]): BoundExpression {
  const ordinals: number[] = []
  let type: DataType = schema
  for (const name of path) {
    if (type.kind !== 'struct') break
    const at = type.fields.findIndex((f) => f.name === name)
    ordinals.push(at)
    type = type.fields[at]!.type
  }
  return { kind: 'column', ordinals, path, type }
}
const call = (name: string, ...args: BoundExpression[]): BoundExpression => ({
  kind: 'call',
  name,
  args,
  type: booleanType,
})
const literal = (value: Value, type: DataType): BoundExpression => ({ kind: 'literal', value, type })
const text = (value: string) => literal(value, stringType)
const long = (value: bigint) => literal(value, longType)
const explain = (predicate: BoundExpression, of = file) => explainFile(skippingRule(predicate, layout), of)

describe('why a file is dropped', () => {
  test.each<[BoundExpression, string]>([
    [call('=', column('country'), text('DE')), 'partition country is FR, not DE'],
    [call('!=', column('country'), text('FR')), 'partition country is FR'],
    [call('in', column('country'), text('DE'), text('NL')), 'partition country is FR, not DE or NL'],
    [call('isnull', column('country')), 'partition country is FR, not null'],
    [call('like', column('country'), text('D%')), 'partition country is FR, and does not begin with D'],
    [call('=', column('order_id'), long(1043n)), 'order_id 1000–1020 cannot be 1043'],
    [call('<', long(1043n), column('order_id')), 'order_id 1000–1020 cannot be > 1043'],
    [call('isnull', column('order_id')), 'order_id is never null here'],
    [call('isnotnull', column('code')), 'code is always null here'],
    [call('=', column('order_id'), literal(null, longType)), 'the predicate is true for no row'],
    [
      call('or', call('=', column('order_id'), long(1n)), call('=', column('country'), text('DE'))),
      'order_id 1000–1020 cannot be 1; partition country is FR, not DE',
    ],
  ])('%#: %2$s', (predicate, reason) => {
    expect(explain(predicate)).toEqual({ kept: false, reason })
  })
})

describe('why a file is kept', () => {
  test.each<[BoundExpression, string]>([
    [call('=', column('order_id'), long(1001n)), 'kept: may hold a match'],
    [call('=', column('month'), literal(19000, dateType)), 'kept: no statistics for month'],
    [call('=', column('address', 'street'), text(`${'a'.repeat(32)}b`)), 'kept: bounds were cut'],
    [call('=', call('upper', column('address', 'street')), text('DE')), 'kept: upper hides the column'],
    [call('rlike', column('address', 'street'), text('D')), 'kept: statistics say nothing about rlike'],
    [call('=', column('was_float'), literal(0.1, doubleType)), 'kept: no statistics for was_float'],
  ])('%#', (predicate, reason) => {
    expect(explain(predicate)).toEqual({ kept: true, reason })
  })

  test('a maximum of doubles may leave NaN out, so nothing above it is ruled out', () => {
    expect(explain(call('>', column('price'), literal(100, doubleType))).kept).toBe(true)
    expect(explain(call('=', column('price'), literal(100, doubleType))).kept).toBe(false)
    expect(explain(call('<', column('price'), literal(1, doubleType))).kept).toBe(false)
  })

  test('UP-11: without statistics, or with damaged ones, every file is kept', () => {
    const { stats: _, ...bare } = file
    for (const stats of [
      '',
      '{',
      '[]',
      'null',
      '{"numRecords":4}',
      '{"numRecords":4,"minValues":null,"maxValues":7}',
    ]) {
      for (const name of ['=', '>=', '!=', '<']) {
        expect(explain(call(name, column('order_id'), long(1n)), { ...bare, stats }).kept).toBe(true)
      }
    }
    expect(explain(call('isnull', column('order_id')), bare).kept).toBe(true)
    expect(explain(call('not', call('isnull', column('order_id'))), bare).kept).toBe(true)
  })

  test('a partition value that cannot be read keeps its file', () => {
    const n = { path: ['n'], name: ['n'], type: longType, partition: true }
    const odd = { ...file, partitionValues: new Map([['n', 'one']]) }
    expect(explainFile({ kind: 'compare', column: n, op: '=', value: 1n }, odd).kept).toBe(true)
  })
})

describe('a predicate over partition columns alone', () => {
  const of = (predicate: string, country: string | null) => {
    const at = { ...file, partitionValues: new Map([['country', country]]) }
    return explainFile(skippingRule(bindPredicate(predicate, schema), layout), at)
  }

  test('is evaluated for the values of the file', () => {
    expect(of("lower(country) = 'de'", 'DE').kept).toBe(true)
    expect(of("lower(country) = 'de'", 'FR')).toEqual({
      kept: false,
      reason: 'partition country is FR, for which the predicate is not true',
    })
    expect(of("lower(country) = 'de'", null).kept).toBe(false)
    expect(of("NOT lower(country) = 'de'", null).kept).toBe(false)
    expect(of("country NOT LIKE 'D%'", 'DE').kept).toBe(false)
    expect(of("country NOT LIKE 'D%'", 'FR').kept).toBe(true)
    expect(of("lower(country) = 'de' AND order_id > 2000", 'DE').reason).toBe('order_id 1000–1020 cannot be > 2000')
    expect(of("lower(country) = 'de' OR order_id = 1001", 'FR').kept).toBe(true)
  })

  test('keeps the file where it fails', () => {
    expect(of('cast(country AS INT) = 5', 'FR').kept).toBe(true)
  })
})

test('a cast that loses values says where the column lies', () => {
  const cast: BoundExpression = { kind: 'cast', child: column('price'), type: longType, safe: false }
  expect(explain(call('=', cast, long(100n))).reason).toBe('price 1.5–9.5 cannot give CAST(price AS bigint) = 100')
  expect(explain(call('=', cast, long(9n))).kept).toBe(true)
  const wide: BoundExpression = { kind: 'cast', child: column('order_id'), type: decimalType(20, 0), safe: false }
  expect(explain(call('=', wide, literal(null, decimalType(20, 0)))).kept).toBe(false)
})

describe('a column under a function', () => {
  const table = structType([
    field('at', timestampType),
    field('day', dateType),
    field('code', stringType, true, { __CHAR_VARCHAR_TYPE_STRING: 'char(5)' }),
    field('was_float', doubleType, true, { 'delta.typeChanges': [{ fromType: 'float', toType: 'double' }] }),
    field('p', dateType),
  ])
  const stats = {
    numRecords: 4,
    minValues: { at: '2023-03-01T00:00:00.000Z', day: '2023-03-01', code: 'ab', was_float: 0.1 },
    maxValues: { at: '2023-04-30T10:00:00.000Z', day: '2023-04-30', code: 'cd', was_float: 0.7 },
    nullCount: { at: 0, day: 0, code: 0, was_float: 0 },
  }
  const of = (predicate: string) => {
    const at = { ...file, partitionValues: new Map([['p', '2023-03-01']]), stats: JSON.stringify(stats) }
    const plan = { schema: table, partitionColumns: ['p'], columnMapping: 'none' } as const
    return explainFile(skippingRule(bindPredicate(predicate, table), plan), at)
  }

  test.each([
    [
      'year(at) = 2024',
      'at 2023-03-01T00:00:00Z–2023-04-30T10:00:00.000999Z cannot give year(CAST(at AS date)) = 2024',
    ],
    ["CAST(at AS DATE) > DATE'2023-04-30'", 'cannot give CAST(at AS date) > 2023-04-30'],
    ["date_format(at, 'yyyy-MM') < '2023-03'", "cannot give date_format(at, 'yyyy-MM') < '2023-03'"],
    ["date_trunc('MONTH', at) >= TIMESTAMP'2023-05-01'", 'cannot give date_trunc('],
    ["day + 7 <= DATE'2023-03-07'", 'day 2023-03-01–2023-04-30 cannot give date_add(day, 7) <= 2023-03-07'],
    ["datediff(DATE'2023-01-01', day) > -59", 'cannot give datediff(2023-01-01, day) > -59'],
    ["left(code, 1) = 'e'", "code ab–cd cannot give substring(code, 1, 1) = 'e'"],
    ["code = 'aa'", 'code ab–cd cannot be <= aa'],
    ["code LIKE 'e%'", 'code ab–cd cannot begin with e'],
    ['was_float > 0.75 AND was_float < 9', 'was_float 0.1–0.7 cannot be >= 0.7499999105930328'],
    ['year(p) = 2024', 'partition p is 2023-03-01, which does not give year(p) = 2024'],
  ])('%s drops the file', (predicate, reason) => {
    expect(of(predicate)).toEqual({ kept: false, reason: expect.stringContaining(reason) })
  })

  test.each([
    ...['year(at) = 2023', "CAST(at AS DATE) = DATE'2023-04-30'", "code = 'ab   '", "code >= 'cd   '"],
    ...['was_float > 0.75', 'CAST(0.7F AS DOUBLE) = was_float', 'year(p) = 2023', "code = 'cd'"],
    // the end of a month is cut, so a later instant may come out earlier
    "timestampadd(MONTH, 1, at) > TIMESTAMP'2024-01-01'",
  ])('%s keeps it', (predicate) => {
    expect(of(predicate).kept).toBe(true)
  })
})

test('a list of many values is looked through by halving', () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => BigInt((i * 7919) % 100_000)).filter(
    (id) => id < 1000n || id > 1020n,
  )
  const lookup = (...ids: bigint[]) => explain(call('in', column('order_id'), ...ids.map(long))).kept
  expect(lookup(...ids)).toBe(false)
  expect(lookup(...ids, 1000n)).toBe(true)
  expect(lookup(1020n, ...ids)).toBe(true)
})

test('the partition part of a rule keeps what only statistics could rule out', () => {
  const both = call('and', call('=', column('order_id'), long(1n)), call('=', column('country'), text('FR')))
  expect(explainFile(skippingRule(both, layout), file).kept).toBe(false)
  expect(explainFile(partitionRule(skippingRule(both, layout)), file).kept).toBe(true)
})
