/**
 * Rows that an independent replay of the log derived, brought to the canonical form of `canonical-rows.ts`.
 *
 * They spell values as DuckDB prints them, and partition values as the log does: a timestamp with a space and with or
 * without a zone, bytes with escapes, numbers with or without quotes.
 */
import type { DataType, StructType } from '../../src/schema/index.ts'
import {
  encodeBase64,
  encodeUtf8,
  isJsonObject,
  JsonNumber,
  type JsonValue,
  parseDecimal,
  parseJson,
  rescale,
} from '../../src/support/index.ts'
import { recordedText } from './canonical-rows.ts'

/** Whether derived rows can be compared at all: of a variant they hold raw bytes. */
export function isComparable(type: DataType): boolean {
  if (type.kind === 'variant') return false
  if (type.kind === 'struct') return type.fields.every((field) => isComparable(field.type))
  if (type.kind === 'array') return isComparable(type.element)
  return type.kind === 'map' ? isComparable(type.key) && isComparable(type.value) : true
}

/** @param line one row as JSON */
export function derivedText(line: string, schema: StructType): string {
  return recordedText(canonical(parseJson(line), schema), schema)
}

function canonical(value: JsonValue | undefined, type: DataType): unknown {
  if (value === undefined || value === null) return null
  switch (type.kind) {
    case 'struct': {
      const members = isJsonObject(value) ? value : {}
      return Object.fromEntries(type.fields.map((field) => [field.name, canonical(members[field.name], field.type)]))
    }
    case 'array':
      return (value as readonly JsonValue[]).map((item) => canonical(item, type.element))
    case 'map':
      return (value as readonly { key: JsonValue; value: JsonValue }[]).map((entry) => {
        return { key: canonical(entry.key, type.key), value: canonical(entry.value, type.value) }
      })
    default:
      return scalar(value instanceof JsonNumber ? value.text : String(value), type)
  }
}

function scalar(text: string, type: DataType): unknown {
  switch (type.kind) {
    case 'boolean':
      return text === 'true'
    case 'byte':
    case 'short':
    case 'integer':
      return Number(text)
    case 'float':
    case 'double':
      return /^[-+]?(nan|inf)/i.test(text) ? notFinite(text) : Number(text)
    case 'decimal': {
      const decimal = parseDecimal(text)
      return String((decimal && rescale(decimal, type.scale)) ?? text)
    }
    case 'timestamp':
      return `${timestamp(text.replace(/(Z|\+00(:00)?)$/, ''))}Z`
    case 'timestamp_ntz':
      return timestamp(text)
    case 'binary':
      return encodeBase64(unescaped(text))
    default:
      return text
  }
}

function notFinite(text: string): string {
  if (/nan/i.test(text)) return 'NaN'
  return text.startsWith('-') ? '-Infinity' : 'Infinity'
}

function timestamp(text: string): string {
  const [day = '', time = '00:00:00'] = text.split(/[ T]/)
  const [seconds = '', fraction = ''] = time.split('.')
  return `${day}T${seconds}.${fraction.padEnd(6, '0')}`
}

function unescaped(text: string): Uint8Array {
  const bytes: number[] = []
  for (const [part] of text.matchAll(/\\x[0-9a-fA-F]{2}|./gsu)) {
    if (part.startsWith('\\x') && part.length === 4) bytes.push(Number.parseInt(part.slice(2), 16))
    else bytes.push(...encodeUtf8(part))
  }
  return Uint8Array.from(bytes)
}
