/**
 * The table types a Parquet file's columns have by themselves, for files that come without a table's schema.
 *
 * The choice is Spark's: small integers stay small, unsigned ones take the next wider type, unannotated bytes are binary.
 */
import { deltaError } from '../errors/index.ts'
import { arrayType, type DataType, decimalType, field, mapType, type StructType, structType } from '../schema/index.ts'
import { describeLeaf } from './convert.ts'
import { FIELD_ID_KEY } from './field-id.ts'
import type { SchemaNode } from './schema-tree.ts'
import { isElement } from './two-level-list.ts'

/**
 * The columns of a file, or the members of one of its groups.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_DATA_TYPE` naming a column of a type no table has (time, interval, uuid)
 */
export function inferSchema(node: SchemaNode): StructType {
  return structType(
    node.children.map((child) => {
      const metadata = child.fieldId === undefined ? {} : { [FIELD_ID_KEY]: child.fieldId }
      const repeated = child.repetition === 'REPEATED'
      const type = repeated ? arrayType(inferType(child), false) : inferType(child)
      return field(child.name, type, child.repetition === 'OPTIONAL', metadata)
    }),
  )
}

/** The type of one node, its own repetition left aside. */
export function inferType(node: SchemaNode): DataType {
  if (node.physical !== undefined) return inferLeaf(node)
  const [only, other] = node.children
  if (only?.repetition === 'REPEATED' && other === undefined) {
    if (node.annotation?.kind === 'list') return inferList(node, only)
    const [key, value] = only.children
    if (node.annotation?.kind === 'map' && key !== undefined && value !== undefined) {
      return mapType(inferType(key), inferType(value), value.repetition !== 'REQUIRED')
    }
  }
  if (node.annotation?.kind === 'variant') return { kind: 'variant' }
  return inferSchema(node)
}

function inferList(list: SchemaNode, repeated: SchemaNode): DataType {
  if (isElement(list, repeated)) return arrayType(inferType(repeated), false)
  const element = repeated.children[0]!
  return arrayType(inferType(element), element.repetition !== 'REQUIRED')
}

function inferLeaf(node: SchemaNode): DataType {
  const { annotation } = node
  switch (annotation?.kind) {
    case undefined:
      return inferPlain(node)
    case 'string':
    case 'enum':
    case 'json':
      return { kind: 'string' }
    case 'decimal':
      return decimalType(annotation.precision, annotation.scale)
    case 'date':
      return { kind: 'date' }
    case 'timestamp':
      return { kind: annotation.utc ? 'timestamp' : 'timestamp_ntz' }
    case 'integer':
      return inferInteger(annotation.signed ? annotation.bits : annotation.bits + 1)
    case 'float16':
      return { kind: 'float' }
    case 'bson':
      return { kind: 'binary' }
    case 'null':
      return { kind: 'void' }
    default:
      throw deltaError('DELTA_UNSUPPORTED_DATA_TYPE', { column: node.path.join('.'), type: describeLeaf(node) })
  }
}

/** @param bits an unsigned type counts one more */
function inferInteger(bits: number): DataType {
  if (bits <= 8) return { kind: 'byte' }
  if (bits <= 16) return { kind: 'short' }
  if (bits <= 32) return { kind: 'integer' }
  return bits <= 64 ? { kind: 'long' } : decimalType(20, 0)
}

function inferPlain(node: SchemaNode): DataType {
  const plain = {
    BOOLEAN: 'boolean',
    INT32: 'integer',
    INT64: 'long',
    INT96: 'timestamp',
    FLOAT: 'float',
    DOUBLE: 'double',
    BYTE_ARRAY: 'binary',
    FIXED_LEN_BYTE_ARRAY: 'binary',
  } as const
  return { kind: plain[node.physical!] }
}
