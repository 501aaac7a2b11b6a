import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bindExpression,
  bindPredicate,
  columnsOf,
  compileEvaluator,
  evaluate,
  parseExpression,
  parseTableSchema,
  printExpression,
} from './index.ts'

const schema = parseTableSchema('a INT, b INT, s STRING, p BOOLEAN, q BOOLEAN, st STRUCT<x: INT, y: STRUCT<z: STRING>>')
const int = fc.option(fc.integer({ min: -5, max: 5 }), { nil: null })
const flag = fc.option(fc.boolean(), { nil: null })
const text = fc.option(fc.constantFrom('', 'a', 'ab', 'b', 'é', '😀'), { nil: null })
const row = fc.tuple(int, int, text, flag, flag, fc.option(fc.tuple(int, fc.constant(null)), { nil: null }))

/** Conditions that never fail, over the columns above. */
const condition: fc.Arbitrary<string> = fc.letrec<{ condition: string; atom: string }>((tie) => ({
  atom: fc.constantFrom(
    ...[
      'p',
      'q',
      'CAST(NULL AS BOOLEAN)',
      'true',
      'false',
      'a = b',
      'a < 3',
      'a <=> b',
      'a IN (1, 2, NULL)',
      "s LIKE 'a%'",
      's IS NULL',
    ],
    ...[
      'a BETWEEN -1 AND 2',
      'st.x > 0',
      "s != 'a'",
      'a NOT IN (1, 2, 3, 4, 5, 6)',
      'p IS TRUE',
      'a >= CAST(1.5 AS INT)',
    ],
  ),
  condition: fc.oneof(
    { depthSize: 'small' },
    tie('atom'),
    fc.tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition')).map(([x, op, y]) => `(${x} ${op} ${y})`),
    tie('condition').map((x) => `NOT (${x})`),
    fc.tuple(tie('condition'), tie('condition')).map(([x, y]) => `CASE WHEN ${x} THEN ${y} END`),
  ),
})).condition

const value = (predicate: string, of: readonly unknown[]): unknown =>
  evaluate(bindPredicate(predicate, schema), of as never)

describe('three-valued logic', () => {
  const holds = (law: (x: string, y: string) => readonly [string, string]): void => {
    fc.assert(
      fc.property(condition, condition, row, (x, y, of) => {
        const [left, right] = law(x, y)
        expect(value(left, of)).toBe(value(right, of))
      }),
      { numRuns: 400 },
    )
  }

  test('De Morgan', () => holds((x, y) => [`NOT (${x} AND ${y})`, `(NOT (${x})) OR (NOT (${y}))`]))
  test('AND commutes', () => holds((x, y) => [`${x} AND ${y}`, `${y} AND ${x}`]))
  test('double negation', () => holds((x) => [`NOT (NOT (${x}))`, x]))
  test('OR of a condition with itself', () => holds((x) => [`${x} OR ${x}`, x]))
  test('true, false or unknown, never two of them', () =>
    holds((x) => [`((${x}) IS TRUE) OR ((${x}) IS FALSE) OR ((${x}) IS UNKNOWN)`, 'true']))
})

describe('printing', () => {
  test('a printed condition reads as the same tree and means the same', () => {
    fc.assert(
      fc.property(condition, row, (text, of) => {
        const printed = printExpression(parseExpression(text))
        expect(printExpression(parseExpression(printed))).toBe(printed)
        expect(value(printed, of)).toBe(value(text, of))
      }),
      { numRuns: 400 },
    )
  })
})

test('IN with many constants answers as a chain of OR', () => {
  fc.assert(
    fc.property(fc.array(int, { minLength: 1, maxLength: 9 }), row, (items, of) => {
      const list = items.map((item) => item ?? 'NULL')
      expect(value(`a IN (${list.join(', ')})`, of)).toBe(value(list.map((item) => `a = ${item}`).join(' OR '), of))
    }),
  )
})

test('columnsOf names each column once, down to the field', () => {
  const bound = bindPredicate("ST.X > 1 AND st.y.z = 'k' AND a > st.x AND a < 3", schema)
  expect(columnsOf(bound)).toEqual([['st', 'x'], ['st', 'y', 'z'], ['a']])
})

test('constants are worked out while binding', () => {
  const bound = bindExpression(parseExpression("a > '1' + 1"), parseTableSchema('a BIGINT'))
  expect(bound).toMatchObject({ name: '>', args: [{ kind: 'column' }, { kind: 'literal', value: 2n }] })
})

test('a constant that fails fails for each row, not while binding', () => {
  const evaluator = compileEvaluator(bindPredicate("a = 'x'", schema))
  expect(() => evaluator([1, 1, '', true, true, null])).toThrow(expect.objectContaining({ code: 'CAST_INVALID_INPUT' }))
  expect(compileEvaluator(bindPredicate("p AND a = 'x'", schema))([1, 1, '', false, true, null])).toBe(false)
})

test.each([
  ['current_timestamp() > now()', 'LAKE_EXPRESSION_UNSUPPORTED'],
  ['rand() > 0.5', 'LAKE_EXPRESSION_UNSUPPORTED'],
  ['sum(a) > 1', 'LAKE_EXPRESSION_UNSUPPORTED'],
  ['nosuch(a)', 'UNRESOLVED_ROUTINE'],
  ['nosuch = 1', 'UNRESOLVED_COLUMN.WITH_SUGGESTION'],
  ['a + 1', 'DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN'],
  ['st.nosuch = 1', 'FIELD_NOT_FOUND'],
  ['abs(1, 2) = 1', 'WRONG_NUM_ARGS.WITHOUT_SUGGESTION'],
])('%s is refused with %s', (predicate, code) => {
  expect(() => bindPredicate(predicate, schema)).toThrow(expect.objectContaining({ code }))
})

test('two columns that differ in case only are ambiguous', () => {
  expect(() => bindPredicate('A = 1', parseTableSchema('a INT, `A` INT'))).toThrow(
    expect.objectContaining({ code: 'AMBIGUOUS_REFERENCE' }),
  )
})
