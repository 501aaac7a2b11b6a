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
export function foldConstant(node: BoundExpression): BoundExpression {
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

/** Folds the casts that binding put around the arguments of a node, then the node. */
export function foldTree(node: BoundExpression): BoundExpression {
  if (node.kind === 'call') return foldConstant({ ...node, args: node.args.map(foldNew) })
  if (node.kind === 'cast') return foldConstant({ ...node, child: foldNew(node.child) })
  if (node.kind !== 'case') return node
  return {
    ...node,
    branches: node.branches.map(({ when, then }) => ({ when: foldTree(when), then: foldNew(then) })),
    otherwise: foldNew(node.otherwise),
  }
}

function foldNew(node: BoundExpression): BoundExpression {
  return node.kind === 'cast' ? foldConstant(node) : node
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
