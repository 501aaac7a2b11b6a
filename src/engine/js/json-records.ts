/** NDJSON as records: one JSON object a line, members by column name, blank lines passed over. */
import { causeText, isDeltaError } from '../../errors/index.ts'
import type { DataType, MapEntry, StructType, Value } from '../../schema/index.ts'
import {
  decodeBase64,
  decodeUtf8,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  printJson,
} from '../../support/index.ts'
import type { TextSource } from '../engine.ts'
import { castText, fault, RecordFault, type TextRecord } from './text-record.ts'

export async function* jsonRecords(source: TextSource): AsyncGenerator<readonly TextRecord[]> {
  for await (const chunk of source.chunks) {
    const lines = decodeUtf8(chunk).split('\n')
    yield lines
      .map(trimEnd)
      .filter(isFilled)
      .map((text) => readRecord(text, source.schema))
  }
}

function trimEnd(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function isFilled(line: string): boolean {
  return line.trim() !== ''
}

function readRecord(text: string, schema: StructType): TextRecord {
  try {
    const json = parseJson(text)
    if (!isJsonObject(json)) throw new RecordFault('it is not a JSON object')
    return { text, row: readMembers(json, schema, []) }
  } catch (error) {
    if (error instanceof RecordFault || isDeltaError(error)) return { text, row: undefined, reason: causeText(error) }
    throw error
  }
}

function readMembers(json: JsonObject, type: StructType, path: readonly string[]): Value[] {
  return type.fields.map((member) => {
    const value = Object.hasOwn(json, member.name) ? json[member.name] : null
    return readValue(value ?? null, member.type, [...path, member.name])
  })
}

function readValue(json: JsonValue, type: DataType, path: readonly string[]): Value {
  if (json === null) return null
  switch (type.kind) {
    case 'struct':
      return isJsonObject(json) ? readMembers(json, type, path) : fault(json, type, path)
    case 'array':
      if (!Array.isArray(json)) return fault(json, type, path)
      return (json as readonly JsonValue[]).map((item) => readValue(item, type.element, path))
    case 'map':
      return isJsonObject(json) ? readEntries(json, type, path) : fault(json, type, path)
    case 'string':
      return typeof json === 'string' ? json : printJson(json)
    case 'boolean':
      return typeof json === 'boolean' ? json : fromText(json, type, path)
    case 'binary':
      return (typeof json === 'string' ? decodeBase64(json) : undefined) ?? fault(json, type, path)
    case 'variant':
    case 'void':
      return fault(json, type, path)
    default:
      return fromText(json, type, path)
  }
}

/** A map is an object, its keys read from their text. */
function readEntries(json: JsonObject, type: DataType & { kind: 'map' }, path: readonly string[]): MapEntry[] {
  return Object.entries(json).map(([key, value]) => ({
    key: readValue(key, type.key, path),
    value: readValue(value ?? null, type.value, path),
  }))
}

/** Numbers, dates and times, whether they come as a number or as text; a boolean is none of them. */
function fromText(json: JsonValue, type: DataType, path: readonly string[]): Value {
  const isNumber = typeof json === 'number' || typeof json === 'bigint' || json instanceof JsonNumber
  const isTime = type.kind === 'date' || type.kind === 'timestamp' || type.kind === 'timestamp_ntz'
  if (!(typeof json === 'string' || (isNumber && !isTime))) return fault(json, type, path)
  return castText(typeof json === 'string' ? json : printJson(json), type, path)
}
