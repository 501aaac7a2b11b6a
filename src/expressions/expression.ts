/**
 * Expressions as data: what the parser reads, and what binding makes of it.
 *
 * `Expression` is untyped and names columns by their path as written. `BoundExpression` has a type on every node,
 * columns resolved to ordinals of a schema, functions resolved to entries of the function table, and every implicit cast
 * written out, so that those who evaluate it (TypeScript here, DuckDB SQL in `engine/duckdb`, rules over statistics in
 * `kernel`) need to know no coercion rule. Operators are calls of functions like any other: `+`, `=`, `and`, `isnull`.
 */
import type { DataType, Value } from '../schema/index.ts'
import type { RefusedConstruct } from './unsupported.ts'

/** Where a node stands in the text: UTF-16 offsets, the end left out. */
export interface Span {
  readonly start: number
  readonly end: number
}

export type Expression =
  | { readonly kind: 'literal'; readonly value: Value; readonly type: DataType | IntervalType; readonly span: Span }
  | { readonly kind: 'column'; readonly path: readonly string[]; readonly span: Span }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly span: Span }
  | {
      readonly kind: 'cast'
      readonly child: Expression
      readonly type: DataType | IntervalType
      readonly safe: boolean
      readonly span: Span
    }
  | {
      readonly kind: 'case'
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[]
      readonly otherwise: Expression | undefined
      readonly span: Span
    }
  | { readonly kind: 'lambda'; readonly params: readonly string[]; readonly body: Expression; readonly span: Span }
  /** `:name` or, by its place from 0, `?`; a value takes its place before it is bound */
  | { readonly kind: 'parameter'; readonly name: string | number; readonly span: Span }
  /** what is Spark's and not ours (a subquery, an aggregate): read as it is written, refused by name when it is bound */
  | {
      readonly kind: 'foreign'
      readonly what: string
      readonly advice: string
      readonly construct?: RefusedConstruct
      readonly text: string
      readonly span: Span
    }

/** Interval types exist in expressions only; no column of a table is one. Values: months, or microseconds as bigint. */
export interface IntervalType {
  readonly kind: 'interval_year_month' | 'interval_day_time'
  /** as Spark prints it: `interval day to second` */
  readonly text: string
}

export type ExpressionType = DataType | IntervalType

export function isInterval(type: ExpressionType): type is IntervalType {
  return type.kind === 'interval_year_month' || type.kind === 'interval_day_time'
}

export type BoundExpression =
  | { readonly kind: 'literal'; readonly value: Value; readonly type: ExpressionType }
  | {
      readonly kind: 'column'
      /** ordinals from the top level of the schema the expression is bound to, down through structs */
      readonly ordinals: readonly number[]
      /** the names at those ordinals, in the schema's spelling */
      readonly path: readonly string[]
      readonly type: ExpressionType
    }
  | {
      readonly kind: 'call'
      /** the canonical name in the function table */
      readonly name: string
      readonly args: readonly BoundExpression[]
      readonly type: ExpressionType
      /** the session's time zone, where the call hangs on it and it is not UTC */
      readonly timeZone?: string
    }
  | {
      readonly kind: 'cast'
      readonly child: BoundExpression
      readonly type: ExpressionType
      /** NULL in place of an error */
      readonly safe: boolean
      /** the session's time zone, where the cast hangs on it and it is not UTC */
      readonly timeZone?: string
    }
  | {
      readonly kind: 'case'
      readonly branches: readonly { readonly when: BoundExpression; readonly then: BoundExpression }[]
      readonly otherwise: BoundExpression
      readonly type: ExpressionType
    }
  | {
      readonly kind: 'lambda'
      readonly params: readonly { readonly name: string; readonly type: ExpressionType }[]
      readonly body: BoundExpression
      readonly type: ExpressionType
    }
  | { readonly kind: 'variable'; readonly name: string; readonly type: ExpressionType }
