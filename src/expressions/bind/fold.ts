/** Constants worked out while binding, so that rules over statistics and DuckDB see `5`, not `CAST(5 AS BIGINT)`. */
import { isDeltaError } from '../../errors/index.ts'
import { isNested, type Value } from '../../schema/index.ts'
import { compile } from '../evaluate/compile.ts'
import { type BoundExpression, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'

/**
 * The literal a call or cast of literals is; the node itself where it is none, or fails: then it fails for each row, as in
 * Spark.
 */
function foldConstant(node: BoundExpression): BoundExpression {
  if (node.kind !== 'cast' && node.kind !== 'call') return node
  const children = node.kind === 'cast' ? [node.child] : node.args
  if (children.length === 0 || !children.every((child) => child.kind === 'literal')) return node
  if (!isInterval(node.type) && (isNested(node.type) || node.type.kind === 'variant' || node.type.kind === 'void'))
    return node
  const special = node.kind === 'cast' ? specialDate(node) : undefined
  if (special !== undefined) return { kind: 'literal', value: special, type: node.type }
  try {
    return { kind: 'literal', value: compile(node, new Map())([]), type: node.type }
  } catch (error) {
    if (isDeltaError(error, 'LAKE_EXPRESSION_UNSUPPORTED') || !isDeltaError(error)) throw error
    return node
  }
}

const settled = new WeakSet<BoundExpression>()

/** Folds what binding put around the arguments of a node, then the node; what was folded before is left alone. */
export function foldTree(node: BoundExpression): BoundExpression {
  if (settled.has(node)) return node
  const folded = foldBelow(node)
  settled.add(folded)
  return folded
}

function foldBelow(node: BoundExpression): BoundExpression {
  if (node.kind === 'call') return foldConstant({ ...node, args: node.args.map(foldTree) })
  if (node.kind === 'cast') return foldConstant({ ...node, child: foldTree(node.child) })
  if (node.kind !== 'case') return node
  return {
    ...node,
    branches: node.branches.map(({ when, then }) => ({ when: foldTree(when), then: foldTree(then) })),
    otherwise: foldTree(node.otherwise),
  }
}

const SPECIAL = /^(epoch|now|today|tomorrow|yesterday)(?:\s.*)?$/i
const DATED = new Set(['date', 'timestamp', 'timestamp_ntz'])

/** `'epoch'` as a constant is a date; `'today'` and its kin hang on the clock. */
function specialDate(node: Extract<BoundExpression, { kind: 'cast' }>): Value | undefined {
  const text = node.child.kind === 'literal' && typeof node.child.value === 'string' ? node.child.value.trim() : ''
  if (!DATED.has(node.type.kind) || node.child.type.kind !== 'string' || !SPECIAL.test(text)) return undefined
  if (text.toLowerCase() === 'epoch') return node.type.kind === 'date' ? 0 : 0n
  throw unsupported(`'${text}' as a date or time`, 'write the date itself')
}
