/** Arrow as rows: exact, or refused by the path of the column. Reads the buffers, since Arrow's getters round times. */
import type { DataType as ArrowType, Data, Field, RecordBatch, Schema, Table } from 'apache-arrow'
import { deltaError } from '../errors/index.ts'
import {
  arrayType,
  binaryType,
  booleanType,
  byteType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  mapType,
  type Row,
  type StructField,
  type StructType,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
  Variant,
  variantType,
  voidType,
} from '../schema/index.ts'
import { Decimal } from '../support/index.ts'

/** Ids of Arrow's types, from its format (`Schema.fbs`) and, below zero, its library. */
const TYPE = {
  Null: 1,
  Int: 2,
  Float: 3,
  Binary: 4,
  Utf8: 5,
  Bool: 6,
  Decimal: 7,
  Date: 8,
  Timestamp: 10,
  List: 12,
  Struct: 13,
  FixedSizeBinary: 15,
  FixedSizeList: 16,
  Map: 17,
  LargeBinary: 19,
  LargeUtf8: 20,
  Dictionary: -1,
} as const

/** A table, or the batches of one, with their schema. */
export type ArrowRows = Table | (AsyncIterable<RecordBatch> & { readonly schema: Schema })

/** Whether a value is rows in Arrow's form, of whichever copy of the library. */
export function isArrowRows(value: unknown): value is ArrowRows {
  const fields = (value as { schema?: { fields?: unknown } } | null)?.schema?.fields
  return Array.isArray(fields) && fields.every((f) => typeof f?.typeId === 'number') && hasBatches(value as object)
}

function hasBatches(value: object): boolean {
  return Array.isArray((value as { batches?: unknown }).batches) || Symbol.asyncIterator in value
}

/**
 * The columns of Arrow rows.
 *
 * @throws DeltaError `LAKE_ARROW_TYPE`
 */
export function schemaFromArrow({ fields }: Schema): StructType {
  return structType(fields.map((f) => fieldFromArrow(f, [])))
}

/** The rows, a page a batch; times finer than a microsecond are refused where they are reached. */
export async function* pagesFromArrow(rows: ArrowRows): AsyncGenerator<readonly Row[]> {
  for await (const batch of 'batches' in rows ? rows.batches : rows) {
    const columns = batch.data.children.map((data, i) => columnOf(rows.schema.fields[i]!, data, []))
    yield Array.from({ length: batch.numRows }, (_, at) => columns.map((column) => column[at]!))
  }
}

type Path = readonly string[]

function fieldFromArrow(from: Field, above: Path): StructField {
  const path = [...above, from.name]
  return field(from.name, isVariant(from, path) ? variantType : typeFromArrow(from.type, path), from.nullable)
}

/** @throws DeltaError `LAKE_ARROW_TYPE` for a shredded one */
function isVariant({ metadata, type }: Field, path: Path): boolean {
  if (metadata?.get('ARROW:extension:name') !== 'arrow.parquet.variant') return false
  const { children } = type as unknown as { children: Field[] }
  if (children.length !== 2 || !['metadata', 'value'].every((name, i) => children[i]!.name === name))
    throw unsupported(type, path)
  return true
}

function typeFromArrow(type: ArrowType, path: Path): DataType {
  const { children } = type as { children?: Field[] }
  switch (type.typeId as number) {
    case TYPE.Null:
      return voidType
    case TYPE.Int:
      return wholeNumberType(type as never)
    case TYPE.Float:
      return (type as unknown as { precision: number }).precision === 2 ? doubleType : floatType
    case TYPE.Binary:
    case TYPE.LargeBinary:
    case TYPE.FixedSizeBinary:
      return binaryType
    case TYPE.Utf8:
    case TYPE.LargeUtf8:
      return stringType
    case TYPE.Bool:
      return booleanType
    case TYPE.Date:
      return dateType
    case TYPE.Timestamp:
      return (type as unknown as { timezone?: string | null }).timezone ? timestampType : timestampNtzType
    case TYPE.Decimal:
      return decimalFromArrow(type as never, path)
    case TYPE.Struct:
      return structType(children!.map((child) => fieldFromArrow(child, path)))
    case TYPE.List:
    case TYPE.FixedSizeList:
      return listFromArrow(children![0]!, path)
    case TYPE.Map:
      return mapFromArrow(children![0]!, path)
    case TYPE.Dictionary:
      return typeFromArrow((type as unknown as { dictionary: ArrowType }).dictionary, path)
    default:
      throw unsupported(type, path)
  }
}

