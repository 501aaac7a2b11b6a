/** What the columns of data mean for the columns of a table: the same, more, or something else. */
import { deltaError } from '../../errors/index.ts'
import {
  arrayType,
  type DataType,
  findField,
  formatType,
  mapType,
  type StructField,
  type StructType,
  sameType,
  structType,
} from '../../schema/index.ts'
import { columnPathText } from '../values/index.ts'

export interface MergedSchema {
  /** the table's columns in their order and spelling, new ones behind those of their struct, nullable */
  readonly schema: StructType
  /** paths of the columns that are new, the uppermost of each branch only */
  readonly added: readonly (readonly string[])[]
}

/**
 * Puts the columns of data into a table's schema, by name and regardless of case.
 *
 * @throws DeltaError `DELTA_FAILED_TO_MERGE_FIELDS` where a column of both has two types
 */
export function mergeSchemas(table: StructType, data: StructType): MergedSchema {
  const added: (readonly string[])[] = []
  return { schema: mergeStruct(table, data, [], added), added }
}

function mergeStruct(
  table: StructType,
  data: StructType,
  path: readonly string[],
  added: (readonly string[])[],
): StructType {
  const merged = new Map<StructField, StructField>()
  const extra: StructField[] = []
  for (const given of data.fields) {
    const known = findField(table, given.name)
    const at = [...path, known?.name ?? given.name]
    if (known === undefined) {
      added.push(at)
      extra.push({ ...given, nullable: true })
    } else merged.set(known, { ...known, type: mergeType(known.type, given.type, at, added) })
  }
  return structType([...table.fields.map((f) => merged.get(f) ?? f), ...extra])
}

function mergeType(table: DataType, data: DataType, path: readonly string[], added: (readonly string[])[]): DataType {
  if (table.kind === 'struct' && data.kind === 'struct') return mergeStruct(table, data, path, added)
  if (table.kind === 'array' && data.kind === 'array') {
    return arrayType(mergeType(table.element, data.element, [...path, 'element'], added), table.containsNull)
  }
  if (table.kind === 'map' && data.kind === 'map') {
    const key = mergeType(table.key, data.key, [...path, 'key'], added)
    const value = mergeType(table.value, data.value, [...path, 'value'], added)
    return mapType(key, value, table.valueContainsNull)
  }
  if (sameType(table, data) || data.kind === 'void') return table
  throw deltaError('DELTA_FAILED_TO_MERGE_FIELDS', {
    place: 'the data',
    column: columnPathText(path),
    type: formatType(table),
    found: formatType(data),
  })
}

/** @throws DeltaError `DELTA_METADATA_MISMATCH` naming every column the table lacks */
export function refuseNewColumns(merged: MergedSchema, table: string): void {
  if (merged.added.length === 0) return
  const columns = merged.added.map(columnPathText)
  const many = columns.length > 1 ? 's' : ''
  throw deltaError('DELTA_METADATA_MISMATCH', {
    problem: `the data has the column${many} ${columns.join(', ')}, which ${table} does not have`,
    advice: `leave ${many ? 'them' : 'it'} out, or set mergeSchema to add ${many ? 'them' : 'it'}`,
    columns,
  })
}

/** @throws DeltaError `DELTA_METADATA_MISMATCH` when a write names other partition columns than the table has */
export function refuseOtherPartitioning(
  given: readonly string[] | undefined,
  table: readonly string[],
  location: string,
): void {
  if (given === undefined || (given.length === table.length && given.every((name, i) => name === table[i]))) return
  const text = (names: readonly string[]) => (names.length === 0 ? 'nothing' : names.join(', '))
  throw deltaError('DELTA_METADATA_MISMATCH', {
    problem: `the write is partitioned by ${text(given)} and ${location} by ${text(table)}`,
    advice: 'leave partitionBy out, or overwrite the table with overwriteSchema',
  })
}
