/** Structs made and taken apart. Void members are in no SQL struct. */
import { quoteIdent, quoteLiteral } from '../../sql-text.ts'
import { LOGICAL, sqlType } from '../../values/sql-type.ts'
import { notCompiled } from '../fragment.ts'
import { type CallForm, type CompiledCall, constantOf, lenient, strict } from './call-form.ts'

/** Names that differ in case only are one name to DuckDB. */
function refuseSameNames(names: readonly string[]): void {
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw notCompiled('a struct with a name twice')
}

const namedStruct: CallForm = lenient((args, call) => {
  if (call.type.kind !== 'struct') throw notCompiled('a struct of another type')
  const { fields } = call.type
  refuseSameNames(fields.map(({ name }) => name))
  const members = fields.flatMap(({ name, type }, i) =>
    type.kind === 'void' ? [] : [`${quoteIdent(name)} := ${args[2 * i + 1]}`],
  )
  if (members.length === 0) throw notCompiled('a struct without members')
  return `CAST(struct_pack(${members.join(', ')}) AS ${sqlType(call.type, LOGICAL)})`
})

const getField: CallForm = strict(([struct], call) => memberSql(struct!, call))

function memberSql(struct: string, call: CompiledCall): string {
  const [type] = call.types
  const ordinal = constantOf(call, 1)
  const member = type?.kind === 'struct' && typeof ordinal === 'number' ? type.fields[ordinal] : undefined
  if (member === undefined) throw notCompiled('a field of what is no struct')
  if (member.type.kind === 'void') return 'CAST(NULL AS INTEGER)'
  return `struct_extract(${struct}, ${quoteLiteral(member.name)})`
}

export const structForms: readonly (readonly [string, CallForm])[] = [
  ['named_struct', namedStruct],
  ['getfield', getField],
]
