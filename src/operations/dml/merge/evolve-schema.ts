/**
 * The table's schema with what a MERGE with schema evolution brings.
 *
 * Only columns that clauses speak of come: all of the source's where a clause says `*`, else those that are assigned
 * under the name they have in the source. A column of both keeps the table's type, or grows to the source's where type
 * widening is on and lists the step; members are added to it. Source: the reference's MERGE WITH SCHEMA EVOLUTION.
 */
import { deltaError } from '../../../errors/index.ts'
import { foldCase, type StructField, type StructType, structType } from '../../../schema/index.ts'
import type { MergeClause } from '../../command.ts'
import { mergeSchemas } from '../../write/merge-schema.ts'

/**
 * @returns the table's own schema where nothing comes
 * @throws DeltaError `DELTA_DUPLICATE_COLUMNS_FOUND.DATA`, `DELTA_FAILED_TO_MERGE_FIELDS` where a nested column of one is
 * something else in the other
 */
export function evolvedSchema(
  table: StructType,
  source: StructType,
  clauses: readonly MergeClause[],
  { widens }: { readonly widens: boolean },
): StructType {
  const wanted = wantedPaths(clauses)
  const brought = wanted === '*' ? source : pick(source, wanted)
  refuseSameNames(brought)
  const given = structType(brought.fields.map(bare))
  const { schema, added, widened } = mergeSchemas(table, given, { widens, casts: true, place: 'the source' })
  return added.length === 0 && widened.length === 0 ? table : schema
}

function refuseSameNames({ fields }: StructType): void {
  const names = fields.map(({ name }) => foldCase(name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) {
    throw deltaError('DELTA_DUPLICATE_COLUMNS_FOUND.DATA', { columns: twice })
  }
}

function wantedPaths(clauses: readonly MergeClause[]): '*' | readonly (readonly string[])[] {
  const paths: (readonly string[])[] = []
  for (const clause of clauses) {
    if (clause.action === 'delete' || clause.when === 'notMatchedBySource') continue
    if (clause.set === '*') return '*'
    paths.push(...clause.set.map(({ column }) => column))
  }
  return paths
}

/** The columns, or members, that paths name. */
function pick(struct: StructType, paths: readonly (readonly string[])[]): StructType {
  const fields = struct.fields.flatMap((field): StructField[] => {
    const own = paths.filter(([name]) => foldCase(name ?? '') === foldCase(field.name))
    if (own.length === 0) return []
    if (field.type.kind !== 'struct' || own.some((path) => path.length === 1)) return [field]
    const members = pick(
      field.type,
      own.map((path) => path.slice(1)),
    )
    return members.fields.length === 0 ? [] : [{ ...field, type: members }]
  })
  return structType(fields)
}

/** What the source's table says of a column is not taken over. */
function bare({ name, type }: StructField): StructField {
  return { name, type, nullable: true, metadata: {} }
}
