/** The columns rows are sorted by. */

import type { RowCurve } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import { type Snapshot, statisticsColumns, statisticsLeaves, type TableLayout } from '../../kernel/index.ts'
import { findField, type StructField, type StructType } from '../../schema/index.ts'
import { columnPathText } from '../values/index.ts'

/**
 * Columns of a ZORDER BY in the table's own spelling.
 *
 * @throws DeltaError `DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST`, `DELTA_ZORDERING_ON_PARTITION_COLUMN`,
 * `DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS`
 */
export function zOrderColumns(paths: readonly (readonly string[])[], snapshot: Snapshot): readonly string[][] {
  const { schema, partitionColumns, layout } = snapshot
  const found = paths.map((path) => {
    const fields = fieldsAlong(path, schema)
    if (fields === undefined) {
      const columns = `[${schema.fields.map(({ name }) => name).join(', ')}]`
      throw deltaError('DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST', { column: columnPathText(path), columns })
    }
    return fields.map(({ name }) => name)
  })
  const partition = found.find(([first]) => partitionColumns.includes(first!))
  if (partition !== undefined) {
    throw deltaError('DELTA_ZORDERING_ON_PARTITION_COLUMN', { column: columnPathText(partition) })
  }
  const bounded = statisticsLeaves(layout, statisticsColumns(snapshot)).filter(({ hasBounds }) => hasBounds)
  const known = new Set(bounded.map(({ ordinals }) => ordinals.join('.')))
  const without = found.filter((path) => !known.has(columnOf(path, layout).ordinals.join('.')))
  if (without.length === 0) return found
  throw deltaError('DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS', {
    columns: `[${without.map(columnPathText).join(', ')}]`,
  })
}

/** @param paths of columns that the table has */
export function curveColumns(paths: readonly (readonly string[])[], layout: TableLayout): RowCurve['columns'] {
  return paths.map((path) => columnOf(path, layout))
}

function columnOf(path: readonly string[], { schema }: TableLayout): RowCurve['columns'][number] {
  const fields = fieldsAlong(path, schema)
  if (fields === undefined) {
    const columns = schema.fields.map(({ name }) => name)
    throw deltaError('DELTA_COLUMN_NOT_FOUND_IN_SCHEMA', { column: columnPathText(path), columns })
  }
  let struct: StructType = schema
  const ordinals = fields.map((field) => {
    const ordinal = struct.fields.indexOf(field)
    if (field.type.kind === 'struct') struct = field.type
    return ordinal
  })
  return { kind: 'column', ordinals, path: fields.map(({ name }) => name), type: fields.at(-1)!.type }
}

function fieldsAlong(path: readonly string[], schema: StructType): readonly StructField[] | undefined {
  const fields: StructField[] = []
  let struct: StructType | undefined = schema
  for (const part of path) {
    const field: StructField | undefined = struct && findField(struct, part)
    if (field === undefined) return undefined
    fields.push(field)
    struct = field.type.kind === 'struct' ? field.type : undefined
  }
  return fields.length === 0 ? undefined : fields
}
