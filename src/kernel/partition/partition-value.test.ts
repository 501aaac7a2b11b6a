import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  binaryType,
  booleanType,
  byteType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  floatType,
  integerType,
  longType,
  shortType,
  stringType,
  timestampNtzType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, encodeUtf8 } from '../../support/index.ts'
import { compareValues } from './compare-values.ts'
import { formatPartitionValue, parsePartitionValue, partitionKey } from './partition-value.ts'

const instant = BigInt(Date.UTC(2024, 1, 29, 12, 0, 0)) * 1000n

describe('reading', () => {
  const cases: [string, DataType, Value][] = [
    ['', stringType, ''],
    ['', integerType, null],
    ['', timestampType, null],
    ['__HIVE_DEFAULT_PARTITION__', stringType, '__HIVE_DEFAULT_PARTITION__'],
    ['-128', byteType, -128],
    ['9007199254740993', longType, 9007199254740993n],
    ['-9223372036854775808', longType, -9223372036854775808n],
    ['3.4028235E38', floatType, Math.fround(3.4028235e38)],
    ['-1.0E-10', doubleType, -1e-10],
    ['NaN', doubleType, Number.NaN],
    ['-inf', doubleType, Number.NEGATIVE_INFINITY],
    ['-0.0', doubleType, -0],
    ['1.100', decimalType(10, 3), new Decimal(1100n, 3)],
    ['1.1', decimalType(10, 3), new Decimal(1100n, 3)],
    ['1E-9', decimalType(18, 9), new Decimal(1n, 9)],
    ['TRUE', booleanType, true],
    ['-9999-12-31', dateType, -4371223],
    ['2024-02-29', dateType, 19782],
    ['2024-02-29T12:00:00.000000Z', timestampType, instant],
    ['2024-02-29 12:00:00', timestampType, instant],
    ['2024-02-29 12:00:00.5', timestampType, instant + 500_000n],
    ['2024-02-29 13:00:00+01:00', timestampType, instant],
    ['2024-02-29 12:00:00.000001', timestampNtzType, instant + 1n],
    ['2024-02-29', timestampNtzType, BigInt(Date.UTC(2024, 1, 29)) * 1000n],
    ['é', binaryType, encodeUtf8('é')],
  ]
  test.each(cases)('%j as %j', (text, type, value) => {
    expect(parsePartitionValue(text, type)).toEqual(value)
  })

  test('a missing key is null', () => {
    expect(parsePartitionValue(undefined, stringType)).toBeNull()
    expect(parsePartitionValue(null, stringType)).toBeNull()
  })

  test('UP-09: a wall clock is taken in the zone that is set', () => {
    const losAngeles = (wall: bigint) => wall + 8n * 3_600_000_000n
    expect(parsePartitionValue('2024-02-29 04:00:00', timestampType, { toInstant: losAngeles })).toBe(instant)
    expect(parsePartitionValue('2024-02-29T12:00:00Z', timestampType, { toInstant: losAngeles })).toBe(instant)
  })

  test.each<[string, DataType]>([
    ['128', byteType],
    ['40000', shortType],
    ['9223372036854775808', longType],
    ['1.5', integerType],
    ['0x10', doubleType],
    ['1.1005', decimalType(10, 3)],
    ['123', decimalType(2, 0)],
    ['yes', booleanType],
    ['2024-02-30', dateType],
    ['now', timestampType],
  ])('%j is no %j and is refused by name', (text, type) => {
    expect(() => parsePartitionValue(text, type, { column: 'p' })).toThrow(
      expect.objectContaining({
        code: 'DELTA_INVALID_PARTITION_VALUE',
        details: expect.objectContaining({ column: 'p' }),
      }),
    )
  })
})

describe('writing', () => {
  const cases: [Value, DataType, string | null][] = [
    [null, stringType, null],
    ['', stringType, null],
    [new Uint8Array(), binaryType, null],
    [1.5, doubleType, '1.5'],
    [1, doubleType, '1.0'],
    [0, doubleType, '0.0'],
    [-0, doubleType, '-0.0'],
    [-1e-10, doubleType, '-1.0E-10'],
    [0.001, doubleType, '0.001'],
    [0.0001, doubleType, '1.0E-4'],
    [9999999, doubleType, '9999999.0'],
    [12345678.5, doubleType, '1.23456785E7'],
    [Math.fround(3.4028235e38), floatType, '3.4028235E38'],
    [Math.fround(0.1), floatType, '0.1'],
    [Number.NaN, doubleType, 'NaN'],
    [Number.NEGATIVE_INFINITY, doubleType, '-Infinity'],
    [new Decimal(11n, 1), decimalType(10, 3), '1.100'],
    [true, booleanType, 'true'],
    [-4371223, dateType, '-9999-12-31'],
    [instant, timestampType, '2024-02-29T12:00:00.000000Z'],
    [-1n, timestampType, '1969-12-31T23:59:59.999999Z'],
    [instant + 1n, timestampNtzType, '2024-02-29 12:00:00.000001'],
    [9007199254740993n, longType, '9007199254740993'],
  ]
  test.each(cases)('%o as %j is %j', (value, type, text) => {
    expect(formatPartitionValue(value, type)).toBe(text)
  })

  test('bytes and text that no partition value can hold are refused', () => {
    const code = expect.objectContaining({ code: 'DELTA_INVALID_PARTITION_VALUE' })
    expect(() => formatPartitionValue(Uint8Array.of(0xff), binaryType)).toThrow(code)
    expect(() => formatPartitionValue('\ud83c', stringType)).toThrow(code)
  })
})

const micros = fc.bigInt({ min: -62135596800000000n, max: 253402300799999999n })
const samples: [DataType, fc.Arbitrary<Value>][] = [
  [stringType, fc.string({ unit: 'grapheme', minLength: 1 })],
  [byteType, fc.integer({ min: -128, max: 127 })],
  [longType, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  [floatType, fc.float()],
  [doubleType, fc.double()],
  [decimalType(38, 10), fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map((n) => new Decimal(n, 10))],
  [booleanType, fc.boolean()],
  [dateType, fc.integer({ min: -4_000_000, max: 4_000_000 })],
  [timestampType, micros],
  [timestampNtzType, micros],
]

test.each(samples)('%j: what is written is read back as it was', (type, arbitrary) => {
  fc.assert(
    fc.property(arbitrary, (value) => {
      expect(parsePartitionValue(formatPartitionValue(value, type), type)).toEqual(value)
    }),
  )
})

test('two spellings of one instant are one partition, two zeros are two', () => {
  const key = (text: string, type: DataType) => partitionKey(new Map([['p', text]]), [{ physicalName: 'p', type }])
  expect(key('2024-02-29 12:00:00', timestampType)).toBe(key('2024-02-29T12:00:00.000000Z', timestampType))
  expect(key('0.0', doubleType)).not.toBe(key('-0.0', doubleType))
  expect(key('null', stringType)).not.toBe(partitionKey(new Map(), [{ physicalName: 'p', type: stringType }]))
})

test('values compare as statistics need it', () => {
  expect(compareValues('\ufffd', '\u{1f33c}', stringType)).toBeLessThan(0)
  expect(compareValues(Number.NaN, Number.POSITIVE_INFINITY, doubleType)).toBe(1)
  expect(compareValues(-0, 0, doubleType)).toBe(0)
  expect(compareValues(2n ** 53n + 1n, 2n ** 53n, longType)).toBe(1)
  expect(compareValues(new Decimal(10n, 1), new Decimal(1n, 0), decimalType(3, 1))).toBe(0)
})
