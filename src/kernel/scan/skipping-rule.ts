/**
 * A predicate turned into a question about a file: can any of its rows make it TRUE?
 *
 * A rule is data, so that the array index evaluates it in TypeScript and the DuckDB index turns it into SQL. It answers
 * "maybe" unless it has proof: missing statistics, a missing column, an unreadable bound keep the file. Names are
 * physical. Source: Delta protocol, "Per-file Statistics".
 */
import type { BoundExpression } from '../../expressions/index.ts'
import type { DataType, Value } from '../../schema/index.ts'

/** A column of the table as files know it. */
export interface RuleColumn {
  /** physical names from the top level down */
  readonly path: readonly string[]
  /** logical names, for the words of an explanation */
  readonly name: readonly string[]
  readonly type: DataType
  /** whether its value stands in `partitionValues` instead of in the file */
  readonly partition: boolean
}

export type Comparison = '=' | '<' | '<=' | '>' | '>=' | '!='

export type SkippingRule =
  /** no proof is possible: the file is kept */
  | { readonly kind: 'keep'; readonly reason: string }
  /** the predicate is FALSE or NULL for every row of every file */
  | { readonly kind: 'never' }
  | { readonly kind: 'and' | 'or'; readonly rules: readonly SkippingRule[] }
  /** what a part of the predicate says in another way; `by` is that part as text, for the words of an explanation */
  | { readonly kind: 'implied'; readonly by: string; readonly rule: SkippingRule }
  /**
   * some row may have `column op value`; value is not null. With `orNaN` NaN fulfils it too, which is above every number
   * and which some writers leave out of a maximum, so bounds prove nothing
   */
  | {
      readonly kind: 'compare'
      readonly column: RuleColumn
      readonly op: Comparison
      readonly value: Exclude<Value, null>
      readonly orNaN?: true
    }
  /** some row may equal one of the values */
  | { readonly kind: 'in'; readonly column: RuleColumn; readonly values: readonly Exclude<Value, null>[] }
  /**
   * some row may have `expression op value`, where the expression keeps the order of the column as long as `period` gives
   * the same: the month of a date within a year. An index that cannot evaluate it keeps every file
   */
  | {
      readonly kind: 'cycle'
      readonly column: RuleColumn
      readonly ordinals: readonly number[]
      readonly expression: BoundExpression
      readonly period: BoundExpression
      readonly op: Comparison
      readonly value: Exclude<Value, null>
    }
  /** some row may begin with the text */
  | { readonly kind: 'startsWith'; readonly column: RuleColumn; readonly prefix: string }
  | { readonly kind: 'isNull' | 'isNotNull'; readonly column: RuleColumn }
  /**
   * the expression, over partition columns alone, has the truth value `wanted` for the values of the file; an index that
   * cannot evaluate it keeps every file
   */
  | {
      readonly kind: 'partitionPredicate'
      readonly predicate: BoundExpression
      readonly wanted: boolean
      readonly columns: readonly { readonly ordinal: number; readonly column: RuleColumn }[]
    }
