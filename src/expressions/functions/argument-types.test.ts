/** What functions take as it is, what they cast, and what they refuse: each as Spark answered it. */
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { structType } from '../../schema/index.ts'
import { valueToCanonical } from '../canonical-form.ts'
import { bindExpression, compileEvaluator, parseExpression } from '../index.ts'

function answer(text: string): string {
  try {
    const bound = bindExpression(parseExpression(text), structType([]))
    return valueToCanonical(compileEvaluator(bound)([]), bound.type)
  } catch (error) {
    if (!isDeltaError(error)) throw error
    return error.code
  }
}

describe('a number of digits', () => {
  test.each([
    ['round(1.2345, 2L)', '"1.23"'],
    ["round(1.2345, '2')", '"1.23"'],
    ['round(1.2345D, 2Y)', '1.23'],
    ['bround(2.5, 0L)', '"2"'],
    ['round(1.5, -99999999999)', 'CAST_OVERFLOW'],
    ['ceil(2F, 1)', '"2.0"'],
    ['ceil(-1, 1)', '"-1"'],
    ['floor(1.5D, 1)', '"1.5"'],
    ["ceil(1.25, '1')", 'NON_FOLDABLE_ARGUMENT'],
    ['format_number(12332.5, 1.5D)', 'DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE'],
  ])('%s is %s', (text, expected) => expect(answer(text)).toBe(expected))
})

describe('arguments that nothing is cast to', () => {
  test.each([
    "get_json_object('{}', 1)",
    'timestamp_millis(1.5D)',
    "unix_micros('10')",
    "element_at(array(1, 2), '1')",
    'element_at(array(1, 2), 1.5D)',
    "array_insert(array(1, 2), '1', 9)",
    "array_repeat('x', 1.5D)",
    "array_join(array('a'), -1)",
    'str_to_map(5L)',
    "str_to_map('a=1;b', ';', true)",
    'soundex(1)',
    'mask(0)',
    "mask('AbC', 'x', X'31')",
    "unix_timestamp('2020-01-02', 0)",
  ])('%s', (text) => expect(answer(text)).toBe('DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE'))
})

test.each([
  ["element_at(map('a', 1), 1)", 'DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES'],
  ["map_contains_key(map('a', 1), DATE '2020-01-02')", 'DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES'],
  ["map_contains_key(1, 'a')", 'DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES'],
  ["map_concat(map('a', 1), 1)", 'DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES'],
  ['array_intersect(1, array(2))', 'DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES'],
  ['array_insert(5L, 5, 9)', 'DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES'],
  ["mask('AbC-123', 'x', 'y', 'abc', 'o')", 'DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE'],
  ["like('a', 'a', 'ab')", 'INVALID_ESCAPE_CHAR'],
  [
    "timestampdiff(DATE '2020-01-02', TIMESTAMP '2020-01-31 00:00:00', TIMESTAMP '2020-02-29 00:00:00')",
    'UNRESOLVED_ROUTINE',
  ],
  ["timestampadd(-1, 1, TIMESTAMP '2020-02-29 10:00:00')", 'UNRESOLVED_ROUTINE'],
  ["INTERVAL 'a' DAY", '_LEGACY_ERROR_TEMP_0026'],
  ["INTERVAL '2020-13-01'", 'INVALID_TYPED_LITERAL'],
  ["INTERVAL '1' YEAR TO MONTH", 'INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING'],
  ["INTERVAL 'b' DAY TO SECOND", 'INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE'],
])('%s is %s', (text, code) => expect(answer(text)).toBe(code))
