/** Casts to date and to the two kinds of timestamp. */
import { isIntegral } from '../../schema/index.ts'
import { type Decimal, floorDiv, MICROS_PER_DAY, MICROS_PER_SECOND } from '../../support/index.ts'
import { isTimestampMicros, parseWrittenTimestamp, textToDays } from '../datetime/datetime-text.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import { isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import type { Cast, CastSetting } from './cast-function.ts'

const MAX = 2n ** 63n - 1n
const MIN = -(2n ** 63n)

/** The wall clock of an instant, as microseconds since 1970-01-01T00:00:00. */
function wallOf(micros: bigint, zone: Zone): bigint {
  return micros + BigInt(zone.offsetAt(micros)) * MICROS_PER_SECOND
}

export function toDate({ from, zone, fail }: CastSetting): Cast {
  if (from.kind === 'string') return (value) => textToDays(value as string) ?? fail('CAST_INVALID_INPUT', value)
  if (from.kind === 'timestamp') return (value) => Number(floorDiv(wallOf(value as bigint, zone), MICROS_PER_DAY))
  return (value) => Number(floorDiv(value as bigint, MICROS_PER_DAY))
}

export function toTimestamp({ from, zone, fail }: CastSetting): Cast {
  if (!isInterval(from) && isIntegral(from))
    return (value) => saturate(BigInt(value as number | bigint) * MICROS_PER_SECOND)
  switch (from.kind) {
    case 'string':
      return (value) => textToInstant(value as string, zone) ?? fail('CAST_INVALID_INPUT', value)
    case 'date':
      return (value) => zone.toInstant(BigInt(value as number) * MICROS_PER_DAY)
    case 'timestamp_ntz':
      return (value) => zone.toInstant(value as bigint)
    case 'decimal':
      return (value) => {
        const { unscaled, scale } = value as Decimal
        return BigInt.asIntN(64, (unscaled * MICROS_PER_SECOND) / 10n ** BigInt(scale))
      }
    default:
      return (value) => {
        const micros = (value as number) * 1e6
        if (!Number.isFinite(value as number)) return fail('CAST_INVALID_INPUT', value)
        if (!(micros >= -(2 ** 63) && micros <= 2 ** 63)) return fail('CAST_OVERFLOW', value)
        return saturate(BigInt(Math.trunc(micros)))
      }
  }
}

function saturate(micros: bigint): bigint {
  return micros > MAX ? MAX : micros < MIN ? MIN : micros
}

/** The instant a text means in a zone of its own or in the one given. */
function textToInstant(text: string, zone: Zone): bigint | undefined {
  const written = parseWrittenTimestamp(text)
  if (written === 'time')
    throw unsupported('a time of day as a timestamp (it would be today)', 'write the date as well')
  if (written === undefined) return undefined
  const micros = (written.zone === undefined ? zone : zoneOf(written.zone)).toInstant(written.wall)
  return isTimestampMicros(micros) ? micros : undefined
}

export function toTimestampNtz({ from, zone, fail }: CastSetting): Cast {
  switch (from.kind) {
    case 'string':
      return (value) => {
        const written = parseWrittenTimestamp(value as string)
        if (written === undefined || written === 'time') return fail('CAST_INVALID_INPUT', value)
        return isTimestampMicros(written.wall) ? written.wall : fail('CAST_INVALID_INPUT', value)
      }
    case 'date':
      return (value) => BigInt(value as number) * MICROS_PER_DAY
    default:
      return (value) => wallOf(value as bigint, zone)
  }
}
