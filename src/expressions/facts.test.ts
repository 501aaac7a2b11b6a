import { describe, expect, test } from 'vitest'
import { valueToCanonical } from './canonical-form.ts'
import { typeText } from './cast/rules.ts'
import { bindExpression, castValue, compileEvaluator, parseExpression, parseTableSchema } from './index.ts'

const nothing = parseTableSchema('')

function answer(text: string, timeZone = 'UTC'): string {
  const bound = bindExpression(parseExpression(text), nothing, { timeZone })
  return `${typeText(bound.type)} ${valueToCanonical(compileEvaluator(bound)([]), bound.type)}`
}

describe('what surprises in ANSI mode', () => {
  test.each([
    ['7 / 2', 'double 3.5'],
    ['-7 % 3', 'int -1'],
    ['7 DIV 2', 'bigint "3"'],
    ['1 / 3.0', 'decimal(8,6) "0.333333"'],
    ['0.1F * 3', 'double 0.30000000447034836'],
    ['CAST(2.5 AS INT)', 'int 2'],
    ["CAST(' 7 ' AS INT)", 'int 7'],
    ['CAST(1e8D AS STRING)', 'string "1.0E8"'],
    ['CAST(123456789F AS STRING)', 'string "1.23456792E8"'],
    ["locate('a', 'banana', -1)", 'int 0'],
    ['if(NULL, 1, 2)', 'int 2'],
    ['to_timestamp(1.5)', 'timestamp "1970-01-01T00:00:01.500000Z"'],
    ["CAST('2020-1' AS DATE)", 'date "2020-01-01"'],
    ["isnan(CAST('NaN' AS DOUBLE)) AND CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE)", 'boolean true'],
    ["'a' < 'B'", 'boolean false'],
    ["concat('a', NULL)", 'string null'],
    ["substring('hello', 0, 2)", 'string "he"'],
    ["split('a1b22c', '[0-9]+')", 'array<string> ["a","b","c"]'],
    ["regexp_replace('2024-05', '(\\\\d+)-(\\\\d+)', '$2/$1')", 'string "05/2024"'],
    ["DATE '2024-01-31' + INTERVAL '1' MONTH", 'date "2024-02-29"'],
    ["date_trunc('WEEK', TIMESTAMP '2024-02-29 10:00:00')", 'timestamp "2024-02-26T00:00:00.000000Z"'],
    ["to_timestamp('29/02/2024 13:05', 'dd/MM/yyyy HH:mm')", 'timestamp "2024-02-29T13:05:00.000000Z"'],
    ["date_format(DATE '2024-02-29', 'EEE, d MMM yyyy')", 'string "Thu, 29 Feb 2024"'],
    ['transform(array(1, 2), (x, i) -> x * 10 + i)', 'array<int> [10,21]'],
    ['aggregate(array(1, 2, 3), 0, (sum, x) -> sum + x)', 'int 6'],
    ["map('a', 1)['b']", 'int null'],
    ["md5('abc')", 'string "900150983cd24fb0d6963f7d28e17f72"'],
    ["sha2('abc', 512)", /^string "ddaf35a193617aba.*2a9ac94fa54ca49f"$/],
    ["crc32('123456789')", 'bigint "3421780262"'],
    ["hash('abc')", 'int 1322437556'],
    [`get_json_object('{"a":{"b":[1,2.50]}}', '$.a.b[1]')`, 'string "2.5"'],
  ])('%s', (text, expected) => {
    if (typeof expected === 'string') expect(answer(text)).toBe(expected)
    else expect(answer(text)).toMatch(expected)
  })

  test.each([
    ['2147483647 + 1', 'ARITHMETIC_OVERFLOW'],
    ['1 / 0', 'DIVIDE_BY_ZERO'],
    ["CAST('1.9' AS INT)", 'CAST_INVALID_INPUT'],
    ['CAST(300 AS TINYINT)', 'CAST_OVERFLOW'],
    ["1 = '1.0'", 'CAST_INVALID_INPUT'],
    ['true = 1', 'DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES'],
    ["'1' + '2'", 'DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE'],
    ['CAST(1 AS DATE)', 'DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION'],
    ['array(1)[1]', 'INVALID_ARRAY_INDEX'],
    ["'abc' LIKE 'a#b' ESCAPE '#'", 'INVALID_FORMAT.ESC_IN_THE_MIDDLE'],
    ["'abc' RLIKE '['", 'INVALID_PARAMETER_VALUE.PATTERN'],
    ["'aa' RLIKE '(a)\\\\1'", 'LAKE_EXPRESSION_UNSUPPORTED'],
    ["date_format(DATE '2024-02-29', 'YYYY')", 'INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION'],
    ["CAST('today' AS DATE)", 'LAKE_EXPRESSION_UNSUPPORTED'],
    ["TIMESTAMP '2024-02-30 00:00:00'", 'INVALID_TYPED_LITERAL'],
  ])('%s fails with %s', (text, code) => {
    expect(() => answer(text)).toThrow(expect.objectContaining({ code }))
  })
})

