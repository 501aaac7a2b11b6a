/**
 * Time zones: fixed offsets by arithmetic, regions by the platform's own zone data (`Intl`).
 *
 * Offsets of a region come from `Intl` at whole seconds, so that local mean times of the past (`+00:53:28`) are exact.
 * A wall clock that a change of offset skips is read with the offset before the change, one that happens twice means the
 * earlier instant, as `java.time` resolves them.
 */
import { deltaError } from '../../errors/index.ts'
import { daysFromCivil, floorDiv, MICROS_PER_SECOND } from '../../support/index.ts'

export interface Zone {
  readonly name: string
  /** offset from UTC at an instant, in seconds, east positive */
  offsetAt(micros: bigint): number
  /** the instant of a wall clock, in microseconds */
  toInstant(wall: bigint): bigint
}

const OFFSET = /^([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?$/
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['ACT', 'Australia/Darwin'],
  ['AET', 'Australia/Sydney'],
  ['AGT', 'America/Argentina/Buenos_Aires'],
  ['ART', 'Africa/Cairo'],
  ['AST', 'America/Anchorage'],
  ['BET', 'America/Sao_Paulo'],
  ['BST', 'Asia/Dhaka'],
  ['CAT', 'Africa/Harare'],
  ['CNT', 'America/St_Johns'],
  ['CST', 'America/Chicago'],
  ['CTT', 'Asia/Shanghai'],
  ['EAT', 'Africa/Addis_Ababa'],
  ['ECT', 'Europe/Paris'],
  ['EST', '-05:00'],
  ['HST', '-10:00'],
  ['IET', 'America/Indiana/Indianapolis'],
  ['IST', 'Asia/Kolkata'],
  ['JST', 'Asia/Tokyo'],
  ['MIT', 'Pacific/Apia'],
  ['MST', '-07:00'],
  ['NET', 'Asia/Yerevan'],
  ['NST', 'Pacific/Auckland'],
  ['PLT', 'Asia/Karachi'],
  ['PNT', 'America/Phoenix'],
  ['PRT', 'America/Puerto_Rico'],
  ['PST', 'America/Los_Angeles'],
  ['SST', 'Pacific/Guadalcanal'],
  ['VST', 'Asia/Ho_Chi_Minh'],
])
const MAX_OFFSET = 18 * 3600
const zones = new Map<string, Zone | undefined>()
const MAX_CACHED = 1000

/** Whether a text names a zone: `Z`, `+02:00`, `UTC+1`, `Europe/Berlin`. */
export function isZone(name: string): boolean {
  return lookUp(name) !== undefined
}

/** @throws DeltaError `INVALID_TIMEZONE` */
export function zoneOf(name: string): Zone {
  const zone = lookUp(name)
  if (zone === undefined) throw deltaError('INVALID_TIMEZONE', { zone: name })
  return zone
}

function lookUp(name: string): Zone | undefined {
  if (!zones.has(name)) {
    if (zones.size >= MAX_CACHED) zones.clear()
    zones.set(name, makeZone(name))
  }
  return zones.get(name)
}

function makeZone(name: string): Zone | undefined {
  const filled = name.replace(/^([+-])(\d):/, '$10$2:').replace(/^([+-])(\d\d):(\d)$/, '$1$2:0$3')
  const id = SHORT_NAMES.get(filled) ?? filled
  const [, prefix = '', rest = ''] = /^(Z|UTC|GMT|UT)?(.*)$/.exec(id) ?? []
  if (prefix !== '' && rest === '') return fixedZone(name, 0)
  const offset = prefix === 'Z' ? undefined : offsetSeconds(rest)
  if (offset !== undefined) return fixedZone(name, offset)
  return prefix === '' || /^[A-Za-z]/.test(rest) ? regionZone(id) : undefined
}

function offsetSeconds(text: string): number | undefined {
  const match = OFFSET.exec(text)
  if (match === null || (match[3] !== undefined && match[2]!.length === 1)) return undefined
  const [hours, minutes, seconds] = [match[2], match[3] ?? '0', match[4] ?? '0'].map(Number) as [number, number, number]
  const total = (hours * 60 + minutes) * 60 + seconds
  if (minutes > 59 || seconds > 59 || total > MAX_OFFSET) return undefined
  return match[1] === '-' ? -total : total
}

function fixedZone(name: string, seconds: number): Zone {
  const micros = BigInt(seconds) * MICROS_PER_SECOND
  return { name, offsetAt: () => seconds, toInstant: (wall) => wall - micros }
}

function regionZone(name: string): Zone | undefined {
  if (!/^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(name)) return undefined
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined
  }
  const offsetAt = cachedOffsets(format)
  return { name, offsetAt, toInstant: (wall) => resolveWall(wall, offsetAt) }
}

/** Dates of `Intl` end at ±8.64e15 milliseconds; beyond, the offset of the nearest instant holds. */
function cachedOffsets(format: Intl.DateTimeFormat): (micros: bigint) => number {
  let quarter = Number.NaN
  let cached = 0
  return (micros) => {
    const second = Number(floorDiv(micros, MICROS_PER_SECOND))
    const limited = Math.max(-8.63e12, Math.min(8.63e12, second))
    const key = Math.floor(limited / 900)
    if (key === quarter && limited > 0) return cached
    cached = readOffset(format, limited)
    quarter = key
    return cached
  }
}

function readOffset(format: Intl.DateTimeFormat, second: number): number {
  const parts = new Map(format.formatToParts(second * 1000).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year')
  const days = daysFromCivil({ year, month: part('month'), day: part('day') })
  return days * 86_400 + part('hour') * 3600 + part('minute') * 60 + part('second') - second
}

function resolveWall(wall: bigint, offsetAt: (micros: bigint) => number): bigint {
  const at = (offset: number): bigint => wall - BigInt(offset) * MICROS_PER_SECOND
  const day = 86_400n * MICROS_PER_SECOND
  const before = offsetAt(wall - day)
  const after = offsetAt(wall + day)
  if (offsetAt(at(before)) === before) return at(before)
  if (offsetAt(at(after)) === after) return at(after)
  return at(before)
}
