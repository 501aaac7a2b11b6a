/** A record type as the scanner walks it. */
import type { DataType, StructType } from '../../../schema/index.ts'
import { encodeUtf8 } from '../../../support/index.ts'

export interface StructNode {
  readonly names: readonly Uint8Array[]
  /** the same as text, one character a byte */
  readonly latinNames: readonly string[]
  /** `"name":` without a space, as most writers put it */
  readonly heads: readonly Uint8Array[]
  /** ASCII lower case, for names spelt otherwise */
  readonly folded: readonly string[]
  readonly members: readonly Node[]
  readonly required: readonly number[]
  /** the object in which each member was seen last */
  readonly seen: Float64Array
  objects: number
}

/** Kinds are numbers and nodes have one shape: that is what keeps the scanner as fast as the bytes come. */
export const INTEGER = 0
export const DECIMAL = 1
export const DOUBLE = 2
export const STRING = 3
export const BOOLEAN = 4
export const DATE = 5
export const TIMESTAMP = 6
export const TIMESTAMP_NTZ = 7
export const BINARY = 8
export const STRUCT = 9
export const ARRAY = 10
export const OTHER = 11

export interface Node {
  readonly kind: number
  /** digits before the point that surely fit */
  readonly digits: number
  /** digits behind the point that fit */
  readonly scale: number
  readonly struct: StructNode | undefined
  readonly element: Node | undefined
  readonly containsNull: boolean
}

/** Digits that surely fit. */
const INTEGER_DIGITS = { byte: 2, short: 4, integer: 9, long: 18 } as const
/** The nodes of a record type. */
export function structNode(type: StructType): StructNode {
  const texts = type.fields.map((field) => JSON.stringify(field.name))
  const names = texts.map((text) => encodeUtf8(text.slice(1, -1)))
  return {
    names,
    latinNames: names.map((name) => String.fromCharCode(...name)),
    heads: texts.map((text) => encodeUtf8(`${text}:`)),
    folded: type.fields.map((field) => field.name.toLowerCase()),
    members: type.fields.map((field) => nodeOf(field.type)),
    required: type.fields.flatMap((field, i) => (field.nullable ? [] : [i])),
    seen: new Float64Array(type.fields.length),
    objects: 0,
  }
}

function nodeOf(type: DataType): Node {
  const node = { kind: OTHER, digits: 0, scale: 0, struct: undefined, element: undefined, containsNull: true }
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return { ...node, kind: INTEGER, digits: INTEGER_DIGITS[type.kind] }
    case 'decimal':
      return { ...node, kind: DECIMAL, digits: type.precision - type.scale, scale: type.scale }
    case 'struct':
      return { ...node, kind: STRUCT, struct: structNode(type) }
    case 'array':
      return { ...node, kind: ARRAY, element: nodeOf(type.element), containsNull: type.containsNull }
    case 'float':
    case 'double':
      return { ...node, kind: DOUBLE }
    case 'string':
      return { ...node, kind: STRING }
    case 'boolean':
      return { ...node, kind: BOOLEAN }
    case 'date':
      return { ...node, kind: DATE }
    case 'timestamp':
      return { ...node, kind: TIMESTAMP }
    case 'timestamp_ntz':
      return { ...node, kind: TIMESTAMP_NTZ }
    case 'binary':
      return { ...node, kind: BINARY }
    default:
      return node
  }
}
