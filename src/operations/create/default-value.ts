/** Whether a text can be the default of a column. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  canCast,
  castValue,
  columnsOf,
  isInterval,
  parseExpression,
} from '../../expressions/index.ts'
import { type DataType, formatType, isNested, sameType, structType, type Value } from '../../schema/index.ts'
import { atTime } from '../rules/index.ts'
import { columnPathText, holdsAll } from '../values/index.ts'

/**
 * @param text an expression without columns; the time of a write may be in it
 * @throws DeltaError `INVALID_DEFAULT_VALUE.DATA_TYPE`, `INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION`, those of
 * `parseExpression`
 */
export function checkDefault(text: string, column: readonly string[], type: DataType): void {
  const details = { column: columnPathText(column), default: text, type: formatType(type) }
  const bound = bindConstant(text, details)
  if (columnsOf(bound).length > 0) throw deltaError('INVALID_DEFAULT_VALUE.NOT_CONSTANT', details)
  if (fits(bound, type)) return
  const found = 'text' in bound.type ? bound.type.text : formatType(bound.type)
  throw deltaError('INVALID_DEFAULT_VALUE.DATA_TYPE', { ...details, found })
}

function bindConstant(text: string, details: Record<string, string>): BoundExpression {
  const expression = atTime(parseExpression(text), 0)
  try {
    return bindExpression(expression, structType([]))
  } catch (error) {
    if (!isDeltaError(error, 'UNRESOLVED_COLUMN.WITHOUT_SUGGESTION', 'UNRESOLVED_ROUTINE')) throw error
    throw deltaError(
      'INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION',
      { ...details, cause: error.message },
      { cause: error },
    )
  }
}

/** A type that holds all values of the other takes any expression; any other type takes a constant that fits it. */
function fits(bound: BoundExpression, to: DataType): boolean {
  const from = bound.type
  if (from.kind === 'void') return true
  if (!isInterval(from) && (sameType(from, to) || holdsAll(from, to))) return true
  if (from.kind === 'string' && !TIMES.has(to.kind)) return false
  if (isNested(to)) return from.kind === to.kind && canCast(from, to)
  return bound.kind === 'literal' && canCast(from, to) && canHold(bound.value, from, to)
}

const TIMES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamp_ntz'])

function canHold(value: Value, from: BoundExpression['type'], to: DataType): boolean {
  try {
    castValue(value, from, to)
    return true
  } catch (error) {
    if (isDeltaError(error)) return false
    throw error
  }
}
