/**
 * JSON-like values as variants, as the reference's `parse_json` makes them.
 *
 * Whole numbers take the fewest bytes, fractions written out are decimals of up to 38 digits, every other number is a
 * double. Members of an object are sorted by name, names are kept once. All numbers are little-endian.
 * Source: Parquet, "Variant Binary Encoding".
 */
import { compareText, Decimal, encodeUtf8, JsonNumber, parseDecimal } from '../support/index.ts'
import { Variant } from './value.ts'

/** What a variant can be made of. */
export type VariantInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonNumber
  | Decimal
  | Uint8Array
  | Date
  | readonly VariantInput[]
  | { readonly [name: string]: VariantInput | undefined }

/** Bytes of a variant; readers refuse longer ones. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_DEPTH = 500
const SHORT_TEXT = 64

const PRIMITIVE = {
  null: 0,
  true: 1,
  false: 2,
  int8: 3,
  int16: 4,
  int32: 5,
  int64: 6,
  double: 7,
  decimal4: 8,
  decimal8: 9,
  decimal16: 10,
  timestamp: 12,
  binary: 15,
  text: 16,
} as const

/**
 * @returns the variant, or in words why the value is none: it is too large, nested too deeply, or of another kind
 */
export function variantOf(input: unknown): Variant | string {
  const names = new Names()
  try {
    const value = concat(encode(input, names, 0))
    return value.length > MAX_BYTES ? 'it takes more than 16 MiB' : new Variant(names.metadata(), value)
  } catch (error) {
    if (error instanceof VariantFault) return error.message
    throw error
  }
}

class VariantFault extends Error {}

/** The names of members, each with the id it was given when it was met first. */
class Names {
  private readonly ids = new Map<string, number>()

  idOf(name: string): number {
    const known = this.ids.get(name)
    if (known !== undefined) return known
    this.ids.set(name, this.ids.size)
    return this.ids.size - 1
  }

  metadata(): Uint8Array {
    const texts = [...this.ids.keys()].map((name) => encodeUtf8(name))
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    const width = widthOf(Math.max(length, texts.length))
    const header = 1 | ((width - 1) << 6)
    return concat([
      Uint8Array.of(header),
      unsigned(texts.length, width),
      ...offsetsOf(texts).map((at) => unsigned(at, width)),
      ...texts,
    ])
  }
}

type Parts = readonly Uint8Array[]

function encode(input: unknown, names: Names, depth: number): Parts {
  if (depth > MAX_DEPTH) throw new VariantFault(`it is nested more than ${MAX_DEPTH} levels deep`)
  if (input === null || input === undefined) return primitive(PRIMITIVE.null)
  if (typeof input === 'boolean') return primitive(input ? PRIMITIVE.true : PRIMITIVE.false)
  if (typeof input === 'string') return textParts(encodeUtf8(input))
  if (typeof input === 'bigint') return wholeParts(input)
  if (typeof input === 'number') return numberParts(input)
  if (input instanceof JsonNumber) return jsonNumberParts(input.text)
  if (input instanceof Decimal) return decimalParts(input) ?? doubleParts(Number(input.toString()))
  if (input instanceof Uint8Array) return primitive(PRIMITIVE.binary, unsigned(input.length, 4), input)
  if (input instanceof Date) return primitive(PRIMITIVE.timestamp, signed(BigInt(dateMs(input)) * 1000n, 8))
  if (Array.isArray(input)) return arrayParts(input, names, depth)
  if (typeof input === 'object' && !(input instanceof Map) && !ArrayBuffer.isView(input)) {
    return objectParts(input as Readonly<Record<string, unknown>>, names, depth)
  }
  throw new VariantFault(`${input instanceof Map ? 'a Map' : `a ${typeof input}`} has no place in a variant`)
}

function dateMs(date: Date): number {
  const ms = date.getTime()
  if (Number.isNaN(ms)) throw new VariantFault('it holds an invalid Date')
  return ms
}

function primitive(id: number, ...parts: Parts): Parts {
  return [Uint8Array.of(id << 2), ...parts]
}

function textParts(bytes: Uint8Array): Parts {
  if (bytes.length < SHORT_TEXT) return [Uint8Array.of((bytes.length << 2) | 1), bytes]
  return primitive(PRIMITIVE.text, unsigned(bytes.length, 4), bytes)
}

