/**
 * Variants that were stored in typed columns, made whole again as the two binaries of a variant.
 *
 * A node has a `value` (variant bytes), a `typed_value` (a column of its own type), both (an object of which some fields
 * are typed) or neither (a field that is missing). Source: Parquet, "Variant Shredding", "Variant Binary Encoding".
 */
import {
  arrayType,
  type DataType,
  type DecimalType,
  field,
  type Row,
  type StructType,
  structType,
  type Value,
} from '../schema/index.ts'
import { compareText, concatBytes, type Decimal, decodeUtf8, encodeUtf8 } from '../support/index.ts'
import { viewOf } from './footer.ts'
import { inferType } from './infer.ts'
import type { SchemaNode } from './schema-tree.ts'
import { isElement } from './two-level-list.ts'

const binary: DataType = { kind: 'binary' }

/** A kind of typed column this reader does not make a variant of; the caller names the file. */
export class UnknownShredding extends Error {}

/** The type of a group with `value` and `typed_value`, either of which may be absent. */
export function shreddedPair(node: SchemaNode): StructType {
  const typed = node.children.find((child) => child.name === 'typed_value')
  return structType([
    field('value', binary),
    field('typed_value', typed === undefined ? { kind: 'void' } : typedColumn(typed)),
  ])
}

/** Objects are groups of fields, arrays lists of elements; each field and element is a pair again. */
function typedColumn(node: SchemaNode): DataType {
  const [repeated] = node.children
  if (node.physical !== undefined) return typedLeaf(node)
  if (node.annotation?.kind !== 'list' || repeated === undefined) {
    return structType(node.children.map((child) => field(child.name, shreddedPair(child))))
  }
  return arrayType(shreddedPair(isElement(node, repeated) ? repeated : repeated.children[0]!))
}

function typedLeaf(node: SchemaNode): DataType {
  const { annotation } = node
  const unread = ['uuid', 'time', 'float16', 'enum', 'json', 'bson', 'null', 'unknown', 'interval']
  const isNanos = annotation?.kind === 'timestamp' && annotation.unit === 'nanos'
  if (isNanos || unread.includes(annotation?.kind ?? '')) throw new UnknownShredding(annotation?.kind)
  return inferType(node)
}

/**
 * The bytes of a variant.
 *
 * @param metadata its names
 * @param pair the values of `value` and `typed_value`
 * @param type of the pair, as `shreddedPair` gives it
 * @throws RangeError when the two halves contradict each other
 */
export function joinVariant(metadata: Uint8Array, pair: Row, type: DataType): Uint8Array {
  const names = new Map(readNames(metadata).map((name, id) => [name, id]))
  return new VariantJoiner(names).join(pair, type) ?? NULL_VALUE
}

const NULL_VALUE = Uint8Array.of(0)

class VariantJoiner {
  private readonly ids: ReadonlyMap<string, number>
  private readonly names: readonly string[]

  constructor(ids: ReadonlyMap<string, number>) {
    this.ids = ids
    this.names = [...ids.keys()]
  }

  /** @returns undefined for a value that is missing */
  join(pair: Row, type: DataType): Uint8Array | undefined {
    const stored = (pair[0] ?? null) as Uint8Array | null
    const typed = pair[1] ?? null
    if (typed === null || type.kind !== 'struct') return stored ?? undefined
    const typedType = type.fields[1]!.type
    if (typedType.kind === 'struct') return this.joinObject(typed as Row, typedType.fields, stored)
    if (stored !== null) throw new RangeError('a variant is stored twice')
    if (typedType.kind === 'array') {
      const items = (typed as readonly Row[]).map((item) => this.join(item, typedType.element) ?? NULL_VALUE)
      return encodeArray(items)
    }
    return encodePrimitive(typed, typedType)
  }

  private joinObject(
    row: Row,
    fields: readonly { readonly name: string; readonly type: DataType }[],
    stored: Uint8Array | null,
  ): Uint8Array {
    const members = new Map<string, Uint8Array>(stored === null ? [] : this.readObject(stored))
    for (const [i, { name, type }] of fields.entries()) {
      const value = row[i] === null ? undefined : this.join(row[i] as Row, type)
      if (value !== undefined) members.set(name, value)
    }
    const sorted = [...members].sort(([a], [b]) => compareText(a, b))
    const ids = sorted.map(([name]) => this.ids.get(name))
    if (ids.includes(undefined)) throw new RangeError('a variant has a field its metadata does not name')
    return encodeObject(
      ids as number[],
      sorted.map(([, value]) => value),
    )
  }

  /** The members of an object; a value ends where the next one begins. */
  private readObject(bytes: Uint8Array): [string, Uint8Array][] {
    const view = viewOf(bytes)
    const first = view.getUint8(0)
    if ((first & 3) !== 2) throw new RangeError('a variant that is partly typed is no object')
    const header = first >> 2
    const offsetWidth = (header & 3) + 1
    const idWidth = ((header >> 2) & 3) + 1
    const countWidth = (header >> 4) & 1 ? 4 : 1
    const count = readUnsigned(view, 1, countWidth)
    const offsetsAt = 1 + countWidth + count * idWidth
    const valuesAt = offsetsAt + (count + 1) * offsetWidth
    if (valuesAt > bytes.length) throw new RangeError('a variant ends inside an object')
    const offsets = Array.from({ length: count + 1 }, (_, i) =>
      readUnsigned(view, offsetsAt + i * offsetWidth, offsetWidth),
    )
    const ends = [...offsets].sort((a, b) => a - b)
    return Array.from({ length: count }, (_, i) => {
      const name = this.names[readUnsigned(view, 1 + countWidth + i * idWidth, idWidth)]
      const end = ends.find((offset) => offset > offsets[i]!)
      if (name === undefined || end === undefined) throw new RangeError('a variant object is malformed')
      return [name, bytes.subarray(valuesAt + offsets[i]!, valuesAt + end)]
    })
  }
}

