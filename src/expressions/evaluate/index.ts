/** Bound expressions evaluated row by row in TypeScript. */
import type { Row, Value } from '../../schema/index.ts'
import type { BoundExpression } from '../expression.ts'
import { compile } from './compile.ts'

/**
 * The value of a bound expression for one row.
 *
 * @param row values in the order of the schema the expression is bound to
 * @throws DeltaError `CAST_INVALID_INPUT`, `ARITHMETIC_OVERFLOW`, `DIVIDE_BY_ZERO`, … as Spark's ANSI mode does
 */
export function evaluate(bound: BoundExpression, row: Row): Value {
  return compileEvaluator(bound)(row)
}

/**
 * A bound expression as a function of a row, for many rows: made once, called often, nothing allocated per row but results.
 *
 * Not reentrant. AND, OR, CASE, IF and COALESCE evaluate only what they need, left to right.
 */
export function compileEvaluator(bound: BoundExpression): (row: Row) => Value {
  return compile(bound, new Map())
}
