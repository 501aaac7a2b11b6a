/** An expression with the columns it names called otherwise. */
import type { Expression } from './expression.ts'

/**
 * @param change gives the path to use instead of a path; never called for the parameters of lambdas
 */
export function mapColumns(expression: Expression, change: (path: readonly string[]) => readonly string[]): Expression {
  const map = (child: Expression) => mapColumns(child, change)
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'foreign':
      return expression
    case 'column':
      return { ...expression, path: change(expression.path) }
    case 'call':
      return { ...expression, args: expression.args.map(map) }
    case 'cast':
      return { ...expression, child: map(expression.child) }
    case 'case':
      return {
        ...expression,
        branches: expression.branches.map(({ when, then }) => ({ when: map(when), then: map(then) })),
        otherwise: expression.otherwise && map(expression.otherwise),
      }
    case 'lambda': {
      const params = new Set(expression.params)
      return {
        ...expression,
        body: mapColumns(expression.body, (path) => (params.has(path[0]!) ? path : change(path))),
      }
    }
  }
}
