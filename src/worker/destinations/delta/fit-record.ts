/** What a table lacks of a record, and where the two contradict each other. */
import { type DeltaError, deltaError } from '../../../errors/index.ts'
import {
  arrayType,
  type DataType,
  deltaTypeName,
  findField,
  mapType,
  type StructField,
  type StructType,
  sameType,
  structType,
} from '../../../schema/index.ts'

export interface RecordFit {
  /** the table's schema with what the record adds, all nullable, at any depth */
  readonly schema: StructType
  /** paths of the fields added */
  readonly added: readonly string[]
  /** `WORKER_TABLE_FIELD_TYPE`, one for each field of two types */
  readonly faults: readonly DeltaError[]
}

/** Joins a record's columns to a table's: names match regardless of case, the table keeps its spelling and order. */
export function fitRecord(record: StructType, table: StructType): RecordFit {
  const added: string[] = []
  const faults: DeltaError[] = []
  const schema = joinStructs(record, table, '', { added, faults })
  return { schema, added, faults }
}

interface Findings {
  readonly added: string[]
  readonly faults: DeltaError[]
}

function joinStructs(record: StructType, table: StructType, path: string, found: Findings): StructType {
  const fields = [...table.fields]
  for (const wanted of record.fields) {
    const existing = findField(table, wanted.name)
    if (existing === undefined) {
      found.added.push(path + wanted.name)
      fields.push(wanted)
    } else {
      fields[fields.indexOf(existing)] = joinFields(wanted, existing, path, found)
    }
  }
  return structType(fields)
}

function joinFields(record: StructField, table: StructField, path: string, found: Findings): StructField {
  const type = joinTypes(record.type, table.type, `${path}${table.name}.`, found)
  if (type !== undefined) return { ...table, type }
  found.faults.push(
    deltaError('WORKER_TABLE_FIELD_TYPE', {
      field: path + table.name,
      tableType: deltaTypeName(table.type),
      recordField: path + record.name,
      recordType: deltaTypeName(record.type),
    }),
  )
  return table
}

/** @returns undefined where no value of the record can stand in the table's column */
function joinTypes(record: DataType, table: DataType, path: string, found: Findings): DataType | undefined {
  if (record.kind === 'struct' && table.kind === 'struct') return joinStructs(record, table, path, found)
  if (record.kind === 'array' && table.kind === 'array') {
    const element = joinTypes(record.element, table.element, `${path}element.`, found)
    return element === undefined ? undefined : arrayType(element, table.containsNull)
  }
  if (record.kind === 'map' && table.kind === 'map') {
    const value = joinTypes(record.value, table.value, `${path}value.`, found)
    if (value === undefined || !sameType(record.key, table.key)) return undefined
    return mapType(table.key, value, table.valueContainsNull)
  }
  return sameType(record, table) ? table : undefined
}
