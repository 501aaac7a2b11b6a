/**
 * Rows in the canonical form of the recordings, from our values and from recorded JSON, as comparable texts.
 *
 * Longs and decimals are texts of digits, times carry six digits, maps are entries ordered by their keys' text.
 */
import type { DataType, MapEntry, Row, StructType, Value, Variant } from '../../src/schema/index.ts'
import { variantToJson } from '../../src/schema/index.ts'
import {
  civilFromDays,
  encodeBase64,
  floorDiv,
  MICROS_PER_DAY,
  parseDecimal,
  rescale,
} from '../../src/support/index.ts'

/** One of our rows. */
export function rowText(row: Row, schema: StructType): string {
  return valueText([...row], schema)
}

/** One recorded row, read by the same schema. */
export function recordedText(row: unknown, schema: StructType): string {
  return jsonText(row, schema)
}

function valueText(value: Value, type: DataType): string {
  if (value === null) return 'null'
  switch (type.kind) {
    case 'long':
    case 'decimal':
      return JSON.stringify(String(value))
    case 'float':
      return numberText(Math.fround(value as number))
    case 'double':
      return numberText(value as number)
    case 'binary':
      return JSON.stringify(encodeBase64(value as Uint8Array))
    case 'date':
      return JSON.stringify(dateText(value as number))
    case 'timestamp':
      return JSON.stringify(`${microsText(value as bigint)}Z`)
    case 'timestamp_ntz':
      return JSON.stringify(microsText(value as bigint))
    case 'variant':
      return variantText(variantToJson(value as Variant))
    case 'array':
      return `[${(value as readonly Value[]).map((item) => valueText(item, type.element)).join(',')}]`
    case 'map': {
      const entries = (value as readonly MapEntry[]).map((entry) => {
        return { key: valueText(entry.key, type.key), value: valueText(entry.value, type.value) }
      })
      return mapText(entries)
    }
    case 'struct':
      return `{${type.fields.map((f, i) => `${JSON.stringify(f.name)}:${valueText((value as Row)[i]!, f.type)}`).join(',')}}`
    default:
      return JSON.stringify(value)
  }
}

function jsonText(value: unknown, type: DataType): string {
  if (value === null || value === undefined) return 'null'
  switch (type.kind) {
    case 'float':
      return typeof value === 'number' ? numberText(Math.fround(value)) : JSON.stringify(value)
    case 'double':
      return typeof value === 'number' ? numberText(value) : JSON.stringify(value)
    case 'variant':
      return variantText(value as string)
    case 'array':
      return `[${(value as readonly unknown[]).map((item) => jsonText(item, type.element)).join(',')}]`
    case 'map': {
      const entries = (value as readonly { key: unknown; value: unknown }[]).map((entry) => {
        return { key: jsonText(entry.key, type.key), value: jsonText(entry.value, type.value) }
      })
      return mapText(entries)
    }
    case 'struct': {
      const members = value as Readonly<Record<string, unknown>>
      return `{${type.fields.map((f) => `${JSON.stringify(f.name)}:${jsonText(members[f.name], f.type)}`).join(',')}}`
    }
    case 'decimal':
      return JSON.stringify(decimalText(value as string, type.scale))
    default:
      return JSON.stringify(value)
  }
}

/** Small decimals are recorded with more digits than their scale. */
function decimalText(text: string, scale: number): string {
  const decimal = parseDecimal(text)
  const scaled = decimal && rescale(decimal, scale)
  return scaled === undefined ? text : String(scaled)
}

function mapText(entries: readonly { readonly key: string; readonly value: string }[]): string {
  const texts = entries.map(({ key, value }) => `{"key":${key},"value":${value}}`)
  return `[${texts.sort().join(',')}]`
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return JSON.stringify(String(value))
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Two texts of one variant may differ in how numbers are spelt. */
function variantText(json: string): string {
  return JSON.stringify(JSON.parse(json))
}

function dateText(days: number): string {
  const { year, month, day } = civilFromDays(days)
  const sign = year < 0 ? '-' : year > 9999 ? '+' : ''
  return `${sign}${pad(Math.abs(year), 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

function microsText(micros: bigint): string {
  const days = floorDiv(micros, MICROS_PER_DAY)
  const rest = Number(micros - days * MICROS_PER_DAY)
  const seconds = Math.floor(rest / 1_000_000)
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((n) => pad(n, 2))
  return `${dateText(Number(days))}T${time.join(':')}.${pad(rest % 1_000_000, 6)}`
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
