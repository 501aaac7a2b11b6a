/** A table's columns as its files name them. Source: Delta protocol, "Column Mapping". */
import { physicalName, type TableLayout } from '../../kernel/index.ts'
import { FIELD_ID_KEY } from '../../parquet/index.ts'
import type { DataType, StructField } from '../../schema/index.ts'

/** The field with physical names and field ids at every depth. */
export function physicalField(field: StructField, layout: Pick<TableLayout, 'columnMapping'>): StructField {
  const id = layout.columnMapping === 'none' ? undefined : field.metadata['delta.columnMapping.id']
  return {
    name: physicalName(field, layout),
    type: physicalType(field.type, layout),
    nullable: field.nullable,
    metadata: typeof id === 'number' ? { [FIELD_ID_KEY]: id } : {},
  }
}

function physicalType(type: DataType, layout: Pick<TableLayout, 'columnMapping'>): DataType {
  switch (type.kind) {
    case 'struct':
      return { ...type, fields: type.fields.map((field) => physicalField(field, layout)) }
    case 'array':
      return { ...type, element: physicalType(type.element, layout) }
    case 'map':
      return { ...type, key: physicalType(type.key, layout), value: physicalType(type.value, layout) }
    default:
      return type
  }
}
