/**
 * The table's schema with what a MERGE with schema evolution brings.
 *
 * Only columns that clauses speak of come: all of the source's where a clause says `*`, else those that are assigned
 * under the name they have in the source. A column of both keeps the table's type; only members are added to it. Source:
 * the reference's MERGE WITH SCHEMA EVOLUTION.
 */
import { deltaError } from '../../../errors/index.ts'
import {
  type DataType,
  findField,
  foldCase,
  formatType,
  type StructField,
  type StructType,
  structType,
} from '../../../schema/index.ts'
import type { MergeClause } from '../../command.ts'
import { columnPathText } from '../../values/index.ts'

/**
 * @returns the table's own schema where nothing comes
 * @throws DeltaError `DELTA_DUPLICATE_COLUMNS_FOUND.DATA`, `DELTA_FAILED_TO_MERGE_FIELDS` where a nested column of one is
 * something else in the other
 */
export function evolvedSchema(table: StructType, source: StructType, clauses: readonly MergeClause[]): StructType {
  const wanted = wantedPaths(clauses)
  const brought = wanted === '*' ? source : pick(source, wanted)
  refuseSameNames(brought)
  return grownStruct(table, brought, [])
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

function grownStruct(table: StructType, source: StructType, above: readonly string[]): StructType {
  const grown = table.fields.map((field) => {
    const given = findField(source, field.name)
    const type = given === undefined ? field.type : grownType(field.type, given.type, [...above, field.name])
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

const NESTED = new Set(['struct', 'array', 'map'])

function grownType(table: DataType, source: DataType, path: readonly string[]): DataType {
  if (table.kind === 'struct' && source.kind === 'struct') return grownStruct(table, source, path)
  if (table.kind === 'array' && source.kind === 'array') {
    const element = grownType(table.element, source.element, [...path, 'element'])
    return element === table.element ? table : { ...table, element }
  }
  if (table.kind === 'map' && source.kind === 'map') {
    const key = grownType(table.key, source.key, [...path, 'key'])
    const value = grownType(table.value, source.value, [...path, 'value'])
    return key === table.key && value === table.value ? table : { ...table, key, value }
  }
  if (source.kind === 'void' || (!NESTED.has(table.kind) && !NESTED.has(source.kind))) return table
  throw deltaError('DELTA_FAILED_TO_MERGE_FIELDS', {
    place: 'the source',
    column: columnPathText(path),
    type: formatType(table),
    found: formatType(source),
  })
}
