import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { formatType } from '../../schema/index.ts'
import { parseDataType, parseExpression, parseTableSchema, printExpression } from '../index.ts'

const print = (text: string): string => printExpression(parseExpression(text))

function failure(text: string): { code: string; details: Readonly<Record<string, unknown>> } {
  try {
    parseExpression(text)
  } catch (error) {
    if (isDeltaError(error)) return { code: error.code, details: error.details }
    throw error
  }
  throw new Error(`${text} is accepted`)
}

describe('parseExpression', () => {
  test.each([
    ['a = 1 AND b <> 2 OR NOT c', '(((a = 1) AND (b != 2)) OR (NOT c))'],
    ['1 + 2 * 3 - -4', '((1 + (2 * 3)) - -4)'],
    ['~1 & 2 | 3 ^ 4', '(((~ 1) & 2) | (3 ^ 4))'],
    ['1 = 1 = 1', '((1 = 1) = 1)'],
    ['a BETWEEN 1 AND 2 AND b', '(((a >= 1) AND (a <= 2)) AND b)'],
    ['a NOT IN (1, 2)', '(NOT (a IN (1, 2)))'],
    ["s NOT LIKE 'a%'", "(NOT (s LIKE 'a%'))"],
    ["s LIKE ANY ('a', 'b')", "((s LIKE 'a') OR (s LIKE 'b'))"],
    ["s NOT LIKE ALL ('a', 'b')", "((NOT (s LIKE 'a')) AND (NOT (s LIKE 'b')))"],
    ['a IS NOT DISTINCT FROM b', '(a <=> b)'],
    ['a IS NOT TRUE', '(NOT (a <=> TRUE))'],
    ['a::int::string', 'CAST(CAST(a AS INT) AS STRING)'],
    ['m[1].x', '(m[1]).x'],
    ["trim(BOTH 'x' FROM s)", "trim('x', s)"],
    ['x >> 2 > 1', '(shiftright(x, 2) > 1)'],
    ['case = 1', '(`case` = 1)'],
    ['CASE a WHEN 1 THEN 2 END', 'CASE WHEN (a = 1) THEN 2 END'],
    ['INTERVAL 1 YEAR 2 MONTHS', "INTERVAL '1-2' YEAR TO MONTH"],
    ['filter(a, (x, i) -> x > i)', 'filter(a, (x, i) -> (x > i))'],
    ["'a' \"b\" /* c /* d */ */ 'c' -- e", "'abc'"],
    ['1_000 + 0x1F', '(`1_000` + `0x1F`)'],
    ['struct(a, b AS x, 1)', "named_struct('a', a, 'x', b, 'col3', 1)"],
    ['dateadd(DAY, 1, d)', 'timestampadd(DAY, 1, d)'],
    ['date_add(d, 1)', 'date_add(d, 1)'],
  ])('reads %s', (text, printed) => {
    expect(print(text)).toBe(printed)
    expect(print(printed)).toBe(printed)
  })

  test('names the line, the column and what was expected', () => {
    const { code, details } = failure('a = 1\n  AND (b = 2')
    expect(code).toBe('PARSE_SYNTAX_ERROR')
    expect(details).toMatchObject({ line: 2, column: 13, near: 'the end', expected: "')'", caret: '            ^' })
  })

  test.each([
    ['a =', 'PARSE_SYNTAX_ERROR'],
    ["'open", 'PARSE_SYNTAX_ERROR'],
    ['/* open', 'UNCLOSED_BRACKETED_COMMENT'],
    ['číslo', 'INVALID_IDENTIFIER'],
    ["E'x'", 'UNSUPPORTED_TYPED_LITERAL'],
    ['a IN (SELECT 1)', 'LAKE_EXPRESSION_UNSUPPORTED'],
    ['count(*)', 'LAKE_EXPRESSION_UNSUPPORTED'],
    ['true XOR false', 'PARSE_SYNTAX_ERROR'],
    [`${'('.repeat(10_000)}1`, 'FAILED_TO_PARSE_TOO_COMPLEX'],
    [`1${' + 1'.repeat(10_000)}`, 'FAILED_TO_PARSE_TOO_COMPLEX'],
    [`${'NOT '.repeat(10_000)}a`, 'FAILED_TO_PARSE_TOO_COMPLEX'],
    [`${'- '.repeat(10_000)}a`, 'FAILED_TO_PARSE_TOO_COMPLEX'],
  ])('refuses case %#', (text, code) => {
    expect(failure(text).code).toBe(code)
  })

  test('takes ten thousand conditions in a row', () => {
    const text = Array.from({ length: 10_000 }, (_, i) => `a = ${i}`).join(' OR ')
    expect(print(text)).toContain('(a = 9999)')
  })

  test('never fails but with an error of the catalogue', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'AND',
        'NOT',
        '(',
        ')',
        '[',
        ']',
        ',',
        '.',
        "'x'",
        '1',
        '1.5',
        '-',
        '<',
        '>',
        '::',
        'INT',
        'CASE',
        'WHEN',
      ],
      ...[
        'THEN',
        'END',
        'IN',
        'LIKE',
        'INTERVAL',
        'DAY',
        'DATE',
        '->',
        'x',
        '`q`',
        'IS',
        'NULL',
        'CAST(',
        'AS',
        'trim(',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          const printed = print(pieces.join(' '))
          expect(print(printed)).toBe(printed)
        } catch (error) {
          if (!isDeltaError(error)) throw error
        }
      }),
      { numRuns: 3000 },
    )
  })
})

describe('parseDataType', () => {
  test.each([
    ['array<array<map<string, decimal(10,2)>>>', 'array<array<map<string,decimal(10,2)>>>'],
    ['STRUCT<a INT, `b c`: VARCHAR(3) NOT NULL>', 'struct<a:int,b c:string>'],
    ['timestamp_ntz', 'timestamp_ntz'],
  ])('reads %s', (text, formatted) => {
    expect(formatType(parseDataType(text))).toBe(formatted)
  })

  test.each([
    ['TEXT', 'UNSUPPORTED_DATATYPE'],
    ['DECIMAL(39,2)', 'DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION'],
    ['ARRAY<>', 'PARSE_SYNTAX_ERROR'],
    ['INT x', 'PARSE_SYNTAX_ERROR'],
  ])('refuses %s', (text, code) => {
    expect(() => parseDataType(text)).toThrow(expect.objectContaining({ code }))
  })
})

test('parseTableSchema keeps comments, nullability and the length of VARCHAR', () => {
  expect(
    parseTableSchema("a INT NOT NULL, b STRUCT<x: STRING COMMENT 'in'> COMMENT 'why', c VARCHAR(3)"),
  ).toMatchObject({
    fields: [
      { name: 'a', nullable: false, metadata: {} },
      { name: 'b', type: { fields: [{ metadata: { comment: 'in' } }] }, metadata: { comment: 'why' } },
      { name: 'c', type: { kind: 'string' }, metadata: { __CHAR_VARCHAR_TYPE_STRING: 'varchar(3)' } },
    ],
  })
})
