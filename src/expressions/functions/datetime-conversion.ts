/** Dates and times made from numbers and text, and written as either. */
import { deltaError } from '../../errors/index.ts'
import {
  type DataType,
  dateType,
  decimalType,
  doubleType,
  longType,
  stringType,
  timestampNtzType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, daysFromCivil, daysInMonth, floorDiv, MICROS_PER_DAY, rescale } from '../../support/index.ts'
import { anyWhole, type Expected, oneOf, only, strictly } from '../bind/expected.ts'
import { checkInstant, toWall } from '../datetime/calendar-steps.ts'
import { patternFormatter } from '../datetime/format-pattern.ts'
import { patternParser } from '../datetime/parse-pattern.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import type { BoundExpression } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { long, text, timestamp, whole } from './datetime.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

function outOfBounds(reason: string): Error {
  return deltaError('DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION', { reason })
}

function makeDays(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) throw outOfBounds(`${year}-${month}-${day}`)
  const days = daysFromCivil({ year, month, day })
  if (days !== (days | 0)) throw outOfBounds(`${year}-${month}-${day}`)
  return days
}

function makeWall(parts: readonly NotNull[]): bigint {
  const [year, month, day, hour, minute] = parts as readonly number[]
  const { unscaled } = rescale(parts[5] as Decimal, 6)
  if (hour! < 0 || hour! > 23 || minute! < 0 || minute! > 59) throw outOfBounds(`${hour}:${minute}`)
  if (unscaled > 60_000_000n || unscaled < 0n) {
    const seconds = new Decimal(unscaled, 6)
    if (unscaled > 60_000_000n && unscaled < 61_000_000n) throw deltaError('INVALID_FRACTION_OF_SECOND', { seconds })
    throw outOfBounds(`${seconds} seconds`)
  }
  return (
    BigInt(makeDays(year!, month!, day!)) * MICROS_PER_DAY + BigInt((hour! * 60 + minute!) * 60) * 1_000_000n + unscaled
  )
}

const TIMESTAMP_PARTS: readonly Expected[] = [whole, whole, whole, whole, whole, only(decimalType(16, 6)), text]

function makeTimestamp(name: string, aliases: readonly string[] = []): FunctionEntry {
  return simple({
    name,
    aliases,
    takes: TIMESTAMP_PARTS,
    least: 6,
    gives: timestampType,
    zoned: true,
    strict:
      ({ zone }) =>
      (...parts) =>
        checkInstant((parts[6] === undefined ? zone : zoneOf(parts[6] as string)).toInstant(makeWall(parts))),
  })
}

/** Texts by a pattern that is mostly the same: the last reader is kept. */
function cachedParser(zone: Zone): (value: string, pattern: string) => bigint | undefined {
  let known: string | undefined
  let parse: (value: string) => bigint | undefined = () => undefined
  return (value, pattern) => {
    if (pattern !== known) {
      parse = patternParser(pattern, zone)
      known = pattern
    }
    return parse(value)
  }
}

function cachedFormatter(zone: Zone): (micros: bigint, pattern: string) => string {
  let known: string | undefined
  let format: (micros: bigint) => string = () => ''
  return (micros, pattern) => {
    if (pattern !== known) {
      format = patternFormatter(pattern, zone)
      known = pattern
    }
    return format(micros)
  }
}

const DEFAULT_PATTERN = 'yyyy-MM-dd HH:mm:ss'

/** `to_date`, `to_timestamp` and their `try_` forms: a cast, or a reading by a pattern. */
function conversion(name: string, type: DataType, safe: boolean): FunctionEntry {
  return {
    name,
    arity: [1, 2],
    bind(args, site) {
      const [value, pattern] = args
      const given = value!.type.kind
      if (pattern === undefined || ['date', 'timestamp', 'timestamp_ntz'].includes(given)) {
        const plain = [only(stringType), strictly(dateType), timestamp, strictly(timestampNtzType)]
        const taken = type.kind === 'timestamp' ? [...plain, number] : plain
        const [arg] = castArguments([value!], [oneOf(...taken)], site.name)
        return given === type.kind ? value! : { kind: 'cast', child: arg!, type, safe }
      }
      if (type.kind === 'timestamp_ntz') throw unsupported('to_timestamp_ntz with a pattern', 'use to_timestamp')
      const [arg, form] = castArguments([value!, pattern], [text], site.name)
      const parsed = callOf(safe ? 'try_parse_timestamp' : 'parse_timestamp', [arg!, form!], timestampType)
      return type.kind === 'date' ? { kind: 'cast', child: parsed, type, safe: false } : parsed
    },
  }
}

function parseEntry(name: string, safe: boolean): FunctionEntry {
  return simple({
    name,
    takes: [text, text],
    gives: timestampType,
    zoned: true,
    strict: ({ zone }) => {
      const parse = cachedParser(zone)
      return (value, pattern) => {
        const micros = parse(value as string, pattern as string)
        if (micros !== undefined) return micros
        if (safe) return null
        throw deltaError('CANNOT_PARSE_TIMESTAMP', { value, pattern })
      }
    },
  })
}

function unixTimestamp(name: string): FunctionEntry {
  return {
    name,
    arity: [1, 2],
    bind([value, pattern], site) {
      if (value!.type.kind === 'string' || value!.type.kind === 'void') {
        const form: BoundExpression = pattern ?? { kind: 'literal', value: DEFAULT_PATTERN, type: stringType }
        const [arg, by] = castArguments([value!, form], [strictly(stringType)], site.name)
        return callOf('unix_timestamp', [callOf('parse_timestamp', [arg!, by!], timestampType)], longType)
      }
      const [arg] = castArguments([value!], [timestamp], site.name)
      return callOf('unix_timestamp', [arg!], longType)
    },
    strict: () => (micros) => (micros as bigint) / 1_000_000n,
  }
}

