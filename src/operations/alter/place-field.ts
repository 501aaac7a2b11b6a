/** Where a field goes among its neighbours. */
import { deltaError } from '../../errors/index.ts'
import { foldCase, type StructField } from '../../schema/index.ts'
import type { ColumnPosition } from './action.ts'

/**
 * The fields with one more at its place.
 *
 * @throws DeltaError `FIELD_NOT_FOUND` where the one to go behind is not there
 */
export function placeField(
  fields: readonly StructField[],
  field: StructField,
  position: ColumnPosition | undefined,
): StructField[] {
  if (position === undefined) return [...fields, field]
  if (position === 'first') return [field, ...fields]
  const at = indexOfField(fields, position.after)
  if (at < 0) {
    throw deltaError('FIELD_NOT_FOUND', {
      column: field.name,
      after: position.after,
      fields: fields.map(({ name }) => name),
    })
  }
  return [...fields.slice(0, at + 1), field, ...fields.slice(at + 1)]
}

/** -1 where no field has the name, regardless of case. */
export function indexOfField(fields: readonly StructField[], name: string): number {
  const folded = foldCase(name)
  return fields.findIndex((field) => foldCase(field.name) === folded)
}
