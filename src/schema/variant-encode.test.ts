import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal, parseJson } from '../support/index.ts'
import type { Variant } from './value.ts'
import { variantToJson } from './variant.ts'
import { variantOf } from './variant-encode.ts'

function variant(input: unknown): Variant {
  const made = variantOf(input)
  if (typeof made === 'string') throw new Error(made)
  return made
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
const bytes = (text: string) => hex(variant(parseJson(text)).value)

describe('the bytes of a value', () => {
  test.each([
    ['null', '00'],
    ['true', '04'],
    ['-1', '0c ff'],
    ['200', '10 c8 00'],
    ['70000', '14 70 11 01 00'],
    ['9007199254740993', '18 01 00 00 00 00 00 20 00'],
    ['1.50', '20 02 96 00 00 00'],
    ['-0.5', '20 01 fb ff ff ff'],
    ['1e0', '1c 00 00 00 00 00 00 f0 3f'],
    ['"ab"', '09 61 62'],
    ['[]', '03 00 00'],
    ['{}', '02 00 00'],
    ['[1,"a"]', '03 02 00 02 04 0c 01 05 61'],
    ['{"b":1,"a":2}', '02 02 01 00 00 02 04 0c 02 0c 01'],
  ])('%s', (text, expected) => expect(bytes(text)).toBe(expected))

  test('names stand once, in the order they are met', () => {
    expect(hex(variant([{ b: 1, a: 2 }, { a: 3 }]).metadata)).toBe('01 02 00 01 02 62 61')
  })

  test('whole numbers beyond int64 are decimals, beyond 38 digits doubles', () => {
    expect(variantToJson(variant(2n ** 63n))).toBe('9223372036854775808')
    expect(variantToJson(variant(10n ** 38n))).toBe('1e+38')
    expect(variantToJson(variant(parseJson('12345678901234567890.123')))).toBe('12345678901234567890.123')
  })

  test('values of programs: dates, bytes, decimals, members that are not there', () => {
    const input = { at: new Date(1), bin: Uint8Array.of(1, 2), dec: new Decimal(110n, 2), gone: undefined }
    expect(variantToJson(variant(input))).toBe('{"at":"1970-01-01 00:00:00.001+00:00","bin":"AQI=","dec":1.1}')
  })

  test('what is no variant is said in words', () => {
    expect(variantOf(() => 1)).toBe('a function has no place in a variant')
    expect(variantOf(new Map())).toBe('a Map has no place in a variant')
    expect(variantOf('x'.repeat(17_000_000))).toBe('it takes more than 16 MiB')
    let deep: unknown = 1
    for (let i = 0; i < 600; i++) deep = [deep]
    expect(variantOf(deep)).toBe('it is nested more than 500 levels deep')
  })
})

test('any JSON comes back', () => {
  const leaves = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null), fc.maxSafeInteger())
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaves,
      fc.array(tie('tree'), { maxLength: 300 }),
      fc.dictionary(fc.string(), tie('tree'), { noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(tree, (input) => {
      expect(JSON.parse(variantToJson(variant(input)))).toEqual(input)
    }),
    { numRuns: 200 },
  )
})
