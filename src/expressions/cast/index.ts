/** Spark's table of casts in ANSI mode. */
import type { Value } from '../../schema/index.ts'
import type { ExpressionType } from '../expression.ts'
import { makeCast } from './cast-function.ts'

export { type Cast, makeCast } from './cast-function.ts'
export { canCast } from './rules.ts'

export interface CastOptions {
  /** NULL in place of an error, as TRY_CAST; default false */
  readonly safe?: boolean
  /** the session's time zone; default UTC */
  readonly timeZone?: string
}

/**
 * A value cast from one type to another as Spark's CAST in ANSI mode does. For many values, `makeCast` once.
 *
 * @throws DeltaError `CAST_INVALID_INPUT`, `CAST_OVERFLOW`, `NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION` for a value;
 * `DATATYPE_MISMATCH.CAST_…` where there is no such cast
 */
export function castValue(value: Value, from: ExpressionType, to: ExpressionType, options: CastOptions = {}): Value {
  const cast = makeCast(from, to, options.safe ?? false, options.timeZone ?? 'UTC')
  return value === null ? null : cast(value)
}
