/** Expressions bound to a schema: names to columns, calls to functions, types on every node. */
import type { StructType } from '../../schema/index.ts'
import type { BoundExpression, Expression } from '../expression.ts'
import { parseExpression } from '../parser/index.ts'
import type { Scope } from '../scope.ts'
import { asCondition, Binder } from './binder.ts'

export interface BindOptions {
  /** the session's time zone: `UTC` (default), an offset or a region such as `Europe/Berlin` */
  readonly timeZone?: string
}

/**
 * Resolves an expression against a schema.
 *
 * Every implicit cast of Spark's ANSI mode is written out as a cast, every type is the one Spark gives, functions carry
 * their canonical names, constants are worked out. What is not deterministic, and what this package does not do exactly
 * as Spark, is refused.
 *
 * @throws DeltaError `UNRESOLVED_COLUMN.…`, `UNRESOLVED_ROUTINE`, `WRONG_NUM_ARGS.WITHOUT_SUGGESTION`,
 * `DATATYPE_MISMATCH.…`, `LAKE_EXPRESSION_UNSUPPORTED`
 */
export function bindExpression(expression: Expression, schema: StructType, options: BindOptions = {}): BoundExpression {
  return bindScoped(expression, [{ schema }], options)
}

/**
 * The same against several tables at once; ordinals of the bound columns are those of `jointSchema(scopes)`.
 *
 * @throws DeltaError as `bindExpression`; `AMBIGUOUS_REFERENCE` for a name that several tables have
 */
export function bindScoped(
  expression: Expression,
  scopes: readonly Scope[],
  options: BindOptions = {},
): BoundExpression {
  return new Binder(scopes, options.timeZone ?? 'UTC').bind(expression)
}

/**
 * The same for a condition.
 *
 * @returns an expression of the type boolean
 * @throws DeltaError as `bindScoped`; `DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN`
 */
export function bindScopedCondition(
  expression: Expression,
  scopes: readonly Scope[],
  options: BindOptions = {},
): BoundExpression {
  return asCondition(bindScoped(expression, scopes, options), expression)
}

/**
 * Reads and binds a condition.
 *
 * @returns an expression of the type boolean
 * @throws DeltaError as `parseExpression` and `bindExpression`; `DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN`
 */
export function bindPredicate(text: string, schema: StructType, options: BindOptions = {}): BoundExpression {
  return bindScopedCondition(parseExpression(text), [{ schema }], options)
}

/** The columns an expression reads: their paths in the schema's spelling, each once, in order of appearance. */
export function columnsOf(bound: BoundExpression): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>()
  collect(bound, found)
  return [...found.values()]
}

function collect(node: BoundExpression, found: Map<string, readonly string[]>): void {
  if (node.kind === 'column') found.set(node.ordinals.join('.'), node.path)
  else for (const child of childrenOf(node)) collect(child, found)
}

/** The nodes directly below one. */
export function childrenOf(node: BoundExpression): readonly BoundExpression[] {
  switch (node.kind) {
    case 'call':
      return node.args
    case 'cast':
      return [node.child]
    case 'case':
      return [...node.branches.flatMap(({ when, then }) => [when, then]), node.otherwise]
    case 'lambda':
      return [node.body]
    default:
      return []
  }
}
