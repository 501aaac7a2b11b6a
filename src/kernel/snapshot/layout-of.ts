/** The layout of a table from its protocol and metadata. */
import { deltaError } from '../../errors/index.ts'
import { parseSchema, structType } from '../../schema/index.ts'
import type { Metadata, Protocol } from '../actions/actions.ts'
import { supportsFeature } from '../features/index.ts'
import { property } from '../properties/index.ts'
import type { ColumnMappingMode, RowTrackingColumns, TableLayout } from './layout.ts'

/**
 * The shape by which files are read and written. A column mapping mode counts only where the protocol has the feature.
 *
 * @throws DeltaError `DELTA_INVALID_SCHEMA`, `DELTA_UNSUPPORTED_DATA_TYPE`,
 * `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED` for a column mapping mode that does not exist
 */
export function layoutOf(protocol: Protocol, metadata: Metadata): TableLayout {
  const { schemaString, partitionColumns } = metadata
  const schema = schemaString === undefined ? structType([]) : parseSchema(schemaString)
  // by their own spelling: that is what partition values go by
  const names = new Set(schema.fields.map(({ name }) => name))
  const lost = schemaString === undefined ? undefined : partitionColumns.find((name) => !names.has(name))
  if (lost !== undefined) {
    throw deltaError('DELTA_INVALID_SCHEMA', { reason: `the partition column ${lost} is not in it` })
  }
  const rowTracking = rowTrackingColumns(protocol, metadata)
  const columnMapping = columnMappingMode(protocol, metadata)
  const enforcesGeneration = schema.fields.some((f) => f.metadata['delta.generationExpression'] !== undefined)
  return {
    schema,
    partitionColumns,
    columnMapping,
    ...(supportsFeature(protocol, 'materializePartitionColumns') && { storesPartitions: true }),
    ...(enforcesGeneration && supportsFeature(protocol, 'generatedColumns') && { enforcesGeneration }),
    ...(rowTracking && { rowTracking }),
  }
}

/** Ids are stable only while row tracking is enabled; a feature that is merely listed promises nothing to readers. */
function rowTrackingColumns(protocol: Protocol, { configuration }: Metadata): RowTrackingColumns | undefined {
  if (!supportsFeature(protocol, 'rowTracking') || !property(configuration, 'enableRowTracking')) return undefined
  const rowId = property(configuration, 'rowTracking.materializedRowIdColumnName')
  const rowCommitVersion = property(configuration, 'rowTracking.materializedRowCommitVersionColumnName')
  return rowId === undefined || rowCommitVersion === undefined ? undefined : { rowId, rowCommitVersion }
}

function columnMappingMode(protocol: Protocol, metadata: Metadata): ColumnMappingMode {
  return supportsFeature(protocol, 'columnMapping') ? property(metadata.configuration, 'columnMapping.mode') : 'none'
}
