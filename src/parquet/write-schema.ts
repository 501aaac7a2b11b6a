/**
 * The Parquet schema of written files: the shapes Spark, delta-rs and DuckDB all read.
 *
 * Everything is optional but map keys and the two halves of a variant; lists have three levels, maps `key_value`,
 * timestamps are INT64 microseconds, decimals the smallest of INT32, INT64 and a fixed length. Integer widths are told by
 * the converted type alone, because the logical one is written with a width other readers refuse.
 */
import type { writeColumn } from 'hyparquet-writer/src/column.js'
import { deltaError } from '../errors/index.ts'
import { type DataType, type DecimalType, formatType, type StructField, type StructType } from '../schema/index.ts'
import { FIELD_ID_KEY } from './field-id.ts'

/** One element of the footer's schema, as hyparquet-writer types it. */
export type SchemaElement = Parameters<typeof writeColumn>[0]['column']['element']

/** A node of the schema of a file that is written. */
export interface WriteNode {
  readonly element: SchemaElement
  readonly type: DataType
  /** as written, in file order; entries of a list have one, of a map two */
  readonly children: readonly WriteNode[]
  /** ordinals of the children among the members of a struct: void members are not written */
  readonly ordinals: readonly number[]
  /** the elements from the root down to this one; where it is a list or map, its entries stand between it and its children */
  readonly path: readonly SchemaElement[]
}

const ROOT: SchemaElement = { name: 'spark_schema' }

/**
 * @throws DeltaError `DELTA_UNSUPPORTED_DATA_TYPE` for void where Parquet cannot leave it out: inside arrays and maps, or
 * as all a struct or a table has
 */
export function buildWriteSchema(schema: StructType): { root: WriteNode; elements: SchemaElement[] } {
  const root = structNode({ ...ROOT }, schema, [])
  const elements: SchemaElement[] = []
  collectElements(root, elements)
  return { root, elements }
}

function structNode(element: SchemaElement, type: StructType, above: readonly SchemaElement[]): WriteNode {
  const path = [...above, element]
  const written = type.fields.map((field, i) => ({ field, i })).filter(({ field }) => field.type.kind !== 'void')
  if (written.length === 0) throw unwritable(path, type)
  element.num_children = written.length
  return {
    element,
    type,
    path,
    children: written.map(({ field }) => fieldNode(field, path)),
    ordinals: written.map(({ i }) => i),
  }
}

function fieldNode(field: StructField, above: readonly SchemaElement[]): WriteNode {
  const id = field.metadata[FIELD_ID_KEY]
  return typeNode(field.name, field.type, above, typeof id === 'number' ? id : undefined)
}

function typeNode(name: string, type: DataType, above: readonly SchemaElement[], fieldId?: number): WriteNode {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL' }
  if (fieldId !== undefined) element.field_id = fieldId
  switch (type.kind) {
    case 'struct':
      return structNode(element, type, above)
    case 'array':
      return listNode(element, type, above)
    case 'map':
      return mapNode(element, type, above)
    case 'variant':
      return variantNode(element, type, above)
    case 'void':
      throw unwritable([...above, element], type)
    default:
      Object.assign(element, leafElement(type))
      return { element, type, path: [...above, element], children: [], ordinals: [] }
  }
}

function listNode(
  element: SchemaElement,
  type: DataType & { kind: 'array' },
  above: readonly SchemaElement[],
): WriteNode {
  Object.assign(element, { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 })
  const path = [...above, element]
  const list: SchemaElement = { name: 'list', repetition_type: 'REPEATED', num_children: 1 }
  return { element, type, path, children: [typeNode('element', type.element, [...path, list])], ordinals: [] }
}

function mapNode(element: SchemaElement, type: DataType & { kind: 'map' }, above: readonly SchemaElement[]): WriteNode {
  Object.assign(element, { converted_type: 'MAP', logical_type: { type: 'MAP' }, num_children: 1 })
  const path = [...above, element]
  const entries: SchemaElement = { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 }
  const key = typeNode('key', type.key, [...path, entries])
  key.element.repetition_type = 'REQUIRED'
  return { element, type, path, children: [key, typeNode('value', type.value, [...path, entries])], ordinals: [] }
}

function variantNode(element: SchemaElement, type: DataType, above: readonly SchemaElement[]): WriteNode {
  element.num_children = 2
  const path = [...above, element]
  const half = (name: string): WriteNode => {
    const leaf: SchemaElement = { name, repetition_type: 'REQUIRED', type: 'BYTE_ARRAY' }
    return { element: leaf, type: { kind: 'binary' }, path: [...path, leaf], children: [], ordinals: [] }
  }
  return { element, type, path, children: [half('value'), half('metadata')], ordinals: [] }
}

function leafElement(type: DataType): Omit<SchemaElement, 'name'> {
  switch (type.kind) {
    case 'boolean':
      return { type: 'BOOLEAN' }
    case 'byte':
      return { type: 'INT32', converted_type: 'INT_8' }
    case 'short':
      return { type: 'INT32', converted_type: 'INT_16' }
    case 'integer':
      return { type: 'INT32' }
    case 'long':
      return { type: 'INT64' }
    case 'float':
      return { type: 'FLOAT' }
    case 'double':
      return { type: 'DOUBLE' }
    case 'string':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    case 'date':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case 'timestamp':
      return timestampElement(true)
    case 'timestamp_ntz':
      return timestampElement(false)
    case 'decimal':
      return decimalElement(type)
    default:
      return { type: 'BYTE_ARRAY' }
  }
}

/** The converted type of microseconds means UTC, so a local timestamp has the logical type alone. */
function timestampElement(utc: boolean): Omit<SchemaElement, 'name'> {
  const logical = { type: 'TIMESTAMP', isAdjustedToUTC: utc, unit: 'MICROS' } as const
  return { type: 'INT64', logical_type: logical, ...(utc && { converted_type: 'TIMESTAMP_MICROS' as const }) }
}

function decimalElement({ precision, scale }: DecimalType): Omit<SchemaElement, 'name'> {
  const common = {
    converted_type: 'DECIMAL' as const,
    logical_type: { type: 'DECIMAL' as const, precision, scale },
    precision,
    scale,
  }
  if (precision <= 9) return { type: 'INT32', ...common }
  if (precision <= 18) return { type: 'INT64', ...common }
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: fixedLength(precision), ...common }
}

/** The fewest bytes whose two's complement holds every number of that many digits; Spark reads no other length. */
function fixedLength(precision: number): number {
  let bytes = 1
  while (2n ** BigInt(8 * bytes - 1) < 10n ** BigInt(precision)) bytes++
  return bytes
}

function collectElements(node: WriteNode, elements: SchemaElement[]): void {
  elements.push(node.element)
  const entries = node.children[0]?.path.at(-2)
  if (entries !== undefined && entries !== node.element) elements.push(entries)
  for (const child of node.children) collectElements(child, elements)
}

function unwritable(path: readonly SchemaElement[], type: DataType): Error {
  const column = path.slice(1).map((element) => element.name)
  return deltaError('DELTA_UNSUPPORTED_DATA_TYPE', {
    column: column.join('.') || 'of the table',
    type: formatType(type),
  })
}
