/** Values under the names of the columns they go into. */
import type { NamedExpression } from '../../engine/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { CHANGE_TYPE, type TableLayout } from '../../kernel/index.ts'

/** @param values of the layout's columns, in order */
export function namedColumns({ schema }: TableLayout, values: readonly BoundExpression[]): NamedExpression[] {
  return values.map((expression, ordinal) => ({ name: schema.fields[ordinal]!.name, expression }))
}

/** A row of the change feed: a row of the table and what happened to it. */
export function changeColumns(
  layout: TableLayout,
  values: readonly BoundExpression[],
  kind: BoundExpression,
): NamedExpression[] {
  return [...namedColumns(layout, values), { name: CHANGE_TYPE, expression: kind }]
}
