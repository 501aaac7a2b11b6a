/** Parts of the language that no generated column may be made of, though they give the same value every time. */
import { deltaError } from '../../errors/index.ts'
import { type BoundExpression, childrenOf, type Expression, isInterval } from '../../expressions/index.ts'

/** Functions the reference does not take there: those with lambdas, values of maps, errors raised by hand … */
const NOT_GENERATING: ReadonlySet<string> = new Set([
  ...['transform', 'filter', 'exists', 'forall', 'aggregate', 'zip_with', 'map_filter', 'map_zip_with', 'array_sort'],
  ...['transform_keys', 'transform_values', 'ilike', 'getvalue', 'assert_true', 'raise_error', 'arrays_zip'],
])
/** Functions that binding puts others for. */
const NOT_GENERATING_AS_WRITTEN: ReadonlySet<string> = new Set(['nullif'])

/**
 * @param expression as it is written
 * @param bound the same, bound
 * @throws DeltaError `DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN`
 */
export function refuseNotGenerating(
  expression: Expression,
  bound: BoundExpression,
  place: { readonly column: string; readonly expression: string },
): void {
  const part = writtenPart(expression) ?? boundPart(bound)
  if (part === undefined) return
  throw deltaError('DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN', { ...place, part })
}

function boundPart(node: BoundExpression): string | undefined {
  if (isInterval(node.type)) return 'an interval'
  if (node.kind === 'call' && NOT_GENERATING.has(node.name)) return node.name
  for (const child of childrenOf(node)) {
    const part = boundPart(child)
    if (part !== undefined) return part
  }
  return undefined
}

function writtenPart(node: Expression): string | undefined {
  if (node.kind === 'call' && NOT_GENERATING_AS_WRITTEN.has(node.name)) return node.name
  if (isBetween(node)) return 'between'
  for (const child of writtenChildren(node)) {
    const part = writtenPart(child)
    if (part !== undefined) return part
  }
  return undefined
}

/** BETWEEN is read as two comparisons of the very same expression, which nobody can write by hand. */
function isBetween(node: Expression): boolean {
  if (node.kind !== 'call' || node.name !== 'and') return false
  const [low, high] = node.args
  if (low?.kind !== 'call' || high?.kind !== 'call' || low.name !== '>=' || high.name !== '<=') return false
  return low.args[0] !== undefined && low.args[0] === high.args[0]
}

function writtenChildren(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'call':
      return node.args
    case 'cast':
      return [node.child]
    case 'lambda':
      return [node.body]
    case 'case': {
      const branches = node.branches.flatMap(({ when, then }) => [when, then])
      return node.otherwise === undefined ? branches : [...branches, node.otherwise]
    }
    default:
      return []
  }
}
