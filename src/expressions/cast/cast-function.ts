/** Casts of single values, made once for a pair of types. Source: Spark's `Cast` in ANSI mode. */
import { deltaError, type ErrorCode } from '../../errors/index.ts'
import type { MapEntry, Row, Value } from '../../schema/index.ts'
import { decodeUtf8Strict, encodeUtf8, formatDate, formatTimestamp } from '../../support/index.ts'
import { formatInterval } from '../datetime/interval.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import { type ExpressionType, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { toDate, toTimestamp, toTimestampNtz } from './datetime-casts.ts'
import { toInterval } from './interval-casts.ts'
import { javaFloatText } from './number-text.ts'
import { toBoolean, toDecimal, toFloating, toIntegral } from './numeric-casts.ts'
import { checkCast, typeText } from './rules.ts'

export type Cast = (value: Exclude<Value, null>) => Value

/** What a cast needs beside the value: its types, the zone, and what to do with a value that does not fit. */
export interface CastSetting {
  readonly from: ExpressionType
  readonly to: ExpressionType
  readonly safe: boolean
  readonly zone: Zone
  /** throws, or gives NULL in a safe cast */
  fail(code: ErrorCode, value: unknown): null
}

/**
 * The cast of non-null values from one type to another.
 *
 * @throws DeltaError when there is no such cast; the function it gives throws on values, unless `safe`
 */
export function makeCast(from: ExpressionType, to: ExpressionType, safe: boolean, timeZone: string): Cast {
  checkCast(from, to, safe)
  return castOf({ from, to, safe, zone: zoneOf(timeZone), fail: failure(from, to, safe) })
}

function failure(from: ExpressionType, to: ExpressionType, safe: boolean): CastSetting['fail'] {
  if (safe) return () => null
  return (code, value) => {
    throw deltaError(code, { value, from: typeText(from), to: typeText(to), type: typeText(to), input: value })
  }
}

function castOf(setting: CastSetting): Cast {
  const { from, to } = setting
  if (from.kind === 'void' || (typeText(from) === typeText(to) && from.kind !== 'struct')) return (value) => value
  if (isInterval(to)) return toInterval(setting)
  switch (to.kind) {
    case 'string':
      return toText(from, setting.zone)
    case 'boolean':
      return toBoolean(setting)
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return toIntegral(setting)
    case 'float':
    case 'double':
      return toFloating(setting)
    case 'decimal':
      return toDecimal(setting)
    case 'date':
      return toDate(setting)
    case 'timestamp':
      return toTimestamp(setting)
    case 'timestamp_ntz':
      return toTimestampNtz(setting)
    case 'binary':
      return (value) => encodeUtf8(value as string)
    default:
      return castNested(setting)
  }
}

function castNested(setting: CastSetting): Cast {
  const { from, to } = setting
  const inner = (a: ExpressionType, b: ExpressionType): ((value: Value) => Value) => {
    const cast = castOf({ ...setting, from: a, to: b, fail: failure(a, b, setting.safe) })
    return (value) => (value === null ? null : cast(value))
  }
  if (from.kind === 'array' && to.kind === 'array') {
    const element = inner(from.element, to.element)
    return (value) => (value as readonly Value[]).map(element)
  }
  if (from.kind === 'map' && to.kind === 'map') {
    const [key, item] = [inner(from.key, to.key), inner(from.value, to.value)]
    return (value) => (value as readonly MapEntry[]).map((entry) => ({ key: key(entry.key), value: item(entry.value) }))
  }
  if (from.kind === 'struct' && to.kind === 'struct') {
    const fields = from.fields.map((f, i) => inner(f.type, to.fields[i]!.type))
    return (value) => fields.map((field, i) => field((value as Row)[i] ?? null))
  }
  throw unsupported(`the cast from ${typeText(from)} to ${typeText(to)}`, 'cast the parts')
}

/** The text of a value as CAST to STRING gives it. */
export function toText(type: ExpressionType, zone: Zone): (value: Exclude<Value, null>) => string {
  if (isInterval(type)) return (value) => formatInterval(value as number | bigint, type)
  switch (type.kind) {
    case 'float':
      return (value) => javaFloatText(value as number, true)
    case 'double':
      return (value) => javaFloatText(value as number, false)
    case 'date':
      return (value) => formatDate(value as number)
    case 'timestamp':
      return (value) => formatTimestamp((value as bigint) + BigInt(zone.offsetAt(value as bigint)) * 1_000_000n, ' ')
    case 'timestamp_ntz':
      return (value) => formatTimestamp(value as bigint, ' ')
    case 'binary':
      return bytesToText
    case 'array':
    case 'map':
    case 'struct':
      return nestedText(type, zone)
    default:
      return String
  }
}

/** Spark keeps bytes that are no UTF-8 inside its strings; strings here cannot. */
function bytesToText(value: Exclude<Value, null>): string {
  const text = decodeUtf8Strict(value as Uint8Array)
  if (text === undefined) throw unsupported('a string of bytes that are not UTF-8', 'use hex or base64')
  return text
}

function nestedText(type: ExpressionType, zone: Zone): (value: Exclude<Value, null>) => string {
  const inner = (of: ExpressionType): ((value: Value) => string) => {
    const text = toText(of, zone)
    return (value) => (value === null ? 'null' : text(value))
  }
  if (type.kind === 'array') {
    const element = inner(type.element)
    return (value) => `[${(value as readonly Value[]).map(element).join(', ')}]`
  }
  if (type.kind === 'map') {
    const [key, item] = [inner(type.key), inner(type.value)]
    return (value) =>
      `{${(value as readonly MapEntry[]).map((entry) => `${key(entry.key)} -> ${item(entry.value)}`).join(', ')}}`
  }
  const fields = type.kind === 'struct' ? type.fields.map((f) => inner(f.type)) : []
  return (value) => `{${fields.map((field, i) => field((value as Row)[i] ?? null)).join(', ')}}`
}
