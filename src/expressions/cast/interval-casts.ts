/** Casts to interval types. */
import { isDeltaError } from '../../errors/index.ts'
import { isIntegral } from '../../schema/index.ts'
import { type Decimal, rescale } from '../../support/index.ts'
import { intervalFields, intervalOfRange, intervalOfUnits } from '../datetime/interval.ts'
import { type IntervalType, isInterval } from '../expression.ts'
import type { Cast, CastSetting } from './cast-function.ts'

export const MICROS_OF_FIELD = {
  day: 86_400_000_000n,
  hour: 3_600_000_000n,
  minute: 60_000_000n,
  second: 1_000_000n,
} as const

export function toInterval({ from, to, fail }: CastSetting): Cast {
  const type = to as IntervalType
  const months = type.kind === 'interval_year_month'
  const { last } = intervalFields(type)
  const unit = last === 'year' ? 12n : last === 'month' ? 1n : MICROS_OF_FIELD[last]
  const narrow = (steps: bigint, shown: unknown): number | bigint | null => {
    if (BigInt.asIntN(months ? 32 : 64, steps) !== steps) return fail('CAST_OVERFLOW', shown)
    return months ? Number(steps) : steps
  }
  if (isInterval(from)) return (value) => narrow(truncateTo(BigInt(value as number | bigint), unit), value)
  if (isIntegral(from)) return (value) => narrow(BigInt(value as number | bigint) * unit, value)
  if (from.kind === 'decimal') {
    return (value) => {
      const decimal = value as Decimal
      if (last !== 'second') return narrow(rescale(decimal, 0).unscaled * unit, value)
      return narrow(rescale(decimal, 6).unscaled, value)
    }
  }
  return (value) => {
    try {
      return readInterval(value as string, type)
    } catch (error) {
      if (!isDeltaError(error)) throw error
      return fail('INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE', value)
    }
  }
}

/** Fields below the last one of the type are cut off. */
function truncateTo(steps: bigint, unit: bigint): bigint {
  return unit === 1_000_000n ? steps : (steps / unit) * unit
}

function readInterval(text: string, type: IntervalType): number | bigint {
  const { first, last } = intervalFields(type)
  const name = first === last ? first : `${first} to ${last}`
  const quoted = new RegExp(`^INTERVAL\\s+([+-]?)'([^']*)'\\s+${name.replaceAll(' ', '\\s+')}$`, 'i').exec(text.trim())
  const body = quoted === null ? text.trim() : quoted[2]!
  const value =
    first === last ? intervalOfUnits([{ amount: body, unit: first }]).value : intervalOfRange(body, type).value
  return quoted?.[1] === '-' ? -value : value
}
