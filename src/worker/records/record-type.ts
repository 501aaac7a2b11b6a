/**
 * The type of a record: what a source declares, what a route passes on, what a table's columns come from.
 *
 * A record type says more than a table's type: an unsigned byte, an address, any JSON. Each has one type in the table
 * (`tableTypeOf`), and what can hold no value has none.
 */
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
  type StructType,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
} from '../../schema/index.ts'

export type ScalarName =
  | 'bool'
  | 'i8'
  | 'i16'
  | 'i32'
  | 'i64'
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 'f32'
  | 'f64'
  | 'string'
  | 'bytes'
  | 'null'
  | 'date'
  | 'timestamp'
  | 'local timestamp'
  | 'duration'
  | 'uuid'
  | 'ip'
  | 'json'

export type RecordType =
  | { readonly kind: ScalarName }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'list'; readonly element: RecordType }
  | { readonly kind: 'map'; readonly value: RecordType }
  | StructRecord

export interface RecordField {
  readonly name: string
  readonly type: RecordType
}
export interface StructRecord {
  readonly kind: 'struct'
  readonly fields: readonly RecordField[]
}

const TABLE_TYPES: Readonly<Record<Exclude<ScalarName, 'null'>, DataType>> = {
  bool: booleanType,
  i8: byteType,
  i16: shortType,
  i32: integerType,
  i64: longType,
  u8: shortType,
  u16: integerType,
  u32: longType,
  u64: decimalType(20, 0),
  f32: floatType,
  f64: doubleType,
  string: stringType,
  bytes: binaryType,
  date: dateType,
  timestamp: timestampType,
  'local timestamp': timestampNtzType,
  duration: longType,
  uuid: stringType,
  ip: stringType,
  json: stringType,
}

/** @returns undefined for what can hold no value: null, and a list, map or struct of nothing else */
export function tableTypeOf(type: RecordType): DataType | undefined {
  switch (type.kind) {
    case 'null':
      return undefined
    case 'decimal':
      return decimalType(type.precision, type.scale)
    case 'list': {
      const element = tableTypeOf(type.element)
      return element === undefined ? undefined : arrayType(element)
    }
    case 'map': {
      const value = tableTypeOf(type.value)
      return value === undefined ? undefined : mapType(stringType, value)
    }
    case 'struct': {
      const columns = tableSchemaOf(type)
      return columns.fields.length === 0 ? undefined : columns
    }
    default:
      return TABLE_TYPES[type.kind]
  }
}

/** The columns a record has in a table, all nullable. */
export function tableSchemaOf(record: StructRecord): StructType {
  return structType(
    record.fields.flatMap(({ name, type }) => {
      const tableType = tableTypeOf(type)
      return tableType === undefined ? [] : [field(name, tableType)]
    }),
  )
}

/** The record type that holds exactly the values of a table type; void becomes null. */
export function recordTypeOf(type: DataType): RecordType {
  switch (type.kind) {
    case 'decimal':
      return type
    case 'array':
      return { kind: 'list', element: recordTypeOf(type.element) }
    case 'map':
      return { kind: 'map', value: recordTypeOf(type.value) }
    case 'struct':
      return { kind: 'struct', fields: type.fields.map((f) => ({ name: f.name, type: recordTypeOf(f.type) })) }
    default:
      return { kind: SCALAR_OF.get(type.kind) ?? 'json' }
  }
}

const SCALAR_OF: ReadonlyMap<string, ScalarName> = new Map([
  ['boolean', 'bool'],
  ['byte', 'i8'],
  ['short', 'i16'],
  ['integer', 'i32'],
  ['long', 'i64'],
  ['float', 'f32'],
  ['double', 'f64'],
  ['string', 'string'],
  ['binary', 'bytes'],
  ['date', 'date'],
  ['timestamp', 'timestamp'],
  ['timestamp_ntz', 'local timestamp'],
  ['void', 'null'],
])

export function sameRecordType(a: RecordType, b: RecordType): boolean {
  return formatRecordType(a) === formatRecordType(b)
}

/** The type as `parseRecordType` reads it: `struct<id: i64, tags: list<string>>`. */
export function formatRecordType(type: RecordType): string {
  switch (type.kind) {
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`
    case 'list':
      return `list<${formatRecordType(type.element)}>`
    case 'map':
      return `map<string, ${formatRecordType(type.value)}>`
    case 'struct':
      return `struct<${type.fields.map((f) => `${formatName(f.name)}: ${formatRecordType(f.type)}`).join(', ')}>`
    case 'local timestamp':
      return 'timestamp_ntz'
    default:
      return type.kind
  }
}

function formatName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
}
