/** The property `delta.dataSkippingStatsColumns`: which columns get statistics, as a list of names. */
import { deltaError } from '../../errors/index.ts'
import { findProperty, hasBounds, parseColumnList } from '../../kernel/index.ts'
import { type DataType, formatType, type StructType } from '../../schema/index.ts'
import { columnPathText } from '../values/index.ts'
import type { ColumnPath } from './action.ts'
import { findColumn } from './column-place.ts'

const KEY = 'delta.dataSkippingStatsColumns'

/**
 * The property behind a change of columns, or undefined where it is not set or stays.
 *
 * @param edit gives a column's new path, undefined where the column goes
 */
export function editStatisticsColumns(
  configuration: ReadonlyMap<string, string>,
  edit: (path: ColumnPath) => ColumnPath | undefined,
): ReadonlyMap<string, string> | undefined {
  const text = findProperty(configuration, 'dataSkippingStatsColumns')
  if (text === undefined) return undefined
  const before = parseColumnList(text)
  const after = before.map(edit).filter((path) => path !== undefined)
  if (after.length === before.length && after.every((path, i) => path === before[i])) return undefined
  return new Map([[KEY, after.map(columnPathText).join(',')]])
}

/** @throws DeltaError `DELTA_COLUMN_NOT_FOUND_IN_SCHEMA`, `DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE` */
export function checkStatisticsColumns(properties: ReadonlyMap<string, string>, schema: StructType): void {
  const text = findProperty(properties, 'dataSkippingStatsColumns')
  if (text === undefined) return
  for (const path of parseColumnList(text)) {
    const column = columnPathText(path)
    const place = findColumn(schema, path)
    if (place === undefined || place.fieldDepth < place.path.length) {
      throw deltaError('DELTA_COLUMN_NOT_FOUND_IN_SCHEMA', { column, columns: schema.fields.map(({ name }) => name) })
    }
    if (hasStatistics(place.type)) continue
    throw deltaError('DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE', { column, type: formatType(place.type) })
  }
}

/** A struct stands for the fields in it that have any. */
function hasStatistics(type: DataType): boolean {
  return type.kind === 'struct' || hasBounds(type)
}
