/** A value of an INSERT as one of its column's type: cast, with members of structs matched by place or by name. */
import { deltaError } from '../../errors/index.ts'
import type { Expression, ExpressionType } from '../../expressions/index.ts'
import { type DataType, findField, type StructType, sameType, stringType } from '../../schema/index.ts'
import { callExpression, columnExpression } from '../rules/index.ts'

export interface ColumnCast {
  readonly from: ExpressionType
  readonly to: DataType
  /** of the column, for messages */
  readonly path: readonly string[]
  readonly by: 'position' | 'name'
  /** whether members that the value lacks are null; by name alone */
  readonly fills?: boolean
  /** for messages */
  readonly location: string
}

const span = { start: 0, end: 0 }

/**
 * @throws DeltaError `DELTA_INSERT_COLUMN_ARITY_MISMATCH` for a struct with too few members by place,
 * `DELTA_METADATA_MISMATCH` for one with a member that the column's struct lacks
 */
export function castToColumn(value: Expression, cast: ColumnCast): Expression {
  const { from, to } = cast
  if (from.kind === to.kind && sameType(from as DataType, to)) return value
  const matched = matchMembers(value, cast)
  return { kind: 'cast', child: matched, type: to, safe: false, span }
}

function matchMembers(value: Expression, cast: ColumnCast): Expression {
  const { from, to, path } = cast
  if (from.kind === 'struct' && to.kind === 'struct') return matchStruct(value, { ...cast, from, to })
  if (from.kind === 'array' && to.kind === 'array') {
    const param = `element of ${path.join('.')}`
    const inner = { ...cast, from: from.element, to: to.element, path: [...path, 'element'] }
    const body = matchMembers(columnExpression([param]), inner)
    return isItself(body, param) ? value : callExpression('transform', value, lambda([param], body))
  }
  if (from.kind !== 'map' || to.kind !== 'map') return value
  const params = [`key of ${path.join('.')}`, `value of ${path.join('.')}`] as const
  const inner = { ...cast, from: from.value, to: to.value, path: [...path, 'value'] }
  const body = matchMembers(columnExpression([params[1]]), inner)
  return isItself(body, params[1]) ? value : callExpression('transform_values', value, lambda(params, body))
}

function tooFewMembers({ path }: ColumnCast, from: StructType, to: StructType): Error {
  const what = `nested fields in ${path.join('.')}`
  return deltaError('DELTA_INSERT_COLUMN_ARITY_MISMATCH', { what, wanted: to.fields.length, given: from.fields.length })
}

function isItself(body: Expression, param: string): boolean {
  return body.kind === 'column' && body.path.length === 1 && body.path[0] === param
}

function lambda(params: readonly string[], body: Expression): Expression {
  return { kind: 'lambda', params, body, span }
}

interface StructCast extends ColumnCast {
  readonly from: StructType
  readonly to: StructType
}

/** A struct made anew where its members are not in their places; the value itself where they are. */
function matchStruct(value: Expression, cast: StructCast): Expression {
  const { from, to, by, path, location } = cast
  if (by === 'position' && from.fields.length < to.fields.length) throw tooFewMembers(cast, from, to)
  const extra = from.fields.find(({ name }, i) => (by === 'name' ? !findField(to, name) : i >= to.fields.length))
  if (extra !== undefined) throw extraColumn([...path, extra.name].join('.'), location)
  const members = to.fields.map((field, i) => {
    const given = by === 'name' ? findField(from, field.name) : from.fields[i]
    if (given === undefined && !cast.fills) throw tooFewMembers(cast, from, to)
    if (given === undefined) return { expression: nullOf(field.type), inPlace: false }
    const member = callExpression('getfield', value, text(given.name))
    const inner = { ...cast, from: given.type, to: field.type, path: [...path, field.name] }
    const expression = matchMembers(member, inner)
    return { expression, inPlace: expression === member && from.fields.indexOf(given) === i }
  })
  if (members.every(({ inPlace }) => inPlace)) return value
  const args = members.flatMap(({ expression }, i) => [text(to.fields[i]!.name), expression])
  const branches = [{ when: callExpression('isnotnull', value), then: callExpression('named_struct', ...args) }]
  return { kind: 'case', branches, otherwise: undefined, span }
}

function nullOf(type: DataType): Expression {
  return {
    kind: 'cast',
    child: { kind: 'literal', value: null, type: { kind: 'void' }, span },
    type,
    safe: false,
    span,
  }
}

function text(value: string): Expression {
  return { kind: 'literal', value, type: stringType, span }
}

/** A column, or a member of one, that the table lacks. */
export function extraColumn(column: string, table: string): Error {
  return deltaError('DELTA_METADATA_MISMATCH', {
    problem: `the data has the column ${column}, which ${table} does not have`,
    advice: 'leave it out, or set mergeSchema to add it',
    columns: [column],
  })
}
