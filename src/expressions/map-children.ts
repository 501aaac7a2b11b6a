/** The one place that knows which expressions stand directly below an expression. */
import type { Expression } from './expression.ts'

/** The expression with each of those directly below it changed; itself where there are none. */
export function mapChildren(expression: Expression, change: (child: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'column':
    case 'parameter':
    case 'foreign':
      return expression
    case 'call':
      return { ...expression, args: expression.args.map(change) }
    case 'cast':
      return { ...expression, child: change(expression.child) }
    case 'case':
      return {
        ...expression,
        branches: expression.branches.map(({ when, then }) => ({ when: change(when), then: change(then) })),
        otherwise: expression.otherwise && change(expression.otherwise),
      }
    case 'lambda':
      return { ...expression, body: change(expression.body) }
  }
}