describe('a session in Europe/Berlin', () => {
  test.each([
    ["TIMESTAMP '2024-07-01 12:00:00'", 'timestamp "2024-07-01T10:00:00.000000Z"'],
    ["TIMESTAMP '2024-07-01 12:00:00+05:00'", 'timestamp "2024-07-01T07:00:00.000000Z"'],
    ["CAST('2024-03-31 02:30:00' AS TIMESTAMP)", 'timestamp "2024-03-31T01:30:00.000000Z"'],
    ["CAST('2024-10-27 02:30:00' AS TIMESTAMP)", 'timestamp "2024-10-27T00:30:00.000000Z"'],
    ["hour(TIMESTAMP '2024-01-01 00:00:00Z')", 'int 1'],
    ["CAST(TIMESTAMP '2024-12-31 23:30:00Z' AS DATE)", 'date "2025-01-01"'],
    ["TIMESTAMP '2024-03-30 12:00:00' + INTERVAL '1' DAY", 'timestamp "2024-03-31T10:00:00.000000Z"'],
    ["CAST(TIMESTAMP '1890-01-01 00:00:00Z' AS STRING)", 'string "1890-01-01 00:53:28"'],
  ])('%s', (text, expected) => {
    expect(answer(text, 'Europe/Berlin')).toBe(expected)
  })

  test('its zone stands on what hangs on it and nowhere else', () => {
    const schema = parseTableSchema('ts TIMESTAMP, n INT')
    const bound = bindExpression(parseExpression('hour(ts) > n'), schema, { timeZone: 'Europe/Berlin' })
    expect(bound).toMatchObject({ name: '>', args: [{ name: 'hour', timeZone: 'Europe/Berlin' }, { kind: 'column' }] })
    expect(bound).not.toHaveProperty('timeZone')
  })

  test('an unknown zone is refused', () => {
    expect(() => answer('1', 'Nowhere/City')).toThrow(expect.objectContaining({ code: 'INVALID_TIMEZONE' }))
  })
})

test('castValue gives NULL instead of an error where it is safe', () => {
  const [text, int] = [{ kind: 'string' } as const, { kind: 'integer' } as const]
  expect(castValue('12', text, int)).toBe(12)
  expect(castValue('x', text, int, { safe: true })).toBe(null)
  expect(() => castValue('x', text, int)).toThrow(expect.objectContaining({ code: 'CAST_INVALID_INPUT' }))
})

test('a float from text is rounded once', () => {
  const float = { kind: 'float' } as const
  expect(castValue('16777217.0000000001', { kind: 'string' }, float)).toBe(16777218)
  expect(castValue(2n ** 60n + 2n ** 36n + 1n, { kind: 'long' }, float)).toBe(2 ** 60 + 2 ** 37)
})
