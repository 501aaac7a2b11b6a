/** ALTER TABLE DROP COLUMNS: files keep what they have, so the table must know its columns by other names. */
import { deltaError } from '../../errors/index.ts'
import type { Snapshot } from '../../kernel/index.ts'
import type { StructType } from '../../schema/index.ts'
import { clusteringPaths } from '../clustering.ts'
import { columnPathText, dottedName } from '../values/index.ts'
import type { ColumnPath } from './action.ts'
import { type ColumnPlace, editFields, findColumn, requireColumn } from './column-place.ts'
import { overlaps, refuseDependents } from './dependents.ts'
import { jsonText } from './parameters.ts'
import type { PlanAction } from './plan.ts'
import { editStatisticsColumns } from './statistics-columns.ts'

/**
 * @throws DeltaError `DELTA_UNSUPPORTED_DROP_COLUMN`, `DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN`,
 * `DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN`, `DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE`,
 * `DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA`, `UNRESOLVED_COLUMN.WITH_SUGGESTION`, those of `refuseDependents`
 */
export const planDropColumns: PlanAction<'drop columns'> = ({ columns, ifExists }, snapshot) => {
  const present = ifExists ? columns.filter((path) => findColumn(snapshot.schema, path) !== undefined) : columns
  if (present.length === 0) return undefined
  const places = present.map((path) => requireColumn(snapshot.schema, path))
  for (const place of places) refuseDrop(place, snapshot)
  const schema = places.reduce(dropColumn, snapshot.schema)
  const paths = places.map(({ path }) => path)
  return {
    operation: 'DROP COLUMNS',
    operationParameters: { columns: jsonText(paths.map(dottedName)) },
    change: { schema, ...withoutStatistics(snapshot, paths) },
  }
}

function refuseDrop({ path, fieldDepth }: ColumnPlace, snapshot: Snapshot): void {
  const { store, layout, partitionColumns } = snapshot
  const details = { column: columnPathText(path), path: store.location }
  if (layout.columnMapping === 'none') throw deltaError('DELTA_UNSUPPORTED_DROP_COLUMN', details)
  if (fieldDepth < path.length) {
    const parent = columnPathText(path.slice(0, -1))
    throw deltaError('DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE', { ...details, parent })
  }
  if (path.length === 1 && partitionColumns.includes(path[0]!)) {
    throw deltaError('DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN', details)
  }
  if (clusteringPaths(snapshot).some((clustering) => overlaps(path, clustering) && path.length <= clustering.length)) {
    throw deltaError('DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN', details)
  }
  refuseDependents(snapshot, path)
}

function dropColumn(schema: StructType, { path }: ColumnPlace): StructType {
  const name = path.at(-1)!
  return editFields(schema, path.slice(0, -1), (fields) => {
    const left = fields.filter((field) => field.name !== name)
    if (left.length > 0) return left
    const parent = path.length === 1 ? 'the table' : columnPathText(path.slice(0, -1))
    throw deltaError('DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA', { column: columnPathText(path), parent })
  })
}

/** The property that names columns with statistics no longer names those that are gone. */
function withoutStatistics({ configuration }: Snapshot, dropped: readonly ColumnPath[]) {
  const kept = editStatisticsColumns(configuration, (path) =>
    dropped.some((gone) => overlaps(gone, path) && gone.length <= path.length) ? undefined : path,
  )
  return kept === undefined ? {} : { set: kept }
}
