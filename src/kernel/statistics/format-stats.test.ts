import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arrayType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
  voidType,
} from '../../schema/index.ts'
import { compareText, Decimal, isJsonObject, parseJson, parseTimestamp } from '../../support/index.ts'
import { formatBound } from './format-bound.ts'
import { formatStats } from './format-stats.ts'
import { statisticsLeaves } from './select-columns.ts'

function bounds(value: Exclude<Value, null>, type: DataType, stringPrefixLength = 32) {
  return (['min', 'max'] as const).map((side) => formatBound(value, type, { side, stringPrefixLength }))
}

describe('bounds', () => {
  const micros = BigInt(Date.UTC(2024, 0, 1)) * 1000n
  const cases: [Exclude<Value, null>, DataType, string | undefined, string | undefined][] = [
    [-5, integerType, '-5', '-5'],
    [9007199254740993n, longType, '9007199254740993', '9007199254740993'],
    [1.5, doubleType, '1.5', '1.5'],
    [2, doubleType, '2.0', '2.0'],
    [-0, doubleType, '-0.0', '0.0'],
    [0, doubleType, '-0.0', '0.0'],
    [Number.POSITIVE_INFINITY, doubleType, undefined, undefined],
    [Math.fround(0.1), floatType, '0.1', '0.1'],
    [new Decimal(5n, 0), decimalType(10, 2), '5.00', '5.00'],
    [new Decimal(1n, 9), decimalType(18, 9), '0.000000001', '0.000000001'],
    [19782, dateType, '"2024-02-29"', '"2024-02-29"'],
    [3_000_000, dateType, undefined, undefined],
    [micros + 500n, timestampType, '"2024-01-01T00:00:00.000Z"', '"2024-01-01T00:00:00.001Z"'],
    [micros, timestampType, '"2024-01-01T00:00:00.000Z"', '"2024-01-01T00:00:00.000Z"'],
    [-1n, timestampNtzType, '"1969-12-31T23:59:59.999"', '"1970-01-01T00:00:00.000"'],
    [253402300799999999n, timestampType, '"9999-12-31T23:59:59.999Z"', undefined],
    ['DE', stringType, '"DE"', '"DE"'],
    ['a'.repeat(32), stringType, `"${'a'.repeat(32)}"`, `"${'a'.repeat(32)}"`],
    ['a'.repeat(33), stringType, `"${'a'.repeat(32)}"`, `"${'a'.repeat(32)}\u007f"`],
    [`${'a'.repeat(31)}😀t`, stringType, `"${'a'.repeat(31)}"`, `"${'a'.repeat(31)}\u{10ffff}"`],
    [`${'a'.repeat(32)}é`, stringType, `"${'a'.repeat(32)}"`, `"${'a'.repeat(32)}\u{10ffff}"`],
    ['\ud83c', stringType, undefined, undefined],
  ]
  test.each(cases)('of %o as %j are %s and %s', (value, type, min, max) => {
    expect(bounds(value, type)).toEqual([min, max])
  })

  test('UP-05: string bounds enclose the text in UTF-8 order and hold no half of a pair', () => {
    const unit = fc.constantFrom('a', 'z', '\u007e', '\u007f', 'é', '\uffff', '\ufffd', '🌼', '\u{10ffff}')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.integer({ min: 0, max: 6 }), (value, limit) => {
        const [min, max] = bounds(value, stringType, limit)
        const low = JSON.parse(min!) as string
        expect(compareText(low, value)).toBeLessThanOrEqual(0)
        expect(low.length).toBeLessThanOrEqual(limit)
        if (max === undefined) return
        const high = JSON.parse(max) as string
        expect(compareText(high, value)).toBeGreaterThanOrEqual(0)
        expect(/\p{Surrogate}/u.test(low + high)).toBe(false)
        if (value.length <= limit) expect([low, high]).toEqual([value, value])
      }),
    )
  })

  test('a maximum of nothing but the last code point is given up past twice the length', () => {
    expect(bounds('\u{10ffff}'.repeat(40), stringType)[1]).toBeUndefined()
    expect(bounds('\u{10ffff}'.repeat(20), stringType)[1]).toBe(JSON.stringify('\u{10ffff}'.repeat(20)))
  })

  test('UP-03: timestamp bounds enclose the microsecond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -62135596800000000n, max: 253402300799000000n }), (value) => {
        const [min, max] = bounds(value, timestampType).map(
          (text) => parseTimestamp(JSON.parse(text!) as string)!.micros,
        )
        expect(min! <= value && value - min! < 1000n).toBe(true)
        expect(max! >= value && max! - value < 1000n).toBe(true)
      }),
    )
  })
})

