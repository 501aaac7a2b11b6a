/** Which rows of a source can match a row of a table: by the first equality of the condition, else all of them. */
import { type BoundExpression, childrenOf, compileEvaluator, isInterval } from '../../expressions/index.ts'
import type { Row, Value } from '../../schema/index.ts'

/** An equality that tells for both sides what must be equal. */
export interface JoinKey {
  readonly target: BoundExpression
  readonly source: BoundExpression
  /** whether null equals null */
  readonly nullSafe: boolean
}

/** The parts of a condition that must all be TRUE. */
export function conjunctsOf(condition: BoundExpression): readonly BoundExpression[] {
  return condition.kind === 'call' && condition.name === 'and' ? condition.args.flatMap(conjunctsOf) : [condition]
}

/** Whether all columns an expression reads lie in a range of ordinals, and there are any. */
export function readsOnly(expression: BoundExpression, from: number, to: number): boolean {
  const ordinals = columnOrdinals(expression)
  return ordinals.length > 0 && ordinals.every((ordinal) => ordinal >= from && ordinal < to)
}

/** The top-level columns an expression reads, each time it reads them. */
export function columnOrdinals(expression: BoundExpression): number[] {
  return expression.kind === 'column' ? [expression.ordinals[0]!] : childrenOf(expression).flatMap(columnOrdinals)
}

/**
 * The equalities of a condition between a table and a source.
 *
 * @param width number of columns of the table in the joint row
 */
export function joinKeys(condition: BoundExpression, width: number): readonly JoinKey[] {
  return conjunctsOf(condition).flatMap((part) => {
    if (part.kind !== 'call' || (part.name !== '=' && part.name !== '<=>')) return []
    const [left, right] = part.args as [BoundExpression, BoundExpression]
    const nullSafe = part.name === '<=>'
    if (readsOnly(left, 0, width) && readsOnly(right, width, Number.POSITIVE_INFINITY)) {
      return [{ target: left, source: right, nullSafe }]
    }
    if (readsOnly(right, 0, width) && readsOnly(left, width, Number.POSITIVE_INFINITY)) {
      return [{ target: right, source: left, nullSafe }]
    }
    return []
  })
}

/** Types whose values a `Map` tells apart just as `=` does. */
const HASHED = new Set([
  ...['string', 'boolean', 'byte', 'short', 'integer', 'long', 'date', 'timestamp', 'timestamp_ntz'],
  ...['float', 'double'],
])

export type Candidates = (joint: Row) => readonly number[]

/** A function that gives, for a joint row with a table's columns, the rows of the source that may match it. */
export function candidateFinder(condition: BoundExpression, width: number, source: readonly Row[]): Candidates {
  const key = joinKeys(condition, width).find(({ target }) => !isInterval(target.type) && HASHED.has(target.type.kind))
  if (key === undefined) {
    const all = source.map((_, i) => i)
    return () => all
  }
  const index = indexRows(key, width, source)
  const keyOf = compileEvaluator(key.target)
  return (joint) => {
    const value = keyOf(joint)
    return value === null && !key.nullSafe ? [] : (index.get(value) ?? [])
  }
}

function indexRows(key: JoinKey, width: number, source: readonly Row[]): ReadonlyMap<Value, number[]> {
  const keyOf = compileEvaluator(key.source)
  const index = new Map<Value, number[]>()
  const joint = new Array<Value>(width).fill(null)
  for (const [i, row] of source.entries()) {
    const value = keyOf([...joint, ...row])
    const same = index.get(value)
    if (same === undefined) index.set(value, [i])
    else same.push(i)
  }
  return index
}
