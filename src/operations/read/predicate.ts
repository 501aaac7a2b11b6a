/** Predicates and columns of a reading command, bound to a table's schema. */
import { deltaError } from '../../errors/index.ts'
import { type BoundExpression, bindExpression, bindPredicate, printExpression } from '../../expressions/index.ts'
import { findField, formatType, type StructType } from '../../schema/index.ts'
import type { ExpressionInput } from '../command.ts'

/** @throws DeltaError a code of the expression language; `DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN` */
export function bindWhere(where: ExpressionInput, schema: StructType): BoundExpression {
  if (typeof where === 'string') return bindPredicate(where, schema)
  const bound = bindExpression(where, schema)
  if (bound.type.kind === 'boolean') return bound
  throw deltaError('DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN', {
    expression: printExpression(where),
    type: 'text' in bound.type ? bound.type.text : formatType(bound.type),
  })
}

/**
 * The ordinals of columns by name, an exact spelling first.
 *
 * @throws DeltaError `UNRESOLVED_COLUMN.WITH_SUGGESTION`
 */
export function resolveColumns(names: readonly string[] | undefined, schema: StructType): number[] {
  if (names === undefined) return schema.fields.map((_, i) => i)
  return names.map((name) => {
    const found = findField(schema, name)
    if (found !== undefined) return schema.fields.indexOf(found)
    const proposal = schema.fields.map((f) => f.name)
    throw deltaError('UNRESOLVED_COLUMN.WITH_SUGGESTION', { name, names: 'the columns are', proposal })
  })
}
