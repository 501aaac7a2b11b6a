import { describe, expect, test } from 'vitest'
import { field, formatType, longType, stringType, structType } from '../../schema/index.ts'
import { parseJson, parseStrictJson } from '../../support/index.ts'
import { CellGuess } from './cell-types.ts'
import { SchemaGuess } from './infer.ts'

const typesOf = (records: readonly object[], known = structType([])) => {
  const guess = new SchemaGuess(known)
  for (const record of records) guess.add(record as Record<string, unknown>)
  return formatType(guess.schema())
}

describe('types from values', () => {
  test.each(['{"a":9223372036854775808}', '{"a":-9223372036854775809}', '{"a":1.23456789012345678901}'])(
    '%s is refused by its column: neither long nor double holds it',
    (text) => {
      expect(() => typesOf([parseJson(text) as object])).toThrow(
        /^(?=.*\ba\b).*(too large for a bigint|the 17 digits a double keeps)/,
      )
    },
  )

  test('zeros at the ends of a number are no digits it loses', () => {
    expect(
      typesOf([
        parseJson('{"a":-9223372036854775808,"b":0.000000000000000000015,"c":1.50000000000000000000}') as object,
      ]),
    ).toBe('struct<a:bigint,b:double,c:double>')
  })

  test('whole numbers are long, others double, the two together double', () => {
    expect(typesOf([{ a: 1, b: 1.5, c: 1, d: 2n }, { c: 0.5 }])).toBe('struct<a:bigint,b:double,c:double,d:bigint>')
    expect(typesOf([parseJson('{"a":9007199254740993,"b":1e3}') as object])).toBe('struct<a:bigint,b:double>')
  })

  test('dates, bytes, maps, arrays and objects have their types; texts stay text', () => {
    const record = { t: new Date(0), b: new Uint8Array(), m: new Map([['k', 1]]), l: [null, 'x'], s: '2024-01-01' }
    expect(typesOf([record])).toBe('struct<t:timestamp,b:binary,m:map<string,bigint>,l:array<string>,s:string>')
  })

  test('a column of nothing but null, also below, is left out', () => {
    expect(typesOf([{ a: null, b: { c: undefined, d: [] }, e: 1 }])).toBe('struct<e:bigint>')
  })

  test('a field that comes later is found in the struct it belongs to', () => {
    expect(typesOf([{ s: null }, { s: { a: 1 } }, { s: { b: ['x'] } }])).toBe(
      'struct<s:struct<a:bigint,b:array<string>>>',
    )
  })

  test('known columns keep type and spelling; what they lack is added at its depth', () => {
    const known = structType([field('ID', longType), field('s', structType([field('a', stringType)]))])
    expect(typesOf([{ id: 'anything', S: { A: 'x', b: 1 }, new: true }], known)).toBe(
      'struct<ID:bigint,s:struct<a:string,b:bigint>,new:boolean>',
    )
  })

  test('two kinds of value in one column are refused by path', () => {
    expect(() => typesOf([{ a: { b: 1 } }, { a: { b: 'x' } }])).toThrow(
      'the column a.b is bigint, and the data holds string',
    )
    expect(() => typesOf([{ a: [1] }, { a: {} }])).toThrow('the column a is array, and the data holds struct')
  })

  test('columns stand in the order they were written in, those called as whole numbers too', () => {
    const texts = ['{"b":1,"10":{"y":1,"\\u0031":2},"2":3}', '{"b":1,"2":3,"1":4,"10":null}']
    expect(typesOf(texts.map((text) => parseStrictJson(text) as object))).toBe(
      'struct<b:bigint,10:struct<y:bigint,1:bigint>,2:bigint,1:bigint>',
    )
  })

  test('names that mean something to JavaScript are names like others', () => {
    const record = JSON.parse('{"__proto__":1,"constructor":"x"}') as object
    expect(typesOf([record])).toBe('struct<__proto__:bigint,constructor:string>')
  })
})

describe('types from cells', () => {
  const cells = (...values: (string | null)[]) => {
    const guess = new CellGuess()
    for (const c of values) guess.add({ c })
    return formatType(guess.schema())
  }

  test('are those that every cell has', () => {
    expect(cells('1', '-2', null)).toBe('struct<c:bigint>')
    expect(cells('1', '2.5')).toBe('struct<c:double>')
    expect(cells('true', 'FALSE')).toBe('struct<c:boolean>')
    expect(cells('2024-01-01', '2024-01-01T10:00:00Z')).toBe('struct<c:timestamp>')
    expect(cells('1', 'x')).toBe('struct<c:string>')
  })

  test('codes with leading zeros and numbers beyond long stay text', () => {
    expect(cells('007')).toBe('struct<c:string>')
    expect(cells('9223372036854775808')).toBe('struct<c:string>')
  })

  test('a column without a cell is left out', () => {
    expect(cells(null, null)).toBe('struct<>')
  })
})
