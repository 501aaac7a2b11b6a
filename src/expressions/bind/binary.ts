/** Operators that take two values of one type. */
import { deltaError } from '../../errors/index.ts'
import { typeText } from '../cast/rules.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { coerce, sameStructure, tightestType, widerType } from './coercion.ts'

export interface BinaryRule {
  readonly name: string
  /** what it takes, for messages */
  readonly expected: string
  accepts(type: ExpressionType): boolean
  /** what two bare NULLs become */
  readonly nothing: ExpressionType
}

/**
 * Both sides cast to the type they meet in.
 *
 * @throws DeltaError `DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES` where they meet in none, `…BINARY_OP_WRONG_TYPE` where the
 * operator does not take it
 */
export function meetOperands(
  left: BoundExpression,
  right: BoundExpression,
  rule: BinaryRule,
): { left: BoundExpression; right: BoundExpression; type: ExpressionType } {
  if (left.type.kind === 'void' && right.type.kind === 'void') {
    return { left: coerce(left, rule.nothing), right: coerce(right, rule.nothing), type: rule.nothing }
  }
  if (sameStructure(left.type, right.type)) {
    if (!rule.accepts(left.type)) throw wrongType(rule, left.type)
    return { left, right, type: left.type }
  }
  const nested = left.type.kind === 'array' || left.type.kind === 'map' || left.type.kind === 'struct'
  const type = (nested ? tightestType : widerType)(left.type, right.type)
  if (type === undefined || !rule.accepts(type)) throw differentTypes(rule.name, left.type, right.type)
  return { left: coerce(left, type), right: coerce(right, type), type }
}

function differentTypes(operator: string, left: ExpressionType, right: ExpressionType): Error {
  return deltaError('DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES', {
    operator,
    left: typeText(left),
    right: typeText(right),
  })
}

export function wrongType(rule: Pick<BinaryRule, 'name' | 'expected'>, actual: ExpressionType): Error {
  return deltaError('DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE', {
    operator: rule.name,
    expected: rule.expected,
    actual: typeText(actual),
  })
}
