/** Expressions made by rules, not read from text: no name in them needs quoting. */
import type { Expression } from '../../expressions/index.ts'
import { integerType, longType } from '../../schema/index.ts'

const span = { start: 0, end: 0 }

export function columnExpression(path: readonly string[]): Expression {
  return { kind: 'column', path, span }
}

export function callExpression(name: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', name, args, span }
}

export function integerExpression(value: number): Expression {
  return { kind: 'literal', value, type: integerType, span }
}

export function longExpression(value: bigint): Expression {
  return { kind: 'literal', value, type: longType, span }
}

/** `every element of the array satisfies body`, the element under the name `x`. */
export function forAll(array: Expression, param: string, body: Expression): Expression {
  return callExpression('forall', array, { kind: 'lambda', params: [param], body, span })
}

/** NULL satisfies it, what is there must satisfy the condition. */
export function orNull(value: Expression, condition: Expression): Expression {
  return callExpression('or', callExpression('isnull', value), condition)
}
