import { describe, expect, test } from 'vitest'
import {
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
} from '../../schema/index.ts'
import { Decimal } from '../../support/index.ts'
import { parseStats } from './parse-stats.ts'

const bound = (json: string, type: DataType, side: 'min' | 'max' = 'min') =>
  parseStats(`{"${side}Values":{"c":${json}}}`).bound(side, ['c'], type)

describe('bounds', () => {
  const ms = BigInt(Date.UTC(2024, 0, 1)) * 1000n
  test.each<[string, DataType, Value | undefined]>([
    ['9007199254740993', longType, 9007199254740993n],
    ['-9223372036854775808', longType, -9223372036854775808n],
    ['7', integerType, 7],
    ['1.5', integerType, undefined],
    ['"7"', integerType, undefined],
    ['"NaN"', doubleType, Number.NaN],
    ['NaN', doubleType, Number.NaN],
    ['"-Infinity"', doubleType, Number.NEGATIVE_INFINITY],
    ['-Infinity', doubleType, Number.NEGATIVE_INFINITY],
    ['1', doubleType, 1],
    ['0.1', floatType, Math.fround(0.1)],
    ['"x"', doubleType, undefined],
    ['1.0', decimalType(1, 0), new Decimal(10n, 1)],
    ['1E-9', decimalType(18, 9), new Decimal(1n, 9)],
    ['-1E-10', decimalType(20, 10), new Decimal(-1n, 10)],
    ['1', decimalType(10, 2), new Decimal(1n, 0)],
    ['12345678901234567.89', decimalType(38, 2), new Decimal(1234567890123456789n, 2)],
    ['12345678901234568.0', decimalType(38, 2), undefined],
    ['1.2345678901234568E16', decimalType(38, 2), undefined],
    ['"2024-02-29"', dateType, 19782],
    ['"2024-01-01T00:00:00.000Z"', timestampType, ms],
    ['"2024-01-01T01:00:00.000+01:00"', timestampType, ms],
    ['"2024-01-01 00:00:00"', timestampType, undefined],
    ['"2024-01-01T00:00:00.000"', timestampNtzType, ms],
    ['"a"', stringType, 'a'],
    ['null', stringType, undefined],
    ['{"x":1}', stringType, undefined],
  ])('%s as %j', (json, type, value) => {
    expect(bound(json, type)).toEqual(value)
  })

  test('UP-03: a cut maximum stands for the whole millisecond', () => {
    expect(bound('"2024-01-01T00:00:00.000Z"', timestampType, 'max')).toBe(ms + 999n)
  })

  test('are found by exact path only', () => {
    const stats = parseStats('{"minValues":{"a.b":1,"a":{"B":2}},"nullCount":{"__proto__":3,"a":{"B":0}}}')
    expect(stats.bound('min', ['a', 'b'], longType)).toBeUndefined()
    expect(stats.bound('min', ['a', 'B'], longType)).toBe(2n)
    expect(stats.bound('min', ['a.b'], longType)).toBe(1n)
    expect(stats.nullCount(['__proto__'])).toBe(3n)
    expect(stats.nullCount(['constructor'])).toBeUndefined()
  })
})

test('counts and tightness', () => {
  expect(parseStats('{"numRecords":12345678901234567890}').numRecords).toBe(12345678901234567890n)
  expect(parseStats('{"numRecords":-1}').numRecords).toBeUndefined()
  expect(parseStats('{}').tightBounds).toBe(true)
  expect(parseStats('{"tightBounds":false}').tightBounds).toBe(false)
  expect(parseStats('not json').numRecords).toBeUndefined()
})
