/** Values of one type as those of another, nested ones member by member, for sources that have fewer or more members. */
import type { Expression } from '../../../expressions/index.ts'
import { type DataType, findField, type StructType, sameType, stringType } from '../../../schema/index.ts'

const span = { start: 0, end: 0 }

/**
 * The value as one of another type: members of structs by name, those it lacks null, those the type lacks left out;
 * anything else by CAST.
 */
export function alignedValue(value: Expression, from: DataType, to: DataType): Expression {
  if (sameType(from, to)) return value
  if (from.kind === 'struct' && to.kind === 'struct') return alignedStruct(value, from, to)
  if (from.kind === 'array' && to.kind === 'array') {
    const element = alignedValue(variable('element'), from.element, to.element)
    return call('transform', value, lambda(['element'], element))
  }
  if (from.kind === 'map' && to.kind === 'map') {
    const values = lambda(['key', 'value'], alignedValue(variable('value'), from.value, to.value))
    const keys = lambda(['key', 'value'], alignedValue(variable('key'), from.key, to.key))
    return call('transform_keys', call('transform_values', value, values), keys)
  }
  return castTo(value, to)
}

function alignedStruct(value: Expression, from: StructType, to: StructType): Expression {
  const members = to.fields.flatMap((field): Expression[] => {
    const given = findField(from, field.name)
    const member =
      given === undefined
        ? castTo({ kind: 'literal', value: null, type: { kind: 'void' }, span }, field.type)
        : alignedValue(call('getfield', value, text(given.name)), given.type, field.type)
    return [text(field.name), member]
  })
  const branches = [{ when: call('isnotnull', value), then: call('named_struct', ...members) }]
  return { kind: 'case', branches, otherwise: undefined, span }
}

function castTo(child: Expression, type: DataType): Expression {
  return { kind: 'cast', child, type, safe: false, span }
}

function call(name: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', name, args, span }
}

function lambda(params: readonly string[], body: Expression): Expression {
  return { kind: 'lambda', params, body, span }
}

function variable(name: string): Expression {
  return { kind: 'column', path: [name], span }
}

function text(value: string): Expression {
  return { kind: 'literal', value, type: stringType, span }
}
