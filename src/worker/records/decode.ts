/**
 * Records as values: what a JSON value or a CSV field means for a record type, and why it does not fit.
 *
 * The rule for JSON is the engine's (`readJsonRecord`), so that a record means the same whichever way it takes: nothing is
 * rounded, cut, wrapped or turned into a text. A JSON text stands for a type that JSON has no form for and for a number
 * that a double would lose; CSV has nothing but texts, and there it stands for a value of any type.
 */
import { isIP } from 'node:net'
import { scalarFromText, UnknownFields } from '../../engine/index.ts'
import { decimalType, foldCase, type Row, type Value } from '../../schema/index.ts'
import {
  type Decimal,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  printJson,
} from '../../support/index.ts'
import { formatRecordType, type RecordType, type StructRecord, tableTypeOf } from './record-type.ts'

/** Why a record is refused: one sentence naming the field. */
export class RecordFault extends Error {}

/**
 * The values of a record, in the order of its fields; a field it lacks is null.
 *
 * @param unknown told of every field that is not declared
 * @throws RecordFault
 */
export function decodeRecord(json: JsonValue, record: StructRecord, unknown = new UnknownFields()): Row {
  if (!isJsonObject(json)) throw new RecordFault('the record is not a JSON object')
  return decodeStruct(json, record, '', unknown)
}

/** Members are found by exact spelling, then without regard to case. */
function decodeStruct(json: JsonObject, { fields }: StructRecord, prefix: string, unknown: UnknownFields): Row {
  const row = new Array<Value>(fields.length).fill(null)
  const seen = new Set<number>()
  for (const [name, value] of Object.entries(json)) {
    const index = findMember(fields, name)
    if (index < 0) {
      unknown.meet(`${prefix}${name}`)
      continue
    }
    const { name: own, type } = fields[index]!
    if (seen.has(index)) throw new RecordFault(`${prefix}${own} is there twice`)
    seen.add(index)
    row[index] = decodeValue(value, type, `${prefix}${own}`, unknown)
  }
  return row
}

function findMember(fields: StructRecord['fields'], name: string): number {
  const exact = fields.findIndex((f) => f.name === name)
  if (exact >= 0) return exact
  const folded = foldCase(name)
  return fields.findIndex((f) => foldCase(f.name) === folded)
}

const UNSIGNED_RANGE: ReadonlyMap<string, bigint> = new Map([
  ['u8', 255n],
  ['u16', 65_535n],
  ['u32', 4_294_967_295n],
  ['u64', 2n ** 64n - 1n],
])

/**
 * @param path the field, for the sentence of a refusal
 * @throws RecordFault
 */
export function decodeValue(
  json: JsonValue | undefined,
  type: RecordType,
  path: string,
  unknown = new UnknownFields(),
): Value {
  if (json === undefined || json === null) return null
  switch (type.kind) {
    case 'struct':
      if (!isJsonObject(json)) refuse(json, type, path)
      return decodeStruct(json as JsonObject, type, `${path}.`, unknown)
    case 'list':
      if (!Array.isArray(json)) refuse(json, type, path)
      return (json as readonly JsonValue[]).map((item, i) => decodeValue(item, type.element, `${path}[${i}]`, unknown))
    case 'map':
      return decodeMap(json, type.value, path, unknown)
    case 'json':
      return printJson(json)
    case 'null':
      return refuse(json, type, path)
    default:
      return decodeScalar(json, type, path)
  }
}

/** An object, or the list of `{"key","value"}` that this package prints maps as. */
function decodeMap(json: JsonValue, valueType: RecordType, path: string, unknown: UnknownFields): Value {
  if (isJsonObject(json)) {
    return Object.entries(json).map(([key, v]) => ({
      key,
      value: decodeValue(v, valueType, `${path}.${key}`, unknown),
    }))
  }
  if (!Array.isArray(json)) refuse(json, { kind: 'map', value: valueType }, path)
  const keys = new Set<string>()
  return (json as readonly JsonValue[]).map((entry, i) => {
    const key = isJsonObject(entry) ? entry.key : undefined
    if (!isJsonObject(entry) || typeof key !== 'string' || keys.has(key)) {
      throw new RecordFault(`${path}[${i}] is ${show(entry)}, and an entry of a map is a key of its own and a value`)
    }
    keys.add(key)
    return { key, value: decodeValue(entry.value, valueType, `${path}.${key}`, unknown) }
  })
}

function decodeScalar(json: JsonValue, type: RecordType, path: string): Value {
  return scalarFromJson(json, type) ?? refuse(json, type, path)
}

const NUMBERS: ReadonlySet<string> = new Set([
  ...['i8', 'i16', 'i32', 'i64', 'duration', 'f32', 'f64', 'decimal'],
  ...UNSIGNED_RANGE.keys(),
])
/** Numbers that a double may lose: producers quote them. */
const WIDE_NUMBERS: ReadonlySet<string> = new Set(['i64', 'u64', 'duration', 'decimal'])

function scalarFromJson(json: JsonValue, type: RecordType): Exclude<Value, null> | undefined {
  if (typeof json === 'string') {
    if (type.kind === 'bool' || (NUMBERS.has(type.kind) && !mayBeQuoted(json, type))) return undefined
    return valueFromText(json, type)
  }
  if (typeof json === 'boolean') return type.kind === 'bool' ? json : undefined
  const number = typeof json === 'number' ? String(json) : json instanceof JsonNumber ? json.text : undefined
  return number === undefined || !NUMBERS.has(type.kind) ? undefined : valueFromText(number, type)
}

/** Of the floating numbers those that JSON cannot write. */
function mayBeQuoted(text: string, { kind }: RecordType): boolean {
  return WIDE_NUMBERS.has(kind) || ((kind === 'f32' || kind === 'f64') && !/\d/.test(text))
}

/**
 * A field of CSV.
 *
 * @throws RecordFault
 */
export function decodeText(text: string, type: RecordType, path: string): Value {
  return valueFromText(text, type) ?? refuse(text, type, path)
}

/** @returns undefined where the text is no value of the type */
function valueFromText(text: string, type: RecordType): Exclude<Value, null> | undefined {
  const range = UNSIGNED_RANGE.get(type.kind)
  if (range !== undefined) return unsignedFromText(text, type.kind, range)
  switch (type.kind) {
    case 'string':
      return text
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined
    case 'ip':
      return isIP(text) > 0 ? text : undefined
    default: {
      const tableType = tableTypeOf(type)
      return tableType === undefined ? undefined : scalarFromText(text, tableType)
    }
  }
}

function unsignedFromText(text: string, kind: string, max: bigint): number | bigint | Decimal | undefined {
  const whole = scalarFromText(text, decimalType(38, 0)) as Decimal | undefined
  if (whole === undefined || whole.unscaled < 0n || whole.unscaled > max) return undefined
  if (kind === 'u64') return whole
  return kind === 'u32' ? whole.unscaled : Number(whole.unscaled)
}

function refuse(json: JsonValue, type: RecordType, path: string): never {
  throw new RecordFault(`${path} is ${show(json)}, and the record has ${formatRecordType(type)} there`)
}

function show(json: JsonValue): string {
  const text = printJson(json)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
