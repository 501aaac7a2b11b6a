/**
 * The type system of a Delta table: primitive types, structs, arrays, maps.
 *
 * Types are plain frozen data, compared by `sameType`. A field's metadata keeps whatever JSON the log holds, numbers as
 * text where a double would change them. Source: Delta protocol, "Schema Serialization Format".
 */
import type { JsonObject } from '../support/index.ts'

export type PrimitiveName =
  | 'string'
  | 'long'
  | 'integer'
  | 'short'
  | 'byte'
  | 'float'
  | 'double'
  | 'boolean'
  | 'binary'
  | 'date'
  | 'timestamp'
  | 'timestamp_ntz'
  | 'void'
  | 'variant'

export interface PrimitiveType {
  readonly kind: PrimitiveName
}
export interface DecimalType {
  readonly kind: 'decimal'
  /** 1 to 38 */
  readonly precision: number
  /** 0 to precision */
  readonly scale: number
}
export interface ArrayType {
  readonly kind: 'array'
  readonly element: DataType
  readonly containsNull: boolean
}
export interface MapType {
  readonly kind: 'map'
  readonly key: DataType
  readonly value: DataType
  readonly valueContainsNull: boolean
}
export interface StructField {
  readonly name: string
  readonly type: DataType
  readonly nullable: boolean
  readonly metadata: JsonObject
}
export interface StructType {
  readonly kind: 'struct'
  readonly fields: readonly StructField[]
}

export type DataType = PrimitiveType | DecimalType | ArrayType | MapType | StructType
export type TypeKind = DataType['kind']

export const stringType: PrimitiveType = { kind: 'string' }
export const longType: PrimitiveType = { kind: 'long' }
export const integerType: PrimitiveType = { kind: 'integer' }
export const shortType: PrimitiveType = { kind: 'short' }
export const byteType: PrimitiveType = { kind: 'byte' }
export const floatType: PrimitiveType = { kind: 'float' }
export const doubleType: PrimitiveType = { kind: 'double' }
export const booleanType: PrimitiveType = { kind: 'boolean' }
export const binaryType: PrimitiveType = { kind: 'binary' }
export const dateType: PrimitiveType = { kind: 'date' }
export const timestampType: PrimitiveType = { kind: 'timestamp' }
export const timestampNtzType: PrimitiveType = { kind: 'timestamp_ntz' }
export const voidType: PrimitiveType = { kind: 'void' }
export const variantType: PrimitiveType = { kind: 'variant' }

export function decimalType(precision: number, scale: number): DecimalType {
  return { kind: 'decimal', precision, scale }
}
export function arrayType(element: DataType, containsNull = true): ArrayType {
  return { kind: 'array', element, containsNull }
}
export function mapType(key: DataType, value: DataType, valueContainsNull = true): MapType {
  return { kind: 'map', key, value, valueContainsNull }
}
export function structType(fields: readonly StructField[]): StructType {
  return { kind: 'struct', fields }
}
export function field(name: string, type: DataType, nullable = true, metadata: JsonObject = {}): StructField {
  return { name, type, nullable, metadata }
}

/** Whether two types hold the same values: names, order and kinds; not nullability, not metadata. */
export function sameType(a: DataType, b: DataType): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === 'decimal') return b.kind === 'decimal' && a.precision === b.precision && a.scale === b.scale
  if (a.kind === 'array') return b.kind === 'array' && sameType(a.element, b.element)
  if (a.kind === 'map') return b.kind === 'map' && sameType(a.key, b.key) && sameType(a.value, b.value)
  if (a.kind === 'struct') return b.kind === 'struct' && sameFields(a.fields, b.fields)
  return true
}

function sameFields(a: readonly StructField[], b: readonly StructField[]): boolean {
  return a.length === b.length && a.every((f, i) => f.name === b[i]!.name && sameType(f.type, b[i]!.type))
}

export function isNumeric(type: DataType): boolean {
  return isIntegral(type) || type.kind === 'float' || type.kind === 'double' || type.kind === 'decimal'
}

export function isIntegral(type: DataType): boolean {
  return type.kind === 'byte' || type.kind === 'short' || type.kind === 'integer' || type.kind === 'long'
}

export function isNested(type: DataType): type is StructType | ArrayType | MapType {
  return type.kind === 'struct' || type.kind === 'array' || type.kind === 'map'
}

/**
 * The field a name means, found as SQL finds it: regardless of case, an exact spelling first.
 *
 * @returns undefined when no field has the name
 */
export function findField(struct: StructType, name: string): StructField | undefined {
  const exact = struct.fields.find((f) => f.name === name)
  if (exact !== undefined) return exact
  const folded = foldCase(name)
  return struct.fields.find((f) => foldCase(f.name) === folded)
}

/** The form in which two column names are compared: Java's lower case of each character, whatever the locale. */
export function foldCase(name: string): string {
  return name.toLowerCase()
}
