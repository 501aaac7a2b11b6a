/** ALTER TABLE RENAME COLUMN: files keep the name they have, so the table must know its columns by other names. */
import { deltaError } from '../../errors/index.ts'
import type { Snapshot } from '../../kernel/index.ts'
import { columnPathText, dottedName } from '../values/index.ts'
import type { ColumnPath } from './action.ts'
import { editField, requireColumn, requireStruct } from './column-place.ts'
import { overlaps, refuseDependents } from './dependents.ts'
import { indexOfField } from './place-field.ts'
import type { PlanAction } from './plan.ts'
import { editStatisticsColumns } from './statistics-columns.ts'

/**
 * @throws DeltaError `FIELD_ALREADY_EXISTS`, `INVALID_FIELD_NAME`, `DELTA_UNSUPPORTED_RENAME_COLUMN`,
 * `UNRESOLVED_COLUMN.WITH_SUGGESTION`, those of `refuseDependents`
 */
export const planRenameColumn: PlanAction<'rename column'> = ({ column, to }, snapshot) => {
  const { schema, store, layout, partitionColumns } = snapshot
  const { path } = requireColumn(schema, column)
  const { path: parent, struct } = requireStruct(schema, path)
  const target = [...parent, to]
  if (indexOfField(struct.fields, to) >= 0) {
    throw deltaError('FIELD_ALREADY_EXISTS', { column: columnPathText(target), verb: 'given' })
  }
  refuseDependents(snapshot, path)
  if (layout.columnMapping === 'none') {
    throw deltaError('DELTA_UNSUPPORTED_RENAME_COLUMN', { column: columnPathText(path), path: store.location })
  }
  return {
    operation: 'RENAME COLUMN',
    operationParameters: { oldColumnPath: dottedName(path), newColumnPath: dottedName(target) },
    change: {
      schema: editField(schema, path, (field) => ({ ...field, name: to })),
      partitionColumns: partitionColumns.map((name) => (path.length === 1 && name === path[0] ? to : name)),
      ...renamedStatistics(snapshot, path, target),
    },
  }
}

function renamedStatistics({ configuration }: Snapshot, from: ColumnPath, to: ColumnPath) {
  const set = editStatisticsColumns(configuration, (path) =>
    from.length <= path.length && overlaps(from, path) ? [...to, ...path.slice(from.length)] : path,
  )
  return set === undefined ? {} : { set }
}