/** Unsigned numbers get the next type that holds them all. */
function wholeNumberType({ bitWidth, isSigned }: { bitWidth: number; isSigned: boolean }): DataType {
  if (bitWidth === 64) return isSigned ? longType : decimalType(20, 0)
  const signed = [byteType, shortType, integerType, longType]
  return signed[Math.log2(bitWidth / 8) + (isSigned ? 0 : 1)]!
}

function decimalFromArrow(type: ArrowType & { precision: number; scale: number; bitWidth: number }, path: Path) {
  const { precision, scale, bitWidth } = type
  if (precision > 38 || scale < 0 || scale > precision || bitWidth !== 128) throw unsupported(type, path)
  return decimalType(precision, scale)
}

function listFromArrow(element: Field, path: Path): DataType {
  return arrayType(fieldFromArrow(element, path).type, element.nullable)
}

function mapFromArrow(entries: Field, path: Path): DataType {
  const [key, value] = (entries.type as unknown as { children: Field[] }).children
  return mapType(fieldFromArrow(key!, path).type, fieldFromArrow(value!, path).type, value!.nullable)
}

function unsupported(type: ArrowType, path: Path) {
  return deltaError('LAKE_ARROW_TYPE', { column: path.join('.'), type: String(type) })
}

function columnOf(from: Field, data: Data, above: Path): Value[] {
  const path = [...above, from.name]
  const values = valuesOf(data, path)
  if (!isVariant(from, path)) return values
  return values.map((value) => value && new Variant(...(value as Row as [Uint8Array, Uint8Array])))
}

function unfit(path: Path, value: string, wanted: string) {
  return deltaError('LAKE_ARROW_VALUE', { column: path.join('.'), value, wanted })
}

function valuesOf(data: Data, path: Path): Value[] {
  if (data.length === 0) return []
  const at = reader(data, path)
  return Array.from({ length: data.length }, (_, i) => (data.getValid(i) ? at(i) : null))
}

/** Reads one value that is not null. */
type Reader = (i: number) => Value

