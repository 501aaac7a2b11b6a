/** Batches as Arrow: exact, with Arrow's own types where it has them. */
import * as arrow from 'apache-arrow'
import { assert } from '../errors/index.ts'
import type { ArrayType, DataType, MapEntry, MapType, Row, StructType, Value, Variant } from '../schema/index.ts'
import type { Decimal } from '../support/index.ts'

/**
 * | type | Arrow |
 * |-|-|
 * | byte, short, integer, long | int8 … int64 |
 * | decimal | decimal128 |
 * | date | date32 |
 * | timestamp, timestamp_ntz | timestamp[us, UTC], timestamp[us] |
 * | map | map, keys not sorted |
 * | variant | struct of two binaries, `metadata` and `value`, with the extension name `arrow.parquet.variant` |
 * | void | null |
 */
export function arrowSchema(schema: StructType): arrow.Schema {
  return new arrow.Schema(schema.fields.map((f) => arrowField(f.name, f.type, f.nullable)))
}

/** @param columns the values of each column, all of the same length */
export function arrowBatch(
  schema: arrow.Schema,
  { fields }: StructType,
  columns: readonly (readonly Value[])[],
  length: number,
): arrow.RecordBatch {
  const children = fields.map(({ type }, i) => arrowData(type, columns[i]!))
  const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children })
  return new arrow.RecordBatch(schema, data)
}

const VARIANT = new Map([
  ['ARROW:extension:name', 'arrow.parquet.variant'],
  ['ARROW:extension:metadata', ''],
])

function arrowField(name: string, type: DataType, nullable: boolean): arrow.Field {
  return new arrow.Field(name, arrowType(type), nullable, type.kind === 'variant' ? VARIANT : undefined)
}

const PRIMITIVES: Readonly<Record<Exclude<DataType['kind'], 'decimal' | 'array' | 'map' | 'struct'>, arrow.DataType>> =
  {
    byte: new arrow.Int8(),
    short: new arrow.Int16(),
    integer: new arrow.Int32(),
    long: new arrow.Int64(),
    float: new arrow.Float32(),
    double: new arrow.Float64(),
    boolean: new arrow.Bool(),
    string: new arrow.Utf8(),
    binary: new arrow.Binary(),
    date: new arrow.DateDay(),
    timestamp: new arrow.TimestampMicrosecond('UTC'),
    timestamp_ntz: new arrow.TimestampMicrosecond(),
    void: new arrow.Null(),
    variant: new arrow.Struct([
      new arrow.Field('metadata', new arrow.Binary(), false),
      new arrow.Field('value', new arrow.Binary(), false),
    ]),
  }

function arrowType(type: DataType): arrow.DataType {
  if (type.kind === 'decimal') return new arrow.Decimal(type.scale, type.precision, 128)
  if (type.kind === 'array') return new arrow.List(arrowField('element', type.element, type.containsNull))
  if (type.kind === 'struct') return new arrow.Struct(type.fields.map((f) => arrowField(f.name, f.type, f.nullable)))
  if (type.kind !== 'map') return PRIMITIVES[type.kind]
  const entries = [arrowField('key', type.key, false), arrowField('value', type.value, type.valueContainsNull)]
  return new arrow.Map_(new arrow.Field('entries', new arrow.Struct(entries), false) as never, false)
}

type Values = readonly Value[]

function arrowData(type: DataType, values: Values): arrow.Data {
  const { nullBitmap, nullCount } = validity(values)
  const props = { type: arrowType(type), length: values.length, nullBitmap, nullCount, ...buffersOf(type, values) }
  return arrow.makeData(props as never)
}

function validity(values: Values): { nullBitmap?: Uint8Array; nullCount: number } {
  let nullCount = 0
  for (const value of values) if (value === null) nullCount++
  return nullCount === 0 ? { nullCount } : { nullBitmap: bitmap(values, (value) => value !== null), nullCount }
}

function bitmap(values: Values, isSet: (value: Value) => boolean): Uint8Array {
  const bits = new Uint8Array((values.length + 7) >> 3)
  values.forEach((value, i) => {
    if (isSet(value)) bits[i >> 3]! |= 1 << (i & 7)
  })
  return bits
}