function readNames(metadata: Uint8Array): string[] {
  const view = viewOf(metadata)
  const width = (view.getUint8(0) >> 6) + 1
  const count = readUnsigned(view, 1, width)
  const textAt = 1 + width * (count + 2)
  if (textAt > metadata.length) throw new RangeError('the metadata of a variant is cut off')
  const offset = (i: number) => textAt + readUnsigned(view, 1 + width * (i + 1), width)
  return Array.from({ length: count }, (_, i) => decodeUtf8(metadata.subarray(offset(i), offset(i + 1))))
}

function encodeObject(ids: readonly number[], values: readonly Uint8Array[]): Uint8Array {
  const { offsets, width, large } = layValues(values)
  const idWidth = widthOf(Math.max(0, ...ids))
  const header = ((large ? 1 : 0) << 4) | ((idWidth - 1) << 2) | (width - 1)
  return concatBytes([
    Uint8Array.of((header << 2) | 2),
    unsigned([ids.length], large ? 4 : 1),
    unsigned(ids, idWidth),
    unsigned(offsets, width),
    ...values,
  ])
}

function encodeArray(values: readonly Uint8Array[]): Uint8Array {
  const { offsets, width, large } = layValues(values)
  const header = ((large ? 1 : 0) << 2) | (width - 1)
  const count = unsigned([values.length], large ? 4 : 1)
  return concatBytes([Uint8Array.of((header << 2) | 3), count, unsigned(offsets, width), ...values])
}

function layValues(values: readonly Uint8Array[]): { offsets: number[]; width: number; large: boolean } {
  const offsets = [0]
  for (const value of values) offsets.push(offsets.at(-1)! + value.length)
  return { offsets, width: widthOf(offsets.at(-1)!), large: values.length > 255 }
}

function widthOf(max: number): number {
  return max < 0x100 ? 1 : max < 0x1_0000 ? 2 : max < 0x100_0000 ? 3 : 4
}

function unsigned(numbers: readonly number[], width: number): Uint8Array {
  const bytes = new Uint8Array(numbers.length * width)
  numbers.forEach((number, i) => {
    for (let b = 0; b < width; b++) bytes[i * width + b] = Math.floor(number / 2 ** (8 * b))
  })
  return bytes
}

function readUnsigned(view: DataView, at: number, width: number): number {
  let result = 0
  for (let i = width - 1; i >= 0; i--) result = result * 256 + view.getUint8(at + i)
  return result
}

const PRIMITIVE_ID = {
  byte: 3,
  short: 4,
  integer: 5,
  long: 6,
  double: 7,
  date: 11,
  timestamp: 12,
  timestamp_ntz: 13,
  float: 14,
} as const

function encodePrimitive(value: Exclude<Value, null>, type: DataType): Uint8Array {
  switch (type.kind) {
    case 'boolean':
      return Uint8Array.of((value === true ? 1 : 2) << 2)
    case 'string':
      return encodeText(encodeUtf8(value as string))
    case 'binary':
      return withLength(15, value as Uint8Array)
    case 'decimal':
      return encodeDecimal(value as Decimal, type)
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'double':
    case 'float':
    case 'date':
    case 'timestamp':
    case 'timestamp_ntz':
      return encodeNumber(value as number | bigint, type.kind)
    default:
      throw new UnknownShredding(type.kind)
  }
}

function encodeText(bytes: Uint8Array): Uint8Array {
  return bytes.length < 64 ? concatBytes([Uint8Array.of((bytes.length << 2) | 1), bytes]) : withLength(16, bytes)
}

function withLength(id: number, bytes: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(id << 2), unsigned([bytes.length], 4), bytes])
}

function encodeNumber(value: number | bigint, kind: keyof typeof PRIMITIVE_ID): Uint8Array {
  const bytes = new Uint8Array(9)
  const view = viewOf(bytes)
  view.setUint8(0, PRIMITIVE_ID[kind] << 2)
  if (typeof value === 'bigint') view.setBigInt64(1, value, true)
  else if (kind === 'double') view.setFloat64(1, value, true)
  else if (kind === 'float') view.setFloat32(1, value, true)
  else view.setInt32(1, value, true)
  const length = {
    byte: 1,
    short: 2,
    integer: 4,
    date: 4,
    float: 4,
    long: 8,
    double: 8,
    timestamp: 8,
    timestamp_ntz: 8,
  }
  return bytes.subarray(0, 1 + length[kind])
}

function encodeDecimal({ unscaled, scale }: Decimal, { precision }: DecimalType): Uint8Array {
  const [id, length] = precision <= 9 ? [8, 4] : precision <= 18 ? [9, 8] : [10, 16]
  const bytes = new Uint8Array(2 + length)
  bytes[0] = id << 2
  bytes[1] = scale
  let rest = BigInt.asUintN(128, unscaled)
  for (let i = 0; i < length; i++) {
    bytes[2 + i] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return bytes
}
