/**
 * What the columns of a table are called in its files. Source: Delta protocol, "Column Mapping".
 */
import { findField, type StructField } from '../../schema/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'

const ID = 'delta.columnMapping.id'
const PHYSICAL_NAME = 'delta.columnMapping.physicalName'

/** The name of a field in data files, statistics and partition values. */
export function physicalName(field: StructField, layout: Pick<TableLayout, 'columnMapping'>): string {
  if (layout.columnMapping === 'none') return field.name
  const name = field.metadata[PHYSICAL_NAME]
  return typeof name === 'string' ? name : field.name
}

/** The Parquet field id of a field, or undefined where the log gives none. */
export function fieldId(field: StructField): number | undefined {
  const id = field.metadata[ID]
  return typeof id === 'number' ? id : undefined
}

/** The physical names of the partition columns, in the table's order: the keys of `partitionValues`. */
export function physicalPartitionColumns(layout: TableLayout): string[] {
  return layout.partitionColumns.map((name) => {
    const field = findField(layout.schema, name)
    return field === undefined ? name : physicalName(field, layout)
  })
}
