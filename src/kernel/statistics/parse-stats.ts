/**
 * What the statistics of a file prove: record count, null counts and bounds by physical path, typed, without loss.
 *
 * Whatever is missing, malformed or of another type proves nothing and is undefined here. Source: Delta protocol,
 * "Per-file Statistics"; the spellings are those that writers are known to use.
 */
import type { DataType, DecimalType, Value } from '../../schema/index.ts'
import {
  type Decimal,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseDate,
  parseDecimal,
  parseMarkedJson,
  parseTimestamp,
  unmarked,
} from '../../support/index.ts'
import type { BoundSide } from './format-bound.ts'

/** Statistics cut timestamps to milliseconds, the maximum too. */
const CUT_MICROS = 999n
/** Decimal digits a double can change. */
const DOUBLE_DIGITS = 15

/** The statistics of one file. */
export class ParsedStats {
  /** physical rows, deleted ones included */
  readonly numRecords: bigint | undefined
  /** false: bounds enclose the live rows and may be wider; null counts mean something at 0 and at numRecords only */
  readonly tightBounds: boolean
  private readonly root: JsonObject

  /** @param root as `parseMarkedJson` gives it */
  constructor(root: JsonObject) {
    this.root = root
    this.numRecords = countOf(unmarked(root.numRecords))
    this.tightBounds = root.tightBounds !== false
  }

  nullCount(path: readonly string[]): bigint | undefined {
    return countOf(memberAt(this.root.nullCount, path))
  }

  /** A value no row is outside of on that side; undefined when none is proven. */
  bound(side: BoundSide, path: readonly string[], type: DataType): Exclude<Value, null> | undefined {
    const values = side === 'min' ? this.root.minValues : this.root.maxValues
    const json = memberAt(values, path)
    return json === undefined || json === null ? undefined : parseBound(json, type, side)
  }

  /** The bound as it stands there, which a row may pass by what its text left out. */
  stored(side: BoundSide, path: readonly string[], type: DataType): Exclude<Value, null> | undefined {
    const json = memberAt(side === 'min' ? this.root.minValues : this.root.maxValues, path)
    // the lower bound is the one that is not widened
    return json === undefined || json === null ? undefined : parseBound(json, type, 'min')
  }
}

const nothing = new ParsedStats({})

/** Reads `add.stats`. Text that is no JSON object proves nothing. */
export function parseStats(text: string | undefined): ParsedStats {
  if (text === undefined || text === '') return nothing
  try {
    const json = parseMarkedJson(text)
    return isJsonObject(json) ? new ParsedStats(json) : nothing
  } catch {
    return nothing
  }
}

function memberAt(json: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let at = json
  for (const name of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return unmarked(at)
}

function countOf(json: JsonValue | undefined): bigint | undefined {
  if (Number.isSafeInteger(json)) return (json as number) < 0 ? undefined : BigInt(json as number)
  const text = numberText(json)
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined
}

function numberText(json: JsonValue | undefined): string | undefined {
  if (typeof json === 'number') return String(json)
  return json instanceof JsonNumber ? json.text : undefined
}

function parseBound(json: JsonValue, type: DataType, side: BoundSide): Exclude<Value, null> | undefined {
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return parseInteger(json, type.kind)
    case 'float':
    case 'double':
      return parseFloating(typeof json === 'string' ? json : numberText(json), type.kind)
    case 'decimal':
      return parseScaled(typeof json === 'string' ? json : numberText(json), type)
    default:
      return typeof json === 'string' ? parseText(json, type, side) : undefined
  }
}

function parseInteger(json: JsonValue, kind: string): number | bigint | undefined {
  if (Number.isSafeInteger(json)) return kind === 'long' ? BigInt(json as number) : (json as number)
  const text = numberText(json)
  if (text === undefined || !/^-?\d{1,19}$/.test(text)) return undefined
  return kind === 'long' ? BigInt(text) : Number(text)
}

function parseFloating(text: string | undefined, kind: string): number | undefined {
  if (text === undefined) return undefined
  if (text !== 'NaN' && text !== 'Infinity' && text !== '-Infinity' && !/^-?\d/.test(text)) return undefined
  const value = Number(text)
  if (Number.isNaN(value) && text !== 'NaN') return undefined
  return kind === 'float' ? Math.fround(value) : value
}

/** A text that went through a double shows it by digits and scale, and may lie on the wrong side of the data. */
function parseScaled(text: string | undefined, type: DecimalType): Decimal | undefined {
  if (text === undefined) return undefined
  const value = parseDecimal(text)
  if (value === undefined) return undefined
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '').length
  const keepsScale = value.scale === type.scale && !/[eE]\+?\d/.test(text)
  return digits > DOUBLE_DIGITS && !keepsScale ? undefined : value
}

function parseText(text: string, type: DataType, side: BoundSide): Exclude<Value, null> | undefined {
  switch (type.kind) {
    case 'string':
      return text
    case 'date':
      return parseDate(text)
    case 'timestamp':
    case 'timestamp_ntz': {
      const parsed = parseTimestamp(text)
      if (parsed === undefined) return undefined
      if (type.kind === 'timestamp' && parsed.offsetMinutes === undefined) return undefined
      const shift = type.kind === 'timestamp' ? BigInt(parsed.offsetMinutes ?? 0) * 60_000_000n : 0n
      return parsed.micros - shift + (side === 'max' ? CUT_MICROS : 0n)
    }
    default:
      return undefined
  }
}
