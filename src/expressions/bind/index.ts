/** Expressions bound to a schema: names to columns, calls to functions, types on every node. */
import type { StructType } from '../../schema/index.ts'
import type { BoundExpression, Expression } from '../expression.ts'
import { unsupported } from '../unsupported.ts'

export interface BindOptions {
  /** the session's time zone: `UTC` (default), an offset or a region such as `Europe/Berlin` */
  readonly timeZone?: string
}

/**
 * Resolves an expression against a schema.
 *
 * Every implicit cast of Spark's ANSI mode is written out as a cast, every type is the one Spark gives, functions carry
 * their canonical names. What is not deterministic, and what this package does not do exactly as Spark, is refused.
 *
 * @throws DeltaError `UNRESOLVED_COLUMN.…`, `UNRESOLVED_ROUTINE`, `WRONG_NUM_ARGS.WITHOUT_SUGGESTION`,
 * `DATATYPE_MISMATCH.…`, `LAKE_EXPRESSION_UNSUPPORTED`
 */
export function bindExpression(expression: Expression, schema: StructType, options: BindOptions = {}): BoundExpression {
  throw unsupported(`binding ${expression.kind} ${schema.kind} ${options.timeZone}`, 'wait')
}

/**
 * Reads and binds a condition.
 *
 * @returns an expression of the type boolean
 * @throws DeltaError as `parseExpression` and `bindExpression`; `DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN`
 */
export function bindPredicate(text: string, schema: StructType, options: BindOptions = {}): BoundExpression {
  throw unsupported(`binding ${text} ${schema.kind} ${options.timeZone}`, 'wait')
}

/** The columns an expression reads: their paths in the schema's spelling, each once, in order of appearance. */
export function columnsOf(bound: BoundExpression): readonly (readonly string[])[] {
  throw unsupported(`columns of ${bound.kind}`, 'wait')
}
