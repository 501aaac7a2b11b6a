/** Bound expressions with parts of them replaced. */
import type { BoundExpression } from '../expression.ts'

/**
 * The expression with every node for which `change` gives another replaced by that one; what is put in is not gone
 * through again. Types must stay as they are.
 */
export function mapBound(
  node: BoundExpression,
  change: (node: BoundExpression) => BoundExpression | undefined,
): BoundExpression {
  const changed = change(node)
  if (changed !== undefined) return changed
  const map = (child: BoundExpression) => mapBound(child, change)
  switch (node.kind) {
    case 'call':
      return { ...node, args: node.args.map(map) }
    case 'cast':
      return { ...node, child: map(node.child) }
    case 'lambda':
      return { ...node, body: map(node.body) }
    case 'case':
      return {
        ...node,
        branches: node.branches.map(({ when, then }) => ({ when: map(when), then: map(then) })),
        otherwise: map(node.otherwise),
      }
    default:
      return node
  }
}
