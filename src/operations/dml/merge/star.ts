/**
 * What `*` stands for.
 *
 * Without schema evolution every column of the table gets the source's of the same name, which must be there. With it
 * the columns of the source decide: an update sets members of structs one by one, so that what the source lacks stays as
 * it is. Values are names of columns of the source alone. Source: the reference's MERGE.
 */
import type { Expression } from '../../../expressions/index.ts'
import { findField, type StructType } from '../../../schema/index.ts'
import type { Assignment } from '../assignments.ts'

const span = { start: 0, end: 0 }

export interface StarPlace {
  readonly source: StructType
  /** the table's own columns */
  readonly table: StructType
  readonly evolves: boolean
  /** whether new rows are made */
  readonly inserts: boolean
}

export function starAssignments({ source, table, evolves, inserts }: StarPlace): readonly Assignment[] {
  const value = (path: readonly string[]): Expression => ({ kind: 'column', path, span })
  if (!evolves) return table.fields.map(({ name }) => ({ column: [name], value: value([name]) }))
  const paths = inserts
    ? source.fields.filter(({ name }) => findField(table, name) !== undefined).map(({ name }) => [name])
    : sharedPaths(source, table)
  return paths.map((path) => ({ column: path, value: value(path) }))
}

/** Columns of both, structs of both taken apart. */
function sharedPaths(source: StructType, table: StructType, above: readonly string[] = []): (readonly string[])[] {
  return source.fields.flatMap((field): (readonly string[])[] => {
    const known = findField(table, field.name)
    if (known === undefined) return []
    const path = [...above, field.name]
    const isStruct = field.type.kind === 'struct' && known.type.kind === 'struct'
    return isStruct ? sharedPaths(field.type as StructType, known.type as StructType, path) : [path]
  })
}
