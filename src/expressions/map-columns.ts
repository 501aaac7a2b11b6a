/** An expression with the columns it names called otherwise. */
import type { Expression } from './expression.ts'
import { mapChildren } from './map-children.ts'

/**
 * @param change gives the path to use instead of a path; never called for the parameters of lambdas
 */
export function mapColumns(expression: Expression, change: (path: readonly string[]) => readonly string[]): Expression {
  if (expression.kind === 'column') return { ...expression, path: change(expression.path) }
  if (expression.kind !== 'lambda') return mapChildren(expression, (child) => mapColumns(child, change))
  const params = new Set(expression.params)
  return mapChildren(expression, (body) => mapColumns(body, (path) => (params.has(path[0]!) ? path : change(path))))
}
