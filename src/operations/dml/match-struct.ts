/** Structs assigned to columns: members are matched by name, at any depth. */
import { deltaError } from '../../errors/index.ts'
import type { Expression, ExpressionType } from '../../expressions/index.ts'
import { type DataType, foldCase, formatType, type StructType, stringType } from '../../schema/index.ts'

const span = { start: 0, end: 0 }

/**
 * The value with the members of its structs in the order of a column's; a value whose structs have them so already, and
 * one that is no struct, is given back as it is.
 *
 * @param column for messages
 * @throws DeltaError `DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION` where the members of two structs are not the same
 */
export function matchedStruct(value: Expression, from: ExpressionType, to: DataType, column: string): Expression {
  if (!mixesStructs(from, to)) return value
  if (from.kind === 'array' && to.kind === 'array') {
    const param = `element of ${column}`
    const item = matchedStruct({ kind: 'column', path: [param], span }, from.element, to.element, column)
    return call('transform', value, { kind: 'lambda', params: [param], body: item, span })
  }
  if (from.kind === 'map' && to.kind === 'map') return matchedMap(value, from, to, column)
  const [given, wanted] = [from as StructType, to as StructType]
  const args = wanted.fields.flatMap((field): Expression[] => {
    const member = given.fields.find(({ name }) => foldCase(name) === foldCase(field.name))
    if (member === undefined || given.fields.length !== wanted.fields.length) throw mismatch(given, wanted, column)
    const label = text(field.name)
    return [label, matchedStruct(call('getfield', value, text(member.name)), member.type, field.type, column)]
  })
  const branches = [{ when: call('isnotnull', value), then: call('named_struct', ...args) }]
  return { kind: 'case', branches, otherwise: undefined, span }
}

function matchedMap(
  value: Expression,
  from: DataType & { kind: 'map' },
  to: DataType & { kind: 'map' },
  column: string,
): Expression {
  const params = [`key of ${column}`, `value of ${column}`] as const
  const [key, item] = params.map((param): Expression => ({ kind: 'column', path: [param], span })) as [
    Expression,
    Expression,
  ]
  const keys: Expression = { kind: 'lambda', params, body: matchedStruct(key, from.key, to.key, column), span }
  const items: Expression = { kind: 'lambda', params, body: matchedStruct(item, from.value, to.value, column), span }
  return call('transform_keys', call('transform_values', value, items), keys)
}

/** Whether a struct of one and a struct of the other, in the same place, have other names or another order. */
function mixesStructs(from: ExpressionType, to: DataType): boolean {
  if (from.kind === 'array' && to.kind === 'array') return mixesStructs(from.element, to.element)
  if (from.kind === 'map' && to.kind === 'map') {
    return mixesStructs(from.key, to.key) || mixesStructs(from.value, to.value)
  }
  if (from.kind !== 'struct' || to.kind !== 'struct') return false
  const { fields } = to
  return (
    from.fields.length !== fields.length ||
    from.fields.some(({ name, type }, i) => {
      return foldCase(name) !== foldCase(fields[i]!.name) || mixesStructs(type, fields[i]!.type)
    })
  )
}

function mismatch(from: StructType, to: StructType, column: string): Error {
  return deltaError('DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION', { column, from: formatType(from), to: formatType(to) })
}

function call(name: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', name, args, span }
}

function text(value: string): Expression {
  return { kind: 'literal', value, type: stringType, span }
}
