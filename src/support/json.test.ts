import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../errors/index.ts'
import {
  JsonNumber,
  type JsonValue,
  parseJson,
  parseMarkedJson,
  parseStrictJson,
  printJson,
  unmarked,
} from './index.ts'

describe('parseJson', () => {
  test.each([
    '9007199254740993',
    '-9223372036854775808',
    '1.0',
    '1e400',
    '-0',
    '[9007199254740993,1.50]',
    '{"a":{"b":[1.10,-0,12345678901234567890]}}',
  ])('keeps every digit of %s', (text) => {
    expect(printJson(parseJson(text))).toBe(text)
  })

  test.each([
    '{"a\\\\":1.50}',
    '{"a\\"":1.50}',
    '{"a" : 1.50,"b":-0}',
    '{"a":"2026-01-01T00:00:00.50Z","b":"\\":1.50","c":1.50}',
    '["b",1.50]',
  ])('sees a number at risk behind %s', (text) => {
    expect(printJson(parseJson(text))).toBe(text.replace(' : ', ':'))
  })

  test('gives plain numbers for safe integers', () => {
    expect(parseJson(' {"a": 12, "b": -3}')).toEqual({ a: 12, b: -3 })
  })

  test('counts no brackets in strings', () => {
    const text = JSON.stringify({ a: '["{'.repeat(1000), b: '\\' })
    expect(printJson(parseJson(text))).toBe(text)
  })

  test('takes a byte order mark and bare NaN', () => {
    expect(parseJson('\ufeff{"x":NaN}')).toEqual({ x: new JsonNumber('NaN') })
  })

  test('keeps a key named __proto__ as a key', () => {
    expect(Object.keys(parseJson('{"__proto__":1.5}') as object)).toEqual(['__proto__'])
  })

  test.each(['', '{', '[1,]', '{"a" 1}', 'nul', '"a', '01', '1.', '{"a":1}x', '"\u0001"', '[NaNN]'])(
    'refuses %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'LAKE_JSON_MALFORMED' }))
    },
  )

  test.each([
    ['with a number at risk', `${'['.repeat(100_000)}1.5${']'.repeat(100_000)}`],
    ['with nothing at risk', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('refuses nesting that would exhaust the stack: %s', (_, deep) => {
    const error = (() => {
      try {
        return parseJson(deep)
      } catch (caught) {
        return caught
      }
    })()
    expect(isDeltaError(error, 'LAKE_JSON_MALFORMED')).toBe(true)
  })

  test('agrees with JSON.parse on whatever JSON.stringify prints', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.parse(printJson(parseJson(text) as JsonValue))).toEqual(JSON.parse(text))
      }),
    )
  })
})

describe('parseStrictJson', () => {
  test.each(['{"a":1}', '{"a":":x","b":"\\":","c\\\\":{"a":[{"a":1.5}]}}', '\ufeff[9007199254740993]'])(
    'reads %s',
    (text) => {
      expect(printJson(parseStrictJson(text))).toBe(printJson(parseJson(text)))
    },
  )

  test.each([
    ['{"a":1,"a":2}', 7, 'the key a is there twice'],
    ['{"o":[{"\\u0061":1, "a" :2}]}', 19, 'the key a is there twice'],
    ['{"__proto__":1,"__proto__":1}', 15, 'the key __proto__ is there twice'],
    ['{"a":NaN}', 5, 'NaN is not a value'],
    ['[-Infinity]', 1, '-Infinity is not a value'],
  ])('refuses %s', (text, position, reason) => {
    expect(() => parseStrictJson(text)).toThrow(
      expect.objectContaining({ code: 'LAKE_JSON_MALFORMED', details: { position, reason } }),
    )
  })

  test('takes whatever JSON.stringify prints', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(parseStrictJson(text)).toEqual(parseJson(text))
      }),
    )
  })
})

describe('parseMarkedJson', () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    ':',
    ',',
    '[',
    '{',
    '1.50',
    '-0',
    '9007199254740993',
    '\ue000',
    ' ',
    'a',
    '\n',
  )
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  const number = fc.constantFrom('1.50', '-0', '-0.0', '9007199254740993', '1e400', '7', '-12', 'null', 'true')
  const value = fc.oneof(
    number,
    text.map((t) => JSON.stringify(t)),
  )
  const object = (member: fc.Arbitrary<string>) =>
    fc
      .array(fc.tuple(text, member), { maxLength: 6 })
      .map((members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}: ${v}`)}}`)

  test('gives what parseJson gives, of objects at any depth', () => {
    fc.assert(
      fc.property(object(fc.oneof(value, object(value))), (json) => {
        const unmark = (v: JsonValue | undefined): unknown =>
          typeof v === 'object' && v !== null && !(v instanceof JsonNumber)
            ? Object.fromEntries(Object.entries(v).map(([k, member]) => [k, unmark(member)]))
            : unmarked(v)
        expect(unmark(parseMarkedJson(json))).toEqual(unmark(parseJson(json)))
      }),
      { numRuns: 500 },
    )
  })
})
