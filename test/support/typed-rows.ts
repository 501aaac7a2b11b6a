/** Generated types and values of tables, extremes included, for property tests. */
import fc from 'fast-check'
import {
  arrayType,
  type DataType,
  decimalType,
  field,
  mapType,
  type PrimitiveName,
  type Row,
  type StructType,
  structType,
  type Value,
} from '../../src/schema/index.ts'
import { Decimal } from '../../src/support/index.ts'

const PRIMITIVES: readonly PrimitiveName[] = [
  'string',
  'long',
  'integer',
  'short',
  'byte',
  'float',
  'double',
  'boolean',
  'binary',
  'date',
  'timestamp',
  'timestamp_ntz',
]

/** Any type a data file can hold, nested up to three deep. */
export const dataTypes: fc.Arbitrary<DataType> = fc.letrec<{ type: DataType; leaf: DataType }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(...PRIMITIVES).map((kind): DataType => ({ kind })),
    fc
      .integer({ min: 1, max: 38 })
      .chain((precision) => fc.integer({ min: 0, max: precision }).map((scale) => decimalType(precision, scale))),
  ),
  type: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: tie('leaf') },
    { weight: 1, arbitrary: tie('type').map((element) => arrayType(element)) },
    { weight: 1, arbitrary: fc.tuple(tie('leaf'), tie('type')).map(([key, value]) => mapType(key, value)) },
    { weight: 1, arbitrary: fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map(structOf) },
  ),
})).type

function structOf(types: readonly DataType[]): StructType {
  return structType(types.map((type, i) => field(['a', 'b c', '__proto__', 'ü.d'][i] ?? `c${i}`, type)))
}

const FROM_YEAR_1 = -62_135_596_800_000_000n
const TO_YEAR_9999 = 253_402_300_799_999_999n
const micros = fc.oneof(
  fc.bigInt({ min: FROM_YEAR_1, max: TO_YEAR_9999 }),
  fc.constantFrom(FROM_YEAR_1, TO_YEAR_9999, 0n, -1n),
)

/** Well-formed text: lone surrogates have no UTF-8. */
const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('', '\u{10ffff}', 'é', '\0'))

/** Values of a type, null among them. */
export function valuesOf(type: DataType): fc.Arbitrary<Value> {
  return fc.option(presentValues(type), { nil: null, freq: 5 })
}

/** Values of a type that are not null; members of nested ones may be. */
export function presentValues(type: DataType): fc.Arbitrary<Value> {
  switch (type.kind) {
    case 'string':
      return texts
    case 'long':
      return fc.oneof(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n),
      )
    case 'integer':
      return fc.oneof(fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1))
    case 'short':
      return fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })
    case 'byte':
      return fc.integer({ min: -128, max: 127 })
    case 'float':
      return fc.float()
    case 'double':
      return fc.double()
    case 'boolean':
      return fc.boolean()
    case 'binary':
      return fc.uint8Array({ maxLength: 20 })
    case 'date':
      return fc.integer({ min: -719_162, max: 2_932_896 })
    case 'timestamp':
    case 'timestamp_ntz':
      return micros
    case 'decimal':
      return fc
        .bigInt({ min: 1n - 10n ** BigInt(type.precision), max: 10n ** BigInt(type.precision) - 1n })
        .map((unscaled) => new Decimal(unscaled, type.scale))
    case 'array':
      return fc.array(valuesOf(type.element), { maxLength: 4 })
    case 'map':
      return fc.array(fc.record({ key: presentValues(type.key), value: valuesOf(type.value) }), { maxLength: 4 })
    case 'struct':
      return fc.tuple(...type.fields.map((member) => valuesOf(member.type)))
    default:
      return fc.constant(null)
  }
}

/** Rows of a schema. */
export function rowsOf(schema: StructType, maxLength: number): fc.Arbitrary<Row[]> {
  return fc.array(fc.tuple(...schema.fields.map((column) => valuesOf(column.type))), { maxLength })
}

/** A schema and rows of it. */
export const tables: fc.Arbitrary<{ schema: StructType; rows: Row[] }> = fc
  .array(dataTypes, { minLength: 1, maxLength: 4 })
  .chain((types) => {
    const schema = structType(types.map((type, i) => field(`c${i}`, type)))
    return rowsOf(schema, 30).map((rows) => ({ schema, rows }))
  })
