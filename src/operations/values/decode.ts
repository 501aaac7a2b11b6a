/**
 * Rows of this package become objects for a program.
 *
 * `exact` loses nothing: long is bigint, decimal its text, date and timestamps ISO texts to the microsecond, binary
 * `Uint8Array`, map an array of `{ key, value }`. `js` is convenient and lossy, by name: long and decimal are numbers,
 * dates and timestamps `Date`, maps `Map`.
 */
import type { DataType, MapEntry, Row, StructType, Value, Variant } from '../../schema/index.ts'
import { valueToText, variantToJson } from '../../schema/index.ts'
import { isJsonObject, JsonNumber, type JsonValue, parseJson } from '../../support/index.ts'

export type RowForm = 'exact' | 'js'

/** A row as a program sees it: one own property a column, in schema order. */
export type RowObject = Record<string, unknown>

type Decode = (value: Value) => unknown

/** Makes the function that turns a row of a schema into an object. */
export function rowDecoder(schema: StructType, form: RowForm = 'exact'): (row: Row) => RowObject {
  const decode = structDecoder(schema, form)
  return (row) => decode(row) as RowObject
}

function decoderOf(type: DataType, form: RowForm): Decode {
  const decode = form === 'js' ? (lossyDecoder(type) ?? exactDecoder(type, form)) : exactDecoder(type, form)
  return (value) => (value === null ? null : decode(value))
}

function exactDecoder(type: DataType, form: RowForm): Decode {
  switch (type.kind) {
    case 'decimal':
      return (value) => String(value)
    case 'date':
    case 'timestamp':
    case 'timestamp_ntz':
      return (value) => valueToText(value as number | bigint, type)
    case 'struct':
      return structDecoder(type, form)
    case 'array': {
      const element = decoderOf(type.element, form)
      return (value) => (value as readonly Value[]).map(element)
    }
    case 'map': {
      const key = decoderOf(type.key, form)
      const item = decoderOf(type.value, form)
      return (value) =>
        (value as readonly MapEntry[]).map((entry) => ({ key: key(entry.key), value: item(entry.value) }))
    }
    case 'variant':
      return (value) => plainJson(parseJson(variantToJson(value as Variant)))
    default:
      return (value) => value
  }
}

function lossyDecoder(type: DataType): Decode | undefined {
  switch (type.kind) {
    case 'long':
    case 'decimal':
      return (value) => Number(String(value))
    case 'date':
      return (value) => new Date((value as number) * 86_400_000)
    case 'timestamp':
    case 'timestamp_ntz':
      return (value) => new Date(Number((value as bigint) / 1000n))
    case 'map': {
      const key = decoderOf(type.key, 'js')
      const item = decoderOf(type.value, 'js')
      return (value) => new Map((value as readonly MapEntry[]).map((entry) => [key(entry.key), item(entry.value)]))
    }
    default:
      return undefined
  }
}

function structDecoder(type: StructType, form: RowForm): Decode {
  const members = type.fields.map((f) => ({ name: f.name, decode: decoderOf(f.type, form) }))
  return (row) => {
    const object: RowObject = {}
    members.forEach(({ name, decode }, i) => {
      setMember(object, name, decode((row as Row)[i] ?? null))
    })
    return object
  }
}

/** Plain assignment to `__proto__` would change the prototype instead of adding a member. */
function setMember(object: RowObject, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

/** Numbers a double holds as numbers, longer whole ones as bigint, other longer ones as their text. */
function plainJson(json: JsonValue): unknown {
  if (json instanceof JsonNumber) {
    if (String(Number(json.text)) === json.text) return Number(json.text)
    return /^-?\d+$/.test(json.text) ? BigInt(json.text) : json.text
  }
  if (Array.isArray(json)) return json.map(plainJson)
  if (!isJsonObject(json)) return json
  const object: RowObject = {}
  for (const [name, value] of Object.entries(json)) setMember(object, name, plainJson(value ?? null))
  return object
}
