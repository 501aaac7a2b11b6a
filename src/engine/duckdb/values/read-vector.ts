/**
 * DuckDB vectors as values of `schema/value.ts`.
 *
 * Structs are read by place and not by name, so that a member called `__proto__` is a member like any other. Void
 * members have no vector.
 */
import type {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListVector,
  DuckDBStructVector,
  DuckDBTimestampValue,
  DuckDBValue,
} from '@duckdb/node-api'
import { type DataType, type MapEntry, type StructType, type Value, Variant } from '../../../schema/index.ts'
import { Decimal } from '../../../support/index.ts'

/** What is used of a vector; the classes share no such type. */
interface Vector {
  readonly itemCount: number
  getItem(index: number): DuckDBValue | null
}

/** The values of a vector in row order; its SQL type is the one `sqlType` gives for the type. */
export function readVector(vector: Vector, type: DataType): Value[] {
  switch (type.kind) {
    case 'struct':
      return readStruct(vector as unknown as DuckDBStructVector, type)
    case 'array':
      return readList(vector as unknown as DuckDBListVector, (child) => readVector(child, type.element))
    case 'map':
      return readMap(vector, type.key, type.value)
    case 'variant':
      return readVariant(vector as unknown as DuckDBStructVector)
    case 'void':
      return new Array<Value>(vector.itemCount).fill(null)
    default:
      return readPrimitive(vector, type)
  }
}

function readPrimitive(vector: Vector, type: DataType): Value[] {
  const convert = converterOf(type)
  const result = new Array<Value>(vector.itemCount)
  for (let i = 0; i < result.length; i++) {
    const item = vector.getItem(i)
    result[i] = item === null ? null : convert(item)
  }
  return result
}

function converterOf(type: DataType): (item: DuckDBValue) => Value {
  switch (type.kind) {
    case 'decimal':
      // a HUGEINT has no decimal type that holds all of it
      return (item) => new Decimal(typeof item === 'bigint' ? item : (item as DuckDBDecimalValue).value, type.scale)
    case 'date':
      return (item) => (item as DuckDBDateValue).days
    case 'timestamp':
    case 'timestamp_ntz':
      return (item) => (item as DuckDBTimestampValue).micros
    case 'binary':
      return (item) => copyBytes((item as { bytes: Uint8Array }).bytes)
    default:
      return (item) => item as Value
  }
}

/** A plain array of its own: what DuckDB gives is a Buffer, perhaps on memory of the chunk. */
function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

function readStruct(vector: DuckDBStructVector, type: StructType): Value[] {
  let stored = 0
  const members = type.fields.map((f) =>
    f.type.kind === 'void' ? undefined : readVector(vector.entryVectorAt(stored++) as Vector, f.type),
  )
  return Array.from({ length: vector.itemCount }, (_, i) =>
    vector.isItemValid(i) ? members.map((member) => member?.[i] ?? null) : null,
  )
}

function readList(vector: DuckDBListVector, readChild: (child: Vector) => Value[]): Value[] {
  const items = readChild(vector.childVector as unknown as Vector)
  return Array.from({ length: vector.itemCount }, (_, i) => {
    // biome-ignore lint/complexity/useLiteralKeys: the class has no public test for null but one that copies the list
    if (!vector['validity'].itemValid(i)) return null
    const start = vector.getEntryOffset(i)
    return items.slice(start, start + vector.getEntryLength(i))
  })
}

function readMap(vector: Vector, key: DataType, value: DataType): Value[] {
  const { listVector } = vector as unknown as { listVector: DuckDBListVector }
  return readList(listVector, (child) => {
    const entries = child as unknown as DuckDBStructVector
    const keys = readVector(entries.entryVectorAt(0) as Vector, key)
    const values = readVector(entries.entryVectorAt(1) as Vector, value)
    return keys.map((k, i): MapEntry => ({ key: k, value: values[i]! })) as unknown as Value[]
  })
}

function readVariant(vector: DuckDBStructVector): Value[] {
  const [metadata, value] = [0, 1].map((i) => readPrimitive(vector.entryVectorAt(i) as Vector, { kind: 'binary' }))
  return Array.from({ length: vector.itemCount }, (_, i) =>
    vector.isItemValid(i) ? new Variant(metadata![i] as Uint8Array, value![i] as Uint8Array) : null,
  )
}
