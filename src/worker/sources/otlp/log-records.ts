/** Log records out of an export request of OTLP, each one object with all that its resource and scope say of it. */
import { foldCase } from '../../../schema/index.ts'
import {
  formatTimestamp,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  printJson,
} from '../../../support/index.ts'
import type { RecordType, StructRecord } from '../../records/record-type.ts'
import { MessageFault } from './protobuf.ts'

const NANOS_PER_MICRO = 1000n
const MAX_DEPTH = 64

/**
 * @param request as the JSON mapping of OTLP spells it; 64-bit numbers as digits in a text or as numbers
 * @returns records in order, with no field but those the record type has
 * @throws MessageFault where it is no such request
 */
export function* logRecordsOf(request: JsonValue, record: StructRecord): Generator<JsonObject> {
  const types = new Map(record.fields.map(({ name, type }) => [foldCase(name), { name, type }]))
  const chosen = (fields: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => {
        const column = types.get(foldCase(name))
        return column === undefined || value === undefined ? [] : [[column.name, fitted(value, column.type)]]
      }),
    )
  for (const ofResource of objects(objectOf(request, 'the body'), 'resourceLogs')) {
    const about = {
      resource: attributesOf(member(ofResource, 'resource'), 'attributes'),
      resourceSchemaUrl: textOrNull(ofResource, 'schemaUrl'),
    }
    for (const ofScope of objects(ofResource, 'scopeLogs')) {
      const inScope = { ...about, ...scopeFields(ofScope) }
      for (const log of objects(ofScope, 'logRecords')) yield chosen({ ...recordFields(log), ...inScope })
    }
  }
}

function scopeFields(ofScope: JsonObject): JsonObject {
  const scope = member(ofScope, 'scope')
  return {
    scopeName: textOrNull(scope, 'name'),
    scopeVersion: textOrNull(scope, 'version'),
    scopeAttributes: attributesOf(scope, 'attributes'),
    scopeSchemaUrl: textOrNull(ofScope, 'schemaUrl'),
  }
}

/** A number that is 0 where it stands for nothing, and a text that is empty, are null. */
function recordFields(log: JsonObject): JsonObject {
  const nanos = integerOf(log, 'timeUnixNano') || null
  const observed = integerOf(log, 'observedTimeUnixNano') || null
  const at = nanos ?? observed
  return {
    time: at === null ? null : `${formatTimestamp(at / NANOS_PER_MICRO)}Z`,
    timeUnixNano: nanos,
    observedTimeUnixNano: observed,
    severityNumber: integerOf(log, 'severityNumber') || null,
    severityText: textOrNull(log, 'severityText'),
    body: log.body === undefined || log.body === null ? null : anyValueOf(log.body, 'body', 0),
    attributes: attributesOf(log, 'attributes'),
    droppedAttributesCount: integerOf(log, 'droppedAttributesCount'),
    flags: integerOf(log, 'flags'),
    traceId: textOrNull(log, 'traceId')?.toLowerCase() ?? null,
    spanId: textOrNull(log, 'spanId')?.toLowerCase() ?? null,
    eventName: textOrNull(log, 'eventName'),
  }
}

/** @throws MessageFault where a key is there twice: one of the values would be lost */
function attributesOf(holder: JsonObject, name: string, depth = 0): JsonObject {
  const values = new Map<string, JsonValue>()
  for (const entry of objects(holder, name)) {
    const key = entry.key ?? ''
    if (typeof key !== 'string') throw new MessageFault(`a key of ${name} is no text`)
    if (values.has(key)) throw new MessageFault(`${name} has the key ${JSON.stringify(key)} twice`)
    const { value } = entry
    values.set(key, value === undefined || value === null ? null : anyValueOf(value, key, depth))
  }
  return Object.fromEntries(values)
}

/** What an AnyValue holds. */
function anyValueOf(value: JsonValue, name: string, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw new MessageFault(`values are nested more than ${MAX_DEPTH} deep`)
  const any = objectOf(value, name)
  if (any.intValue !== undefined) return integerOf(any, 'intValue')
  if (any.arrayValue !== undefined) {
    return objects(member(any, 'arrayValue'), 'values').map((item) => anyValueOf(item, name, depth + 1))
  }
  if (any.kvlistValue !== undefined) return attributesOf(member(any, 'kvlistValue'), 'values', depth + 1)
  return any.stringValue ?? any.boolValue ?? any.doubleValue ?? any.bytesValue ?? null
}

/** A value that a text column takes is its text: that of a text itself, else JSON. */
function fitted(value: JsonValue, type: RecordType): JsonValue {
  if (value === null) return null
  if (type.kind === 'string') return typeof value === 'string' ? value : printJson(value)
  if (type.kind === 'list' && Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => fitted(item, type.element))
  }
  if (!isJsonObject(value) || (type.kind !== 'map' && type.kind !== 'struct')) return value
  const members = Object.entries(value).map(([key, inner = null]) => {
    if (type.kind === 'map') return [key, fitted(inner, type.value)] as const
    const field = type.fields.find(({ name }) => foldCase(name) === foldCase(key))
    return [key, field === undefined ? inner : fitted(inner, field.type)] as const
  })
  return Object.fromEntries(members)
}

function objectOf(value: JsonValue, name: string): JsonObject {
  if (!isJsonObject(value)) throw new MessageFault(`${name} is not an object`)
  return value
}

function member(holder: JsonObject, name: string): JsonObject {
  return objectOf(holder[name] ?? {}, name)
}

function objects(holder: JsonObject, name: string): readonly JsonObject[] {
  const list = holder[name] ?? []
  if (!Array.isArray(list)) throw new MessageFault(`${name} is not a list`)
  return (list as readonly JsonValue[]).map((item) => objectOf(item, `an element of ${name}`))
}

function textOrNull(holder: JsonObject, name: string): string | null {
  const text = holder[name] ?? ''
  if (typeof text !== 'string') throw new MessageFault(`${name} is not a text`)
  return text === '' ? null : text
}

function integerOf(holder: JsonObject, name: string): bigint {
  const value = holder[name] ?? 0
  const digits = value instanceof JsonNumber ? value.text : typeof value === 'object' ? '' : String(value)
  if (!/^-?\d{1,20}$/.test(digits)) throw new MessageFault(`${name} is not a whole number`)
  return BigInt(digits)
}
