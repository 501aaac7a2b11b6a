/**
 * Several tables in sight of one expression, as in a MERGE or a join.
 *
 * Their columns stand behind each other in one joint schema, and a bound column carries its ordinal in that: evaluators
 * take the row of the first table with those of the others behind it, and need to know nothing of scopes.
 */
import { type StructType, structType } from '../schema/index.ts'

export interface Scope {
  /** what may stand before a dot in front of its columns: an alias, or the table's own name */
  readonly name?: string
  readonly schema: StructType
  /** true: its columns keep their ordinals and cannot be named */
  readonly hidden?: boolean
}

/** The columns of all scopes in order, hidden ones too. Names may occur twice. */
export function jointSchema(scopes: readonly Scope[]): StructType {
  return structType(scopes.flatMap(({ schema }) => schema.fields))
}
