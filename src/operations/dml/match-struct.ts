/** Structs assigned to columns: members are matched by name, and all of them must be there. */
import { deltaError } from '../../errors/index.ts'
import type { ExpressionType } from '../../expressions/index.ts'
import { type DataType, foldCase, formatType, type StructType } from '../../schema/index.ts'

/**
 * @param column for messages
 * @throws DeltaError `DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION` where a struct of the value and the column's struct in the
 * same place do not have the same members, regardless of order and case
 */
export function refuseOtherMembers(from: ExpressionType, to: DataType, column: string): void {
  if (from.kind === 'array' && to.kind === 'array') refuseOtherMembers(from.element, to.element, column)
  else if (from.kind === 'map' && to.kind === 'map') {
    refuseOtherMembers(from.key, to.key, column)
    refuseOtherMembers(from.value, to.value, column)
  } else if (from.kind === 'struct' && to.kind === 'struct') {
    if (from.fields.length !== to.fields.length) throw mismatch(from, to, column)
    for (const { name, type } of to.fields) {
      const member = from.fields.find((field) => foldCase(field.name) === foldCase(name))
      if (member === undefined) throw mismatch(from, to, column)
      refuseOtherMembers(member.type, type, column)
    }
  }
}

function mismatch(from: StructType, to: StructType, column: string): Error {
  return deltaError('DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION', { column, from: formatType(from), to: formatType(to) })
}
