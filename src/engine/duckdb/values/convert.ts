/** SQL that turns a value of one type and naming into another: members matched by logical name, absent ones null. */
import { physicalName } from '../../../kernel/index.ts'
import { type DataType, findField, type StructType, sameType } from '../../../schema/index.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'
import { type Naming, sqlType, storedFields } from './sql-type.ts'

export interface TypedNaming<T extends DataType = DataType> {
  readonly type: T
  readonly naming: Naming
}

/**
 * @param source SQL of a value whose SQL type is `sqlType(from.type, from.naming)`
 * @returns SQL of type `sqlType(to.type, to.naming)`
 */
export function convertSql(source: string, from: TypedNaming, to: TypedNaming): string {
  const target = sqlType(to.type, to.naming)
  if (target === sqlType(from.type, from.naming)) return source
  return `(${rebuild(source, from, to, 0)})::${target}`
}

function rebuild(source: string, from: TypedNaming, to: TypedNaming, depth: number): string {
  if (isUnchanged(from, to)) return source
  const x = `x${depth}`
  if (from.type.kind === 'struct' && to.type.kind === 'struct') {
    return rebuildStruct(source, { ...from, type: from.type }, { ...to, type: to.type }, depth)
  }
  if (from.type.kind === 'array' && to.type.kind === 'array') {
    const item = rebuild(x, { ...from, type: from.type.element }, { ...to, type: to.type.element }, depth + 1)
    return `list_transform(${source}, lambda ${x}: ${item})`
  }
  if (from.type.kind === 'map' && to.type.kind === 'map') {
    const key = rebuild(`${x}."key"`, { ...from, type: from.type.key }, { ...to, type: to.type.key }, depth + 1)
    const value = rebuild(`${x}."value"`, { ...from, type: from.type.value }, { ...to, type: to.type.value }, depth + 1)
    return `map_from_entries(list_transform(map_entries(${source}), lambda ${x}: struct_pack("key" := ${key}, "value" := ${value})))`
  }
  return source
}

function isUnchanged(from: TypedNaming, to: TypedNaming): boolean {
  return sameType(from.type, to.type) && sqlType(from.type, from.naming) === sqlType(to.type, to.naming)
}

function rebuildStruct(
  source: string,
  from: TypedNaming<StructType>,
  to: TypedNaming<StructType>,
  depth: number,
): string {
  const members = storedFields(to.type).map((field) => {
    const name = quoteIdent(physicalName(field, to.naming))
    const given = findField(from.type, field.name)
    if (given === undefined || given.type.kind === 'void') return `${name} := NULL::${sqlType(field.type, to.naming)}`
    const member = `struct_extract(${source}, ${quoteLiteral(physicalName(given, from.naming))})`
    const value = rebuild(member, { ...from, type: given.type }, { ...to, type: field.type }, depth)
    return `${name} := ${value}`
  })
  return `CASE WHEN ${source} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
}
