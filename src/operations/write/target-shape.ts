/** The columns and partitioning a table has after a write. */
import { type PlannedMetadata, planMetadataChange, property, type Snapshot } from '../../kernel/index.ts'
import { printSchema, type StructType } from '../../schema/index.ts'
import type { WriteCommand } from '../command.ts'
import { mergeSchemas, refuseNewColumns, refuseOtherPartitioning } from './merge-schema.ts'

/**
 * What a write changes about its table, or undefined when it changes rows only.
 *
 * @param data the columns of the data; undefined where records are held to the table's own
 * @throws DeltaError `DELTA_METADATA_MISMATCH`, `DELTA_FAILED_TO_MERGE_FIELDS`, those of `planMetadataChange`
 */
export function targetShape(
  snapshot: Snapshot,
  data: StructType | undefined,
  { partitionBy, mergeSchema, overwriteSchema }: WriteCommand,
): PlannedMetadata | undefined {
  const path = snapshot.store.location
  if (overwriteSchema && data !== undefined) return replacedShape(snapshot, data, partitionBy ?? [])
  refuseOtherPartitioning(partitionBy, snapshot.partitionColumns, path)
  if (data === undefined) return undefined
  const widens = property(snapshot.configuration, 'enableTypeWidening')
  const merged = mergeSchemas(snapshot.schema, data, { widens })
  if (!mergeSchema) refuseNewColumns(merged, path)
  return merged.added.length + merged.widened.length === 0
    ? undefined
    : planMetadataChange(snapshot, { schema: merged.schema }, path)
}

/** Columns that come back under their name and type keep what files call them; all else of a column is the data's. */
function replacedShape(
  snapshot: Snapshot,
  schema: StructType,
  partitionColumns: readonly string[],
): PlannedMetadata | undefined {
  const samePartitioning = partitionColumns.join('\u0000') === snapshot.partitionColumns.join('\u0000')
  if (samePartitioning && printSchema(schema) === printSchema(snapshot.schema)) return undefined
  return planMetadataChange(snapshot, { schema, replacesSchema: true, partitionColumns }, snapshot.store.location)
}