function reader(data: Data, path: Path): Reader {
  const values = data.values as never
  switch (data.type.typeId as number) {
    case TYPE.Null:
      return () => null
    case TYPE.Int:
      return wholeNumbers(data)
    case TYPE.Float:
      return floats(data)
    case TYPE.Binary:
    case TYPE.LargeBinary:
      return (i) => bytesAt(data, i).slice()
    case TYPE.Utf8:
    case TYPE.LargeUtf8:
      return (i) => decoder.decode(bytesAt(data, i))
    case TYPE.FixedSizeBinary:
      return fixedBytes(data)
    case TYPE.Bool:
      return (i) => bit(values, data.offset + i)
    case TYPE.Decimal:
      return decimals(data)
    case TYPE.Date:
      return dates(data, path)
    case TYPE.Timestamp:
      return times(data, path)
    case TYPE.Struct:
      return structs(data, path)
    case TYPE.List:
    case TYPE.Map:
      return lists(data, path)
    case TYPE.FixedSizeList:
      return fixedLists(data, path)
    case TYPE.Dictionary:
      return dictionary(data, path)
    default:
      throw unsupported(data.type, path)
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function wholeNumbers({ type, values }: Data): Reader {
  const { bitWidth, isSigned } = type as unknown as { bitWidth: number; isSigned: boolean }
  if (bitWidth < 64) {
    const becomesLong = bitWidth === 32 && !isSigned
    return (i) => (becomesLong ? BigInt(values[i]) : (values[i] as number))
  }
  return (i) => (isSigned ? (values[i] as bigint) : new Decimal(values[i] as bigint, 0))
}

function floats({ type, values }: Data): Reader {
  const isHalf = (type as unknown as { precision: number }).precision === 0
  return (i) => (isHalf ? halfFloat(values[i]) : (values[i] as number))
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

function bytesAt(data: Data, i: number): Uint8Array {
  const { valueOffsets } = data
  return (data.values as Uint8Array).subarray(Number(valueOffsets[i]), Number(valueOffsets[i + 1]))
}

function fixedBytes({ type, values }: Data): Reader {
  const { byteWidth } = type as unknown as { byteWidth: number }
  return (i) => (values as Uint8Array).slice(i * byteWidth, (i + 1) * byteWidth)
}

function bit(bits: Uint8Array, i: number): boolean {
  return ((bits[i >> 3]! >> (i & 7)) & 1) === 1
}

function decimals({ type, values }: Data): Reader {
  const { scale } = type as unknown as { scale: number }
  const words = values as Uint32Array
  return (i) => {
    let unscaled = 0n
    for (let word = 3; word >= 0; word--) unscaled = (unscaled << 32n) | BigInt(words[i * 4 + word]!)
    return new Decimal(BigInt.asIntN(128, unscaled), scale)
  }
}

const MS_A_DAY = 86_400_000n

/** Days, or milliseconds that must be whole days. */
function dates({ type, values }: Data, path: Path): Reader {
  if ((type as unknown as { unit: number }).unit === 0) return (i) => values[i] as number
  return (i) => {
    const ms = BigInt(values[i])
    if (ms % MS_A_DAY !== 0n) throw unfit(path, `${ms} ms`, 'a whole day')
    return Number(ms / MS_A_DAY)
  }
}

/** By unit: second, millisecond, microsecond. */
const MICROS = [1_000_000n, 1000n, 1n]

function times({ type, values }: Data, path: Path): Reader {
  const micros = MICROS[(type as unknown as { unit: number }).unit]
  return (i) => {
    const count = values[i] as bigint
    if (micros === undefined && count % 1000n !== 0n) throw unfit(path, `${count} ns`, 'whole microseconds')
    const time = micros === undefined ? count / 1000n : count * micros
    if (BigInt.asIntN(64, time) !== time) throw unfit(path, String(count), 'a time within 64 bits of microseconds')
    return time
  }
}

function structs(data: Data, path: Path): Reader {
  const { children } = data.type as unknown as { children: Field[] }
  const columns = data.children.map((child, k) => columnOf(children[k]!, child, path))
  return (i) => columns.map((column) => column[i]!)
}

/** Lists and maps; entries of a map are structs of two. */
function lists(data: Data, path: Path): Reader {
  const elements = elementsOf(data, path)
  const slice = (i: number) => elements.slice(data.valueOffsets[i], data.valueOffsets[i + 1])
  if ((data.type.typeId as number) === TYPE.List) return slice
  return (i) => slice(i).map((entry) => ({ key: (entry as Row)[0]!, value: (entry as Row)[1]! }))
}

function elementsOf({ type, children }: Data, path: Path): Value[] {
  const [element] = (type as unknown as { children: Field[] }).children
  return columnOf(element!, children[0]!, path)
}

function fixedLists(data: Data, path: Path): Reader {
  const { listSize } = data.type as unknown as { listSize: number }
  const elements = elementsOf(data, path)
  return (i) => elements.slice(i * listSize, (i + 1) * listSize)
}

function dictionary(data: Data, path: Path): Reader {
  const words = data.dictionary!.data.flatMap((chunk) => valuesOf(chunk, path))
  return (i) => words[Number(data.values[i])]!
}