function numberParts(value: number): Parts {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? wholeParts(BigInt(value)) : doubleParts(value)
}

/** A number of JSON text that a double might change. */
function jsonNumberParts(text: string): Parts {
  if (/^-?\d+$/.test(text)) return wholeParts(BigInt(text))
  const decimal = /^-?\d+\.\d+$/.test(text) ? parseDecimal(text) : undefined
  return (decimal && decimalParts(decimal)) ?? doubleParts(Number(text))
}

const WIDTHS = [
  [PRIMITIVE.int8, 1],
  [PRIMITIVE.int16, 2],
  [PRIMITIVE.int32, 4],
  [PRIMITIVE.int64, 8],
] as const

function wholeParts(value: bigint): Parts {
  const fitting = WIDTHS.find(([, bytes]) => BigInt.asIntN(bytes * 8, value) === value)
  if (fitting !== undefined) return primitive(fitting[0], signed(value, fitting[1]))
  return decimalParts(new Decimal(value, 0)) ?? doubleParts(Number(value))
}

function doubleParts(value: number): Parts {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setFloat64(0, value, true)
  return primitive(PRIMITIVE.double, bytes)
}

/** @returns undefined where it has more than 38 digits */
function decimalParts({ unscaled, scale }: Decimal): Parts | undefined {
  const digits = Math.max(String(unscaled < 0n ? -unscaled : unscaled).length, scale)
  if (digits > 38) return undefined
  const [id, bytes] =
    digits <= 9
      ? [PRIMITIVE.decimal4, 4]
      : digits <= 18
        ? [PRIMITIVE.decimal8, 8]
        : ([PRIMITIVE.decimal16, 16] as const)
  return primitive(id, Uint8Array.of(scale), signed(unscaled, bytes))
}

function arrayParts(items: readonly unknown[], names: Names, depth: number): Parts {
  const values = items.map((item) => concat(encode(item, names, depth + 1)))
  const offsets = offsetsOf(values)
  const width = widthOf(offsets.at(-1)!)
  const large = values.length > 255
  const header = ((large ? 1 : 0) << 2) | (width - 1)
  return [
    Uint8Array.of((header << 2) | 3),
    unsigned(values.length, large ? 4 : 1),
    ...offsets.map((at) => unsigned(at, width)),
    ...values,
  ]
}

function objectParts(object: Readonly<Record<string, unknown>>, names: Names, depth: number): Parts {
  const members = Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .map((name) => ({ name, id: names.idOf(name), value: concat(encode(object[name], names, depth + 1)) }))
    .sort((a, b) => compareText(a.name, b.name))
  const offsets = offsetsOf(members.map(({ value }) => value))
  const width = widthOf(offsets.at(-1)!)
  const idWidth = widthOf(members.reduce((most, { id }) => Math.max(most, id), 0))
  const large = members.length > 255
  const header = ((large ? 1 : 0) << 4) | ((idWidth - 1) << 2) | (width - 1)
  return [
    Uint8Array.of((header << 2) | 2),
    unsigned(members.length, large ? 4 : 1),
    ...members.map(({ id }) => unsigned(id, idWidth)),
    ...offsets.map((at) => unsigned(at, width)),
    ...members.map(({ value }) => value),
  ]
}

/** Where each part begins, and where the last one ends. */
function offsetsOf(parts: Parts): number[] {
  const offsets = [0]
  for (const part of parts) offsets.push(offsets.at(-1)! + part.length)
  return offsets
}

function widthOf(largest: number): number {
  if (largest > MAX_BYTES) throw new VariantFault('it takes more than 16 MiB')
  return largest < 256 ? 1 : largest < 65_536 ? 2 : largest < 16_777_216 ? 3 : 4
}

function unsigned(value: number, bytes: number): Uint8Array {
  return signed(BigInt(value), bytes)
}

function signed(value: bigint, length: number): Uint8Array {
  let rest = BigInt.asUintN(length * 8, value)
  return Uint8Array.from({ length }, () => {
    const byte = Number(rest & 255n)
    rest >>= 8n
    return byte
  })
}

function concat(parts: Parts): Uint8Array {
  const [first] = parts
  if (parts.length === 1) return first!
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
