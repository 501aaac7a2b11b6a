/** The version or time that a statement names, worked out. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  type Expression,
  evaluate,
  printExpression,
} from '../../expressions/index.ts'
import type { ReadPoint } from '../../operations/index.ts'
import { structType, timestampType, type Value } from '../../schema/index.ts'
import type { TimeTravel } from '../parser/index.ts'
import type { StatementContext } from './statement-context.ts'

const MICROS_PER_MS = 1000n

/**
 * A time is any expression without columns that can be cast to a timestamp; a part of a millisecond is cut off.
 *
 * @throws DeltaError `DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE` for NULL, `DELTA_TIMESTAMP_INVALID`, the codes of the expression language
 */
export function readPoint(to: TimeTravel, context: StatementContext): ReadPoint {
  if ('version' in to) return { version: to.version }
  const { span } = to.timestamp
  const asTime = { kind: 'cast', child: context.atTime(to.timestamp), type: timestampType, safe: false, span } as const
  const micros = timeOf(bindExpression(asTime, structType([])), to.timestamp)
  if (typeof micros !== 'bigint') {
    throw deltaError('DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE', { what: 'timestamp', value: 'NULL' })
  }
  const floor = micros < 0n && micros % MICROS_PER_MS !== 0n ? -1n : 0n
  return { timestampMs: Number(micros / MICROS_PER_MS + floor) }
}

function timeOf(cast: BoundExpression, written: Expression): Value {
  try {
    return evaluate(cast, [])
  } catch (cause) {
    if (!isDeltaError(cause, 'CAST_INVALID_INPUT')) throw cause
    throw deltaError('DELTA_TIMESTAMP_INVALID', { timestamp: printExpression(written) }, { cause })
  }
}
