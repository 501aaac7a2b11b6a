/** The layout of a table from its metadata. */
import { parseSchema, structType } from '../../schema/index.ts'
import type { Metadata } from '../actions/actions.ts'
import { property } from '../properties/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'

/** @throws DeltaError `DELTA_INVALID_SCHEMA`, `DELTA_UNSUPPORTED_DATA_TYPE` */
export function layoutOf(metadata: Metadata): TableLayout {
  return {
    schema: metadata.schemaString === undefined ? structType([]) : parseSchema(metadata.schemaString),
    partitionColumns: metadata.partitionColumns,
    columnMapping: property(metadata.configuration, 'columnMapping.mode'),
  }
}
