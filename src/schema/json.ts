/** The schema as the log stores it: JSON in the metaData action's `schemaString`. */
import { assert, deltaError } from '../errors/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, parseJson, printJson } from '../support/index.ts'
import {
  arrayType,
  type DataType,
  decimalType,
  mapType,
  type PrimitiveName,
  type StructField,
  type StructType,
  structType,
} from './types.ts'

const PRIMITIVES: ReadonlySet<string> = new Set<PrimitiveName>([
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
  'void',
  'variant',
])

/**
 * Reads a `schemaString`.
 *
 * @throws DeltaError `DELTA_INVALID_SCHEMA` when it is not a struct in JSON; `DELTA_UNSUPPORTED_DATA_TYPE` naming a type
 * this package does not know
 */
export function parseSchema(schemaString: string): StructType {
  let json: JsonValue
  try {
    json = parseJson(schemaString)
  } catch (cause) {
    throw deltaError('DELTA_INVALID_SCHEMA', { reason: 'it is not JSON' }, { cause })
  }
  const type = typeFromJson(json, '')
  if (type.kind !== 'struct') throw deltaError('DELTA_INVALID_SCHEMA', { reason: 'it is not a struct' })
  return type
}

/** Prints a schema as a `schemaString`, keys in the order the reference writes them. */
export function printSchema(schema: StructType): string {
  return printJson(typeToJson(schema))
}

/** @param path the column the type belongs to, for errors */
export function typeFromJson(json: JsonValue | undefined, path: string): DataType {
  if (typeof json === 'string') return primitiveFromText(json, path)
  if (!isJsonObject(json))
    throw deltaError('DELTA_INVALID_SCHEMA', { reason: `the type of ${path || 'the table'} is missing` })
  if (json.type === 'struct') return structFromJson(json, path)
  if (json.type === 'array') {
    return arrayType(typeFromJson(json.elementType, `${path}.element`), json.containsNull !== false)
  }
  if (json.type === 'map') {
    const key = typeFromJson(json.keyType, `${path}.key`)
    return mapType(key, typeFromJson(json.valueType, `${path}.value`), json.valueContainsNull !== false)
  }
  throw deltaError('DELTA_UNSUPPORTED_DATA_TYPE', { column: path, type: printJson(json.type) })
}

function primitiveFromText(text: string, path: string): DataType {
  if (PRIMITIVES.has(text)) return { kind: text as PrimitiveName }
  const decimal = /^decimal(?:\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\))?$/.exec(text)
  if (decimal !== null) return decimalFromText(decimal, path)
  throw deltaError('DELTA_UNSUPPORTED_DATA_TYPE', { column: path, type: text })
}

function decimalFromText([text, precisionText = '10', scaleText = '0']: RegExpExecArray, path: string): DataType {
  const precision = Number(precisionText)
  const scale = Number(scaleText)
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
    throw deltaError('DELTA_UNSUPPORTED_DATA_TYPE', { column: path, type: text })
  }
  return decimalType(precision, scale)
}

function structFromJson(json: JsonObject, path: string): StructType {
  if (!Array.isArray(json.fields))
    throw deltaError('DELTA_INVALID_SCHEMA', { reason: `${path || 'the table'} has no fields` })
  return structType((json.fields as readonly JsonValue[]).map((member) => fieldFromJson(member, path)))
}

function fieldFromJson(json: JsonValue, path: string): StructField {
  if (!isJsonObject(json) || typeof json.name !== 'string') {
    throw deltaError('DELTA_INVALID_SCHEMA', { reason: `a field of ${path || 'the table'} has no name` })
  }
  const type = typeFromJson(json.type, path === '' ? json.name : `${path}.${json.name}`)
  return {
    name: json.name,
    type,
    nullable: json.nullable !== false,
    metadata: isJsonObject(json.metadata) ? json.metadata : {},
  }
}

export function typeToJson(type: DataType): JsonValue {
  switch (type.kind) {
    case 'struct':
      return { type: 'struct', fields: type.fields.map(fieldToJson) }
    case 'array':
      return { type: 'array', elementType: typeToJson(type.element), containsNull: type.containsNull }
    case 'map':
      return {
        type: 'map',
        keyType: typeToJson(type.key),
        valueType: typeToJson(type.value),
        valueContainsNull: type.valueContainsNull,
      }
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`
    default:
      assert(PRIMITIVES.has(type.kind), `the type ${type.kind} has a JSON form`)
      return type.kind
  }
}

function fieldToJson(field: StructField): JsonObject {
  return { name: field.name, type: typeToJson(field.type), nullable: field.nullable, metadata: field.metadata }
}