function secondsToInstant({ types }: CallShape): (value: NotNull) => Value {
  if (types[0]!.kind === 'decimal') {
    return (value) => {
      const { unscaled, scale } = value as Decimal
      const scaled = unscaled * 1_000_000n
      const micros = scaled / 10n ** BigInt(scale)
      if (micros * 10n ** BigInt(scale) !== scaled)
        throw deltaError('DATETIME_OVERFLOW', { operation: 'timestamp_seconds' })
      return checkInstant(micros)
    }
  }
  if (types[0]!.kind === 'double' || types[0]!.kind === 'float') {
    return (value) => {
      const micros = (value as number) * 1e6
      if (!Number.isFinite(micros)) return null
      if (Math.abs(micros) >= 2 ** 63) throw deltaError('DATETIME_OVERFLOW', { operation: 'timestamp_seconds' })
      return BigInt(Math.trunc(micros))
    }
  }
  return (value) => checkInstant(BigInt(value as number | bigint) * 1_000_000n)
}

export const number: Expected = {
  text: 'a number',
  nothing: doubleType,
  accepts: (type) => ['byte', 'short', 'integer', 'long', 'float', 'double', 'decimal'].includes(type.kind),
  castFrom: () => undefined,
}

export const datetimeConversions: readonly FunctionEntry[] = [
  simple({
    name: 'make_date',
    takes: [whole, whole, whole],
    gives: dateType,
    strict: () => (year, month, day) => makeDays(year as number, month as number, day as number),
  }),
  makeTimestamp('make_timestamp', ['make_timestamp_ltz']),
  simple({
    name: 'make_timestamp_ntz',
    takes: TIMESTAMP_PARTS.slice(0, 6),
    gives: timestampNtzType,
    strict:
      () =>
      (...parts) =>
        checkInstant(makeWall(parts)),
  }),
  simple({
    name: 'date_format',
    takes: [timestamp, text],
    gives: stringType,
    zoned: true,
    strict: ({ zone }) => {
      const format = cachedFormatter(zone)
      return (micros, pattern) => format(micros as bigint, pattern as string)
    },
  }),
  simple({
    name: 'from_unixtime',
    takes: [long, text],
    least: 1,
    gives: stringType,
    zoned: true,
    strict: ({ zone }) => {
      const format = cachedFormatter(zone)
      return (seconds, pattern: NotNull = DEFAULT_PATTERN) =>
        format(checkInstant((seconds as bigint) * 1_000_000n), pattern as string)
    },
  }),
  conversion('to_date', dateType, false),
  conversion('try_to_date', dateType, true),
  conversion('to_timestamp', timestampType, false),
  conversion('to_timestamp_ltz', timestampType, false),
  conversion('try_to_timestamp', timestampType, true),
  conversion('to_timestamp_ntz', timestampNtzType, false),
  parseEntry('parse_timestamp', false),
  parseEntry('try_parse_timestamp', true),
  unixTimestamp('unix_timestamp'),
  { ...unixTimestamp('to_unix_timestamp'), name: 'to_unix_timestamp' },
  simple({ name: 'timestamp_seconds', takes: [number], gives: timestampType, strict: secondsToInstant }),
  simple({
    name: 'timestamp_millis',
    takes: [anyWhole],
    gives: timestampType,
    strict: () => (value) => checkInstant((value as bigint) * 1000n),
  }),
  simple({ name: 'timestamp_micros', takes: [anyWhole], gives: timestampType, strict: () => (value) => value }),
  simple({
    name: 'unix_seconds',
    takes: [strictly(timestampType)],
    gives: longType,
    strict: () => (micros) => floorDiv(micros as bigint, 1_000_000n),
  }),
  simple({
    name: 'unix_millis',
    takes: [strictly(timestampType)],
    gives: longType,
    strict: () => (micros) => floorDiv(micros as bigint, 1000n),
  }),
  simple({ name: 'unix_micros', takes: [strictly(timestampType)], gives: longType, strict: () => (micros) => micros }),
  simple({
    name: 'date_from_unix_date',
    takes: [whole],
    gives: dateType,
    strict: () => (days) => days,
  }),
  simple({
    name: 'from_utc_timestamp',
    takes: [timestamp, text],
    gives: timestampType,
    strict: () => (micros, zone) => toWall(micros as bigint, zoneOf(zone as string)),
  }),
  simple({
    name: 'to_utc_timestamp',
    takes: [timestamp, text],
    gives: timestampType,
    strict: () => (micros, zone) => zoneOf(zone as string).toInstant(micros as bigint),
  }),
  {
    name: 'convert_timezone',
    arity: [2, 3],
    zoned: true,
    bind(args, site) {
      const from: BoundExpression = { kind: 'literal', value: site.timeZone, type: stringType }
      const all = args.length === 2 ? [from, ...args] : args
      return callOf(
        'convert_timezone',
        castArguments(all, [text, text, only(timestampNtzType)], site.name),
        timestampNtzType,
      )
    },
    strict: () => (from, to, wall) => toWall(zoneOf(from as string).toInstant(wall as bigint), zoneOf(to as string)),
  },
]
