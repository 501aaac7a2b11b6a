import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import {
  arrayType,
  type DataType,
  decimalType,
  field,
  longType,
  mapType,
  stringType,
  structType,
  type Variant,
  variantToJson,
  variantType,
} from '../../schema/index.ts'
import { Decimal, JsonNumber, parseJson } from '../../support/index.ts'
import { rowEncoder } from './encode.ts'
import type { Form } from './place.ts'

const type = (kind: string) => ({ kind }) as DataType

function encode(column: DataType, value: unknown, form: Form = 'js') {
  return rowEncoder(structType([field('c', column)]), { form, table: '/t' })({ c: value }, 1)[0]
}

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (isDeltaError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('values of a program', () => {
  test('whole numbers come as safe numbers or bigint, exact to the ends of their type', () => {
    expect(encode(longType, 9007199254740993n)).toBe(9007199254740993n)
    expect(encode(longType, -(2n ** 63n))).toBe(-(2n ** 63n))
    expect(encode(type('byte'), -128)).toBe(-128)
    expect(encode(type('integer'), 7n)).toBe(7)
    expect(refusal(() => encode(type('byte'), 128))).toBe(
      'CAST_OVERFLOW_IN_TABLE_INSERT: row 1: 128 is too large for the column c, which is tinyint',
    )
    expect(refusal(() => encode(longType, 2n ** 63n))).toMatch(/^CAST_OVERFLOW_IN_TABLE_INSERT/)
    expect(refusal(() => encode(longType, 2 ** 53))).toMatch(/beyond 2\^53, pass it as a bigint/)
    expect(refusal(() => encode(longType, 1.5))).toMatch(/it is no whole number/)
    expect(refusal(() => encode(longType, '1'))).toBe(
      'DELTA_FAILED_TO_MERGE_FIELDS: row 1: the column c is bigint, and the data holds the text "1" there',
    )
  })

  test('decimals come as text or bigint and are never rounded', () => {
    expect(encode(decimalType(5, 2), '1.5')).toEqual(new Decimal(150n, 2))
    expect(encode(decimalType(38, 0), 10n ** 38n - 1n)).toEqual(new Decimal(10n ** 38n - 1n, 0))
    expect(refusal(() => encode(decimalType(5, 2), '1.239'))).toMatch(/more than 2 digits behind the point/)
    expect(refusal(() => encode(decimalType(5, 2), '1000'))).toMatch(/^CAST_OVERFLOW/)
    expect(refusal(() => encode(decimalType(5, 2), 1.5))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS/)
    expect(refusal(() => encode(decimalType(5, 2), 'x'))).toMatch(/it is no decimal number/)
  })

  test('float and double come as numbers; a float is rounded to its 32 bits, not to infinity', () => {
    expect(encode(type('float'), 0.1)).toBe(Math.fround(0.1))
    expect(encode(type('double'), Number.NaN)).toBeNaN()
    expect(Object.is(encode(type('double'), -0), -0)).toBe(true)
    expect(refusal(() => encode(type('float'), 1e39))).toMatch(/^CAST_OVERFLOW/)
    expect(refusal(() => encode(type('double'), 1n))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS/)
  })

  test('dates and times come as ISO text or Date; what would be cut is refused', () => {
    expect(encode(type('date'), '2024-02-29')).toBe(19_782)
    expect(encode(type('date'), new Date('2024-02-29'))).toBe(19_782)
    expect(encode(type('timestamp'), '1970-01-01T01:00:00.000001+01:00')).toBe(1n)
    expect(encode(type('timestamp'), '1970-01-01 00:00:00')).toBe(0n)
    expect(encode(type('timestamp_ntz'), '9999-12-31T23:59:59.999999')).toBe(253402300799999999n)
    expect(refusal(() => encode(type('date'), '2024-02-30'))).toMatch(/it is not a date/)
    expect(refusal(() => encode(type('date'), new Date(1)))).toMatch(/it has a time of day/)
    expect(refusal(() => encode(type('timestamp'), '2024-01-01T00:00:00.0000001'))).toMatch(/finer than microseconds/)
    expect(refusal(() => encode(type('timestamp_ntz'), '2024-01-01T00:00:00Z'))).toMatch(/names a zone/)
    expect(refusal(() => encode(type('timestamp'), new Date(Number.NaN)))).toMatch(/it is no time/)
    expect(refusal(() => encode(type('timestamp'), 0))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS/)
  })

  test('a text that UTF-8 cannot write is refused', () => {
    expect(encode(stringType, '😀')).toBe('😀')
    expect(refusal(() => encode(stringType, '\ud83d'))).toMatch(/half of a surrogate pair/)
  })

  test('maps come as Map or as key-value objects, and a key stands once', () => {
    const map = mapType(stringType, longType)
    expect(encode(map, new Map([['a', 1]]))).toEqual([{ key: 'a', value: 1n }])
    expect(encode(map, [{ key: 'a', value: null }])).toEqual([{ key: 'a', value: null }])
    expect(refusal(() => encode(map, { a: 1 }))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS.*an object/)
    const twice = [
      { key: 'a', value: 1 },
      { key: 'a', value: 2 },
    ]
    expect(refusal(() => encode(map, twice))).toMatch(/it holds one key twice/)
  })

  test('a variant takes whatever JSON can be, and JSON text in a cell', () => {
    const json = (value: unknown) => variantToJson(value as Variant)
    expect(json(encode(type('variant'), { a: [1, 'x', null, 2.5] }))).toBe('{"a":[1,"x",null,2.5]}')
    expect(json(encode(type('variant'), 'text'))).toBe('"text"')
    const cell = rowEncoder(structType([field('v', variantType)]), { form: 'text', table: '/t' })
    expect(json(cell({ v: '{"a":1.50}' }, 1)[0])).toBe('{"a":1.5}')
    expect(refusal(() => cell({ v: '{' }, 1))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS/)
    expect(refusal(() => encode(type('variant'), { f: () => 1 }))).toMatch(
      /^LAKE_INVALID_VALUE.*a function has no place/,
    )
  })
})

describe('names', () => {
  const schema = structType([
    field('UserCode', longType),
    field('a.b', stringType),
    field('__proto__', stringType),
    field('10', stringType),
    field('items', arrayType(structType([field('Qty', longType, false)]))),
  ])
  const row = rowEncoder(schema, { form: 'js', table: '/t' })

  test('are found regardless of case, and keep no special meaning', () => {
    const record = JSON.parse('{"10":"ten","usercode":1,"a.b":"dot","__proto__":"p"}') as object
    expect(row(record, 1)).toEqual([1n, 'dot', 'p', 'ten', null])
  })

  test('that are no column are refused with the path, at any depth', () => {
    expect(refusal(() => row({ items: [{ qty: 1 }, { qty: 2, price: 3 }] }, 7))).toBe(
      'DELTA_METADATA_MISMATCH: row 7 has the column items.element.price, which /t does not have',
    )
    expect(refusal(() => row({ 'x y': 1 }, 1))).toMatch(/the column `x y`/)
  })

  test('that mean one column twice are refused', () => {
    expect(refusal(() => row({ UserCode: 1, usercode: 2 }, 1))).toMatch(/^DELTA_DUPLICATE_COLUMNS_FOUND/)
  })

  test('that are missing, or undefined, are null; NOT NULL refuses that by path', () => {
    expect(row({ 'a.b': undefined }, 1)).toEqual([null, null, null, null, null])
    expect(refusal(() => row({ items: [{}] }, 1))).toBe(
      'DELTA_NOT_NULL_CONSTRAINT_VIOLATED: the column items.element.Qty is NOT NULL, and a row holds null there',
    )
  })

  test('a row that is no object is refused by its number', () => {
    expect(refusal(() => row([1], 3))).toBe(
      'LAKE_ROW_NOT_AN_OBJECT: row 3 is an array, and a row is an object of columns',
    )
  })
})

describe('JSON and CSV', () => {
  test('JSON numbers keep their digits', () => {
    expect(encode(longType, parseJson('9007199254740993'), 'json')).toBe(9007199254740993n)
    expect(encode(longType, new JsonNumber('1e3'), 'json')).toBe(1000n)
    expect(encode(decimalType(38, 10), parseJson('1234567890123456789012345678.0123456789'), 'json')).toEqual(
      new Decimal(12345678901234567890123456780123456789n, 10),
    )
    expect(refusal(() => encode(longType, new JsonNumber('1.5'), 'json'))).toMatch(/no whole number/)
  })

  test('JSON spells infinities and NaN as texts, binary as base64, maps as objects or pairs', () => {
    expect(encode(type('double'), '-Infinity', 'json')).toBe(Number.NEGATIVE_INFINITY)
    expect(encode(type('binary'), 'AQI=', 'json')).toEqual(new Uint8Array([1, 2]))
    expect(encode(mapType(stringType, longType), { a: 1 }, 'json')).toEqual([{ key: 'a', value: 1n }])
    expect(refusal(() => encode(type('double'), 'x', 'json'))).toMatch(/^DELTA_FAILED_TO_MERGE_FIELDS/)
  })

  test('cells of CSV are read by the type of their column', () => {
    expect(encode(longType, ' 12 ', 'text')).toBe(12n)
    expect(encode(type('boolean'), 'TRUE', 'text')).toBe(true)
    expect(encode(stringType, '', 'text')).toBe('')
    expect(encode(arrayType(longType), '[1,2]', 'text')).toEqual([1n, 2n])
    expect(refusal(() => encode(longType, '', 'text'))).toMatch(/it is no number/)
  })
})