describe('the text of a file', () => {
  test('mirrors the schema, structs without bounds stay', () => {
    const stats = formatStats({
      numRecords: 3,
      stringPrefixLength: 32,
      tightBounds: true,
      columns: [
        { path: ['id'], type: longType, nullCount: 0, min: 1n, max: 9007199254740993n },
        { path: ['s', 'list'], type: arrayType(longType), nullCount: 1 },
        { path: ['country'], type: stringType, nullCount: 3, min: null, max: null },
      ],
    })
    expect(stats).toBe(
      '{"numRecords":3,"minValues":{"id":1,"s":{}},"maxValues":{"id":9007199254740993,"s":{}},' +
        '"nullCount":{"id":0,"s":{"list":1},"country":3},"tightBounds":true}',
    )
  })

  test('UP-39: NaN takes both bounds away', () => {
    const column = { path: ['x'], type: doubleType, nullCount: 0, min: 1, max: Number.NaN }
    expect(formatStats({ numRecords: 2, stringPrefixLength: 32, columns: [column] })).toBe(
      '{"numRecords":2,"minValues":{},"maxValues":{},"nullCount":{"x":0}}',
    )
  })

  test('holds a column of any name', () => {
    const columns = ['__proto__', 'constructor', '1', 'a"b'].map((name) => ({
      path: [name],
      type: integerType,
      nullCount: 0,
      min: 1,
      max: 2,
    }))
    const parsed = parseJson(formatStats({ numRecords: 1, stringPrefixLength: 32, columns }))
    expect(isJsonObject(parsed) && isJsonObject(parsed.minValues) && Object.keys(parsed.minValues).sort()).toEqual([
      '1',
      '__proto__',
      'a"b',
      'constructor',
    ])
  })
})

describe('which columns', () => {
  const schema = structType([
    field('p', stringType),
    field('id', longType, true, { 'delta.columnMapping.physicalName': 'col-1' }),
    field('nothing', voidType),
    field('s', structType([field('a', integerType), field('b', arrayType(stringType))])),
    field('name', stringType),
  ])
  const layout = { schema, partitionColumns: ['p'], columnMapping: 'name' } as const
  const names = (columns: Parameters<typeof statisticsLeaves>[1]) =>
    statisticsLeaves(layout, columns).map((leaf) => leaf.path.join('.'))

  test('counts leaves, not partition columns', () => {
    const first = (limit: number) => names({ kind: 'first', limit, stringPrefixLength: 32 })
    expect(first(2)).toEqual(['col-1', 's.a'])
    expect(first(0)).toEqual([])
    expect(first(-1)).toEqual(['col-1', 's.a', 's.b', 'name'])
  })

  test('a named struct means its leaves', () => {
    expect(names({ kind: 'named', paths: [['s']], stringPrefixLength: 32 })).toEqual(['s.a', 's.b'])
  })

  test('leaves say where they stand and whether they are bounded', () => {
    const leaves = statisticsLeaves(layout, { kind: 'first', limit: 3, stringPrefixLength: 32 })
    expect(leaves.map(({ ordinals, hasBounds }) => [ordinals, hasBounds])).toEqual([
      [[1], true],
      [[3, 0], true],
      [[3, 1], false],
    ])
  })
})
