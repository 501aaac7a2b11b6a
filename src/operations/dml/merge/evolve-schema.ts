/**
 * The table's schema with what a MERGE with schema evolution brings.
 *
 * Only columns that clauses speak of come: all of the source's where a clause says `*`, else those that are assigned
 * under the name they have in the source. A column of both keeps the table's type; only members are added to it. Source:
 * the reference's MERGE WITH SCHEMA EVOLUTION.
 */
import {
  type DataType,
  findField,
  foldCase,
  type StructField,
  type StructType,
  structType,
} from '../../../schema/index.ts'
import type { MergeClause } from '../../command.ts'

/** @returns the table's own schema where nothing comes */
export function evolvedSchema(table: StructType, source: StructType, clauses: readonly MergeClause[]): StructType {
  const wanted = wantedPaths(clauses)
  const brought = wanted === '*' ? source : pick(source, wanted)
  return grownStruct(table, brought)
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

function grownStruct(table: StructType, source: StructType): StructType {
  const grown = table.fields.map((field) => {
    const given = findField(source, field.name)
    const type = given === undefined ? field.type : grownType(field.type, given.type)
    return type === field.type ? field : { ...field, type }
  })
  const added = source.fields.filter(({ name }) => findField(table, name) === undefined).map(asNewColumn)
  const isSame = added.length === 0 && grown.every((field, i) => field === table.fields[i])
  return isSame ? table : structType([...grown, ...added])
}

/** What the source's table says of a column is not taken over. */
function asNewColumn({ name, type }: StructField): StructField {
  return { name, type, nullable: true, metadata: {} }
}

function grownType(table: DataType, source: DataType): DataType {
  if (table.kind === 'struct' && source.kind === 'struct') return grownStruct(table, source)
  if (table.kind === 'array' && source.kind === 'array') {
    const element = grownType(table.element, source.element)
    return element === table.element ? table : { ...table, element }
  }
  if (table.kind === 'map' && source.kind === 'map') {
    const [key, value] = [grownType(table.key, source.key), grownType(table.value, source.value)]
    return key === table.key && value === table.value ? table : { ...table, key, value }
  }
  return table
}
