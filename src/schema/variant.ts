/**
 * Variant values as JSON text.
 *
 * All numbers are little-endian. Object keys keep their stored order, decimals lose trailing zeros, floats and doubles
 * are their shortest text; dates, base64 binary and timestamps are strings. Source: Parquet, "Variant Binary Encoding".
 */
import { deltaError } from '../errors/index.ts'
import { Decimal, decodeUtf8, encodeBase64, encodeHex, formatDate, formatTimestamp } from '../support/index.ts'
import type { Variant } from './value.ts'

/**
 * The JSON text of a variant; a variant null is `null`.
 *
 * @throws DeltaError `MALFORMED_VARIANT` when the bytes are not a variant
 */
export function variantToJson(variant: Variant): string {
  try {
    const names = readNames(variant.metadata)
    return new VariantPrinter(variant.value, names).print(0, 0)
  } catch (cause) {
    if (cause instanceof RangeError) throw deltaError('MALFORMED_VARIANT', {}, { cause })
    throw cause
  }
}

function readNames(metadata: Uint8Array): readonly string[] {
  const view = viewOf(metadata)
  const header = view.getUint8(0)
  if ((header & 0x0f) !== 1) throw deltaError('MALFORMED_VARIANT', {})
  const width = (header >> 6) + 1
  const count = readUnsigned(view, 1, width)
  const start = 1 + width * (count + 2)
  if (start > metadata.length) throw new RangeError('names')
  const offset = (i: number) => start + readUnsigned(view, 1 + width * (i + 1), width)
  return Array.from({ length: count }, (_, i) => decodeUtf8(metadata.subarray(offset(i), offset(i + 1))))
}

const MAX_DEPTH = 500

class VariantPrinter {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private readonly names: readonly string[]

  constructor(bytes: Uint8Array, names: readonly string[]) {
    this.bytes = bytes
    this.view = viewOf(bytes)
    this.names = names
  }

  print(at: number, depth: number): string {
    if (depth > MAX_DEPTH) throw new RangeError('depth')
    const first = this.view.getUint8(at)
    const header = first >> 2
    switch (first & 3) {
      case 0:
        return this.printPrimitive(header, at + 1)
      case 1:
        return JSON.stringify(this.text(at + 1, header))
      case 2:
        return this.printObject(header, at + 1, depth)
      default:
        return this.printArray(header, at + 1, depth)
    }
  }

  private printObject(header: number, at: number, depth: number): string {
    const offsetWidth = (header & 3) + 1
    const idWidth = ((header >> 2) & 3) + 1
    const { count, next } = this.count((header >> 4) & 1, at)
    const offsets = next + count * idWidth
    const values = offsets + (count + 1) * offsetWidth
    if (values > this.bytes.length) throw new RangeError('object')
    const members: string[] = []
    for (let i = 0; i < count; i++) {
      const name = this.names[readUnsigned(this.view, next + i * idWidth, idWidth)]
      if (name === undefined) throw new RangeError('name')
      const value = values + readUnsigned(this.view, offsets + i * offsetWidth, offsetWidth)
      members.push(`${JSON.stringify(name)}:${this.print(value, depth + 1)}`)
    }
    return `{${members.join(',')}}`
  }

  private printArray(header: number, at: number, depth: number): string {
    const width = (header & 3) + 1
    const { count, next } = this.count((header >> 2) & 1, at)
    const values = next + (count + 1) * width
    if (values > this.bytes.length) throw new RangeError('array')
    const items: string[] = []
    for (let i = 0; i < count; i++) {
      items.push(this.print(values + readUnsigned(this.view, next + i * width, width), depth + 1))
    }
    return `[${items.join(',')}]`
  }

  private count(large: number, at: number): { count: number; next: number } {
    return large === 1
      ? { count: readUnsigned(this.view, at, 4), next: at + 4 }
      : { count: this.view.getUint8(at), next: at + 1 }
  }

  private printPrimitive(id: number, at: number): string {
    const view = this.view
    switch (id) {
      case 0:
        return 'null'
      case 1:
        return 'true'
      case 2:
        return 'false'
      case 3:
        return String(view.getInt8(at))
      case 4:
        return String(view.getInt16(at, true))
      case 5:
        return String(view.getInt32(at, true))
      case 6:
        return String(view.getBigInt64(at, true))
      case 7:
        return floatText(view.getFloat64(at, true), false)
      case 8:
        return this.decimal(at, BigInt(view.getInt32(at + 1, true)))
      case 9:
        return this.decimal(at, view.getBigInt64(at + 1, true))
      case 10:
        return this.decimal(at, (view.getBigInt64(at + 9, true) << 64n) | view.getBigUint64(at + 1, true))
      case 14:
        return floatText(view.getFloat32(at, true), true)
      default:
        return JSON.stringify(this.quoted(id, at))
    }
  }

  private quoted(id: number, at: number): string {
    const view = this.view
    switch (id) {
      case 11:
        return formatDate(view.getInt32(at, true))
      case 12:
        return `${formatTimestamp(view.getBigInt64(at, true), ' ')}+00:00`
      case 13:
        return formatTimestamp(view.getBigInt64(at, true), ' ')
      case 15:
        return encodeBase64(this.slice(at + 4, view.getUint32(at, true)))
      case 16:
        return this.text(at + 4, view.getUint32(at, true))
      case 20:
        return uuidText(this.slice(at, 16))
      default:
        throw deltaError('MALFORMED_VARIANT', {})
    }
  }

  private decimal(at: number, unscaled: bigint): string {
    const text = new Decimal(unscaled, this.view.getUint8(at)).toString()
    return text.includes('.') ? text.replace(/\.?0+$/, '') : text
  }

  private text(at: number, length: number): string {
    return decodeUtf8(this.slice(at, length))
  }

  private slice(at: number, length: number): Uint8Array {
    if (at + length > this.bytes.length) throw new RangeError('slice')
    return this.bytes.subarray(at, at + length)
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readUnsigned(view: DataView, at: number, width: number): number {
  let result = 0
  for (let i = width - 1; i >= 0; i--) result = result * 256 + view.getUint8(at + i)
  return result
}

function floatText(value: number, single: boolean): string {
  if (!Number.isFinite(value)) return `"${value}"`
  const shortest = single ? Number.parseFloat(shortestSingle(value)) : value
  return Number.isInteger(shortest) && Math.abs(shortest) < 1e21 ? `${shortest}.0` : String(shortest)
}

function shortestSingle(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits)
    if (Math.fround(Number(text)) === value) return text
  }
  return value.toPrecision(9)
}

function uuidText(bytes: Uint8Array): string {
  return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
