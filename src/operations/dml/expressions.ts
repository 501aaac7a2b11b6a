/** Bound expressions that operations put together themselves. */
import { type BoundExpression, childrenOf } from '../../expressions/index.ts'
import type { TableLayout } from '../../kernel/index.ts'
import { booleanType, stringType } from '../../schema/index.ts'

/** A top-level column of a layout. */
export function columnAt({ schema }: TableLayout, ordinal: number): BoundExpression {
  const { name, type } = schema.fields[ordinal]!
  return { kind: 'column', ordinals: [ordinal], path: [name], type }
}

/** TRUE where the condition is FALSE or NULL. */
export function isNotTrue(condition: BoundExpression): BoundExpression {
  const no: BoundExpression = { kind: 'literal', value: false, type: booleanType }
  const known: BoundExpression = { kind: 'call', name: 'coalesce', args: [condition, no], type: booleanType }
  return { kind: 'call', name: 'not', args: [known], type: booleanType }
}

/** One value where the condition is TRUE, another where it is not. */
export function choose(condition: BoundExpression, then: BoundExpression, otherwise: BoundExpression): BoundExpression {
  return { kind: 'case', branches: [{ when: condition, then }], otherwise, type: otherwise.type }
}

export function textConstant(value: string): BoundExpression {
  return { kind: 'literal', value, type: stringType }
}

/** Ordinals of the top-level columns an expression reads, each once. */
export function ordinalsIn(bound: BoundExpression, into = new Set<number>()): readonly number[] {
  if (bound.kind === 'column') into.add(bound.ordinals[0]!)
  else for (const child of childrenOf(bound)) ordinalsIn(child, into)
  return [...into]
}
