import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { structType } from '../../schema/index.ts'
import { valueToCanonical } from '../canonical-form.ts'
import { bindExpression, evaluate, parseExpression } from '../index.ts'

function answer(text: string): string {
  try {
    const bound = bindExpression(parseExpression(text), structType([]))
    return valueToCanonical(evaluate(bound, []), bound.type)
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
}

describe.each<[string, readonly (readonly [string, string])[]]>([
  [
    'numbers in other bases',
    [
      ["conv('100', 2, 10)", '"4"'],
      ["conv('-10', 16, -10)", '"-16"'],
      ["conv('FFFFFFFFFFFFFFFF', 16, -10)", '"-1"'],
      ["conv('', 10, 16)", 'null'],
      ["conv(' 7 ', 10, 2)", '"111"'],
      ["conv('9', 1, 10)", 'null'],
      ["conv('9', 10, 37)", 'null'],
      ["conv('99999999999999999999', 10, 16)", 'ARITHMETIC_OVERFLOW'],
      ["conv('z', 10, 16)", '"0"'],
    ],
  ],
  [
    'grouped digits',
    [
      ['format_number(2.5D, 0)', '"2"'],
      ['format_number(3.5D, 0)', '"4"'],
      ['format_number(0.125D, 2)', '"0.12"'],
      ['format_number(1.005D, 2)', '"1.00"'],
      ['format_number(-1234567.891BD, 1)', '"-1,234,567.9"'],
      ['format_number(1e20D, 0)', '"100,000,000,000,000,000,000"'],
      ['format_number(5, -1)', 'null'],
      ['format_number(123, 3)', '"123.000"'],
    ],
  ],
  [
    'sounds and check digits',
    [
      ["soundex('Ashcraft')", '"A261"'],
      ["soundex('Tymczak')", '"T522"'],
      ["soundex('Honeyman')", '"H555"'],
      ["soundex('a')", '"A000"'],
      ["soundex('')", '""'],
      ["luhn_check('8112189876')", 'true'],
      ["luhn_check('8112189875')", 'false'],
      ["luhn_check('')", 'false'],
      ["luhn_check('1a')", 'false'],
    ],
  ],
  [
    'addresses',
    [
      ["url_encode('a b&c/é~*')", '"a+b%26c%2F%C3%A9%7E*"'],
      ["url_decode('%C3%A9+%2B')", '"é +"'],
      ["try_url_decode('%')", 'null'],
      ["url_decode('a%4')", 'CANNOT_DECODE_URL'],
      ["url_decode('%FF')", 'LAKE_EXPRESSION_UNSUPPORTED'],
    ],
  ],
  [
    'bytes',
    [
      ["to_binary('abc')", '"Crw="'],
      ["to_binary('xyz', 'hex')", 'CONVERSION_INVALID_INPUT'],
      ["to_binary('é', 'UTF8')", '"w6k="'],
      ["try_to_binary('!', 'hex')", 'null'],
      ["to_binary('a', 'base64')", 'LAKE_EXPRESSION_UNSUPPORTED'],
      ["bitmap_count(X'0103')", '"3"'],
    ],
  ],
  [
    'arrays and maps side by side',
    [
      ['arrays_zip(array(1), array())', '[{"0":1,"1":null}]'],
      ['arrays_zip(array(1), CAST(NULL AS ARRAY<INT>))', 'null'],
      [
        "map_zip_with(map('a', 1), map('b', 2), (k, x, y) -> coalesce(x, 0) - coalesce(y, 0))",
        '[{"key":"a","value":1},{"key":"b","value":-2}]',
      ],
    ],
  ],
])('%s', (_, cases) => {
  test.each(cases)('%s is %s', (text, expected) => expect(answer(text)).toBe(expected))
})
