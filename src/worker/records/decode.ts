/**
 * Records as values: what a JSON value or a CSV field means for a record type, and why it does not fit.
 *
 * Nothing is rounded, cut or wrapped: a number that the type cannot hold refuses the record. A text holding exactly a
 * value of the type passes for it, since CSV has nothing else and JSON producers quote what a double would lose.
 */
import { isIP } from 'node:net'
import type { Row, Value } from '../../schema/index.ts'
import {
  Decimal,
  decodeBase64,
  fitsPrecision,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseDate,
  parseDecimal,
  parseTimestamp,
  printJson,
  rescale,
} from '../../support/index.ts'
import { formatRecordType, type RecordType, type StructRecord } from './record-type.ts'

/** Why a record is refused: one sentence naming the field. */
export class RecordFault extends Error {}

/**
 * The values of a record, in the order of its fields; a field it lacks is null, one not declared is passed over.
 *
 * @throws RecordFault
 */
export function decodeRecord(json: JsonValue, record: StructRecord): Row {
  if (!isJsonObject(json)) throw new RecordFault('the record is not a JSON object')
  return record.fields.map(({ name, type }) => decodeValue(member(json, name), type, name))
}

function member(json: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(json, name) ? json[name] : undefined
}

const INTEGER_RANGE: ReadonlyMap<string, readonly [bigint, bigint]> = new Map([
  ['i8', [-128n, 127n]],
  ['i16', [-32_768n, 32_767n]],
  ['i32', [-2_147_483_648n, 2_147_483_647n]],
  ['i64', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['duration', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['u8', [0n, 255n]],
  ['u16', [0n, 65_535n]],
  ['u32', [0n, 4_294_967_295n]],
  ['u64', [0n, 2n ** 64n - 1n]],
])

/**
 * @param path the field, for the sentence of a refusal
 * @throws RecordFault
 */
export function decodeValue(json: JsonValue | undefined, type: RecordType, path: string): Value {
  if (json === undefined || json === null) return null
  switch (type.kind) {
    case 'struct':
      if (!isJsonObject(json)) refuse(json, type, path)
      return type.fields.map((f) => decodeValue(member(json, f.name), f.type, `${path}.${f.name}`))
    case 'list':
      if (!Array.isArray(json)) refuse(json, type, path)
      return (json as readonly JsonValue[]).map((item, i) => decodeValue(item, type.element, `${path}[${i}]`))
    case 'map':
      return decodeMap(json, type.value, path)
    case 'json':
      return printJson(json)
    case 'null':
      return refuse(json, type, path)
    default:
      return decodeScalar(json, type, path)
  }
}

/** An object, or the list of `{"key","value"}` that this package prints maps as. */
function decodeMap(json: JsonValue, valueType: RecordType, path: string): Value {
  if (isJsonObject(json)) {
    return Object.entries(json).map(([key, v]) => ({ key, value: decodeValue(v, valueType, `${path}.${key}`) }))
  }
  if (!Array.isArray(json)) refuse(json, { kind: 'map', value: valueType }, path)
  const keys = new Set<string>()
  return (json as readonly JsonValue[]).map((entry, i) => {
    const key = isJsonObject(entry) ? entry.key : undefined
    if (!isJsonObject(entry) || typeof key !== 'string' || keys.has(key)) {
      throw new RecordFault(`${path}[${i}] is ${show(entry)}, and an entry of a map is a key of its own and a value`)
    }
    keys.add(key)
    return { key, value: decodeValue(entry.value, valueType, `${path}.${key}`) }
  })
}

function decodeScalar(json: JsonValue, type: RecordType, path: string): Value {
  if (typeof json === 'object') {
    if (!(json instanceof JsonNumber)) return type.kind === 'string' ? printJson(json) : refuse(json, type, path)
    return scalarFromText(json.text, type) ?? refuse(json, type, path)
  }
  if (typeof json === 'boolean') {
    if (type.kind === 'bool') return json
    return type.kind === 'string' ? String(json) : refuse(json, type, path)
  }
  if (typeof json === 'string') return scalarFromText(json, type) ?? refuse(json, type, path)
  const isClock = type.kind === 'date' || type.kind === 'timestamp' || type.kind === 'local timestamp'
  return isClock ? refuse(json, type, path) : (scalarFromText(String(json), type) ?? refuse(json, type, path))
}

/** @returns undefined where the text is no value of the type */
export function scalarFromText(text: string, type: RecordType): Exclude<Value, null> | undefined {
  switch (type.kind) {
    case 'string':
      return text
    case 'bool':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined
    case 'f32':
    case 'f64':
      return floatFromText(text, type.kind)
    case 'decimal':
      return decimalFromText(text, type.precision, type.scale)
    case 'bytes':
      return decodeBase64(text)
    case 'date':
      return parseDate(text)
    case 'timestamp':
    case 'local timestamp':
      return timestampFromText(text, type.kind)
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined
    case 'ip':
      return isIP(text) > 0 ? text : undefined
    default:
      return integerFromText(text, type.kind)
  }
}

function floatFromText(text: string, kind: 'f32' | 'f64'): number | undefined {
  if (/^(NaN|-?Infinity)$/.test(text)) return Number(text)
  if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text)) return undefined
  const value = kind === 'f32' ? Math.fround(Number(text)) : Number(text)
  return Number.isFinite(value) ? value : undefined
}

function decimalFromText(text: string, precision: number, scale: number): Decimal | undefined {
  const value = parseDecimal(text)
  if (value === undefined) return undefined
  const scaled = rescale(value, scale)
  const isSame = value.scale <= scale || rescale(scaled, value.scale).unscaled === value.unscaled
  return isSame && fitsPrecision(scaled.unscaled, precision) ? scaled : undefined
}

function timestampFromText(text: string, kind: 'timestamp' | 'local timestamp'): bigint | undefined {
  const parsed = parseTimestamp(text)
  if (parsed === undefined) return undefined
  if (kind === 'local timestamp') return parsed.offsetMinutes === undefined ? parsed.micros : undefined
  return parsed.micros - BigInt(parsed.offsetMinutes ?? 0) * 60_000_000n
}

function integerFromText(text: string, kind: string): number | bigint | Decimal | undefined {
  const range = INTEGER_RANGE.get(kind)
  if (range === undefined) return undefined
  const whole = /^[-+]?\d{1,40}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (whole === undefined || whole < range[0] || whole > range[1]) return undefined
  if (kind === 'u64') return new Decimal(whole, 0)
  return kind === 'i64' || kind === 'duration' || kind === 'u32' ? whole : Number(whole)
}

function refuse(json: JsonValue, type: RecordType, path: string): never {
  throw new RecordFault(`${path} is ${show(json)}, and the record has ${formatRecordType(type)} there`)
}

function show(json: JsonValue): string {
  const text = printJson(json)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