function buffersOf(type: DataType, values: Values): object {
  switch (type.kind) {
    case 'byte':
      return { data: numbers(new Int8Array(values.length), values) }
    case 'short':
      return { data: numbers(new Int16Array(values.length), values) }
    case 'integer':
    case 'date':
      return { data: numbers(new Int32Array(values.length), values) }
    case 'float':
      return { data: numbers(new Float32Array(values.length), values) }
    case 'double':
      return { data: numbers(new Float64Array(values.length), values) }
    case 'long':
    case 'timestamp':
    case 'timestamp_ntz':
      return { data: BigInt64Array.from(values, (value) => (value as bigint | null) ?? 0n) }
    case 'decimal':
      return { data: decimals(values) }
    case 'boolean':
      return { data: bitmap(values, (value) => value === true) }
    case 'string':
      return bytes(values.map((value) => encoder.encode((value as string | null) ?? '')))
    case 'binary':
      return bytes(values.map((value) => (value as Uint8Array | null) ?? EMPTY))
    case 'void':
      return {}
    case 'variant':
      return { children: variantChildren(values) }
    case 'struct':
      return {
        children: type.fields.map((f, i) =>
          arrowData(
            f.type,
            values.map((row) => (row as Row | null)?.[i] ?? null),
          ),
        ),
      }
    case 'array':
      return listBuffers(type, values)
    case 'map':
      return mapBuffers(type, values)
  }
}

const encoder = new TextEncoder()
const EMPTY = new Uint8Array(0)

function numbers<T extends Int8Array | Int16Array | Int32Array | Float32Array | Float64Array>(
  to: T,
  values: Values,
): T {
  values.forEach((value, i) => {
    if (value !== null) to[i] = value as number
  })
  return to
}

/** 16 bytes each, little endian, in two's complement. */
function decimals(values: Values): Uint32Array {
  const words = new BigUint64Array(values.length * 2)
  values.forEach((value, i) => {
    if (value === null) return
    const { unscaled } = value as Decimal
    words[2 * i] = BigInt.asUintN(64, unscaled)
    words[2 * i + 1] = BigInt.asUintN(64, unscaled >> 64n)
  })
  return new Uint32Array(words.buffer)
}

function bytes(pieces: readonly Uint8Array[]): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = offsets(pieces)
  const data = new Uint8Array(valueOffsets[pieces.length]!)
  for (const [i, piece] of pieces.entries()) data.set(piece, valueOffsets[i])
  return { valueOffsets, data }
}

function offsets(lists: readonly { readonly length: number }[]): Int32Array {
  const all = new Int32Array(lists.length + 1)
  let at = 0
  lists.forEach((list, i) => {
    at += list.length
    all[i + 1] = at
  })
  assert(at <= 0x7fff_ffff, 'a batch holds less than 2 GiB of a column')
  return all
}

function listBuffers({ element }: ArrayType, values: Values): object {
  const lists = values.map((value) => (value as Values | null) ?? [])
  return { valueOffsets: offsets(lists), child: arrowData(element, lists.flat() as Values) }
}

function mapBuffers(type: MapType, values: Values): object {
  const maps = values.map((value) => (value as readonly MapEntry[] | null) ?? [])
  const entries = maps.flat()
  const children = [
    arrowData(
      type.key,
      entries.map(({ key }) => key),
    ),
    arrowData(
      type.value,
      entries.map(({ value }) => value),
    ),
  ]
  const entryType = (arrowType(type) as arrow.Map_).children[0]!.type
  const child = arrow.makeData({ type: entryType as arrow.Struct, length: entries.length, nullCount: 0, children })
  return { valueOffsets: offsets(maps), child }
}

function variantChildren(values: Values): arrow.Data[] {
  const part = (name: 'metadata' | 'value') =>
    arrow.makeData({
      type: new arrow.Binary(),
      length: values.length,
      nullCount: 0,
      ...bytes(values.map((value) => (value as Variant | null)?.[name] ?? EMPTY)),
    })
  return [part('metadata'), part('value')]
}
