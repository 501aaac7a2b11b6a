/**
 * The SET list of a change: which columns get which values, each of its column's own type.
 *
 * A value is cast to its column's type as CAST does it, whatever the types; structs are matched member by member, by
 * name. An assignment to a member of a struct makes a new struct of the old one's other members. Source: the
 * reference's UPDATE.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  bindScoped,
  type Expression,
  type ExpressionType,
  parseExpression,
  type Scope,
} from '../../expressions/index.ts'
import {
  type DataType,
  findField,
  foldCase,
  formatType,
  type StructType,
  sameType,
  stringType,
} from '../../schema/index.ts'
import type { ColumnValue } from '../command.ts'
import { atTime, type RowRules, refuseExplicit, refuseIdentityUpdate, valueOfDefault } from '../rules/index.ts'
import { castToColumn } from '../write/cast-to-column.ts'
import { withRefusals } from './condition.ts'
import { refuseOtherMembers } from './match-struct.ts'

/** A column, or a member of one, and what it gets, as expressions. */
export interface Assignment {
  /** names from the top level down, in any case */
  readonly column: readonly string[]
  /** DEFAULT is written as a column of that name */
  readonly value: Expression
}

export interface AssignmentPlace {
  readonly rules: RowRules
  /** what values are bound to: the table first */
  readonly scopes: readonly Scope[]
  /** true: the values are those of new rows, which may bring numbers of their own */
  readonly inserts?: boolean
}

export interface SetList {
  /** by ordinal of the table's schema, each of its column's type */
  readonly values: ReadonlyMap<number, BoundExpression>
  readonly schema: StructType
}

/** The SET list of an UPDATE: see `bindAssignments`. */
export function bindSetList(
  set: readonly ColumnValue[],
  { nowMs, ...place }: AssignmentPlace & { readonly nowMs: number },
): SetList {
  const assignments = set.map(({ column, value }): Assignment => {
    const parsed = typeof value === 'string' ? withRefusals('UPDATE', value, () => parseExpression(value)) : value
    return { column, value: atTime(parsed, nowMs) }
  })
  return { values: bindAssignments(assignments, place), schema: place.rules.layout.schema }
}

/** What arithmetic raises; inside an assignment that may be too large for its column all of it is called that. */
const ARITHMETIC = [
  'CAST_OVERFLOW',
  'NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION',
  'ARITHMETIC_OVERFLOW',
  'BINARY_ARITHMETIC_OVERFLOW',
  'DIVIDE_BY_ZERO',
] as const

/**
 * Does work that evaluates assigned values; a number too large for its column is named as the reference names it.
 *
 * @throws DeltaError `DELTA_CAST_OVERFLOW_IN_TABLE_WRITE`, what the work throws
 */
export async function namedOverflow<T>({ values }: Pick<SetList, 'values'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isDeltaError(cause, ...ARITHMETIC)) throw cause
    const narrowed = firstOf(values.values(), narrowedTo)
    if (narrowed === undefined) throw cause
    const { value = 'computed', from = 'number' } = cause.details
    const details = { value, from, column: narrowed.name, to: formatType(narrowed.type) }
    throw deltaError('DELTA_CAST_OVERFLOW_IN_TABLE_WRITE', details, { cause })
  }
}

/** A column, or a member of one, whose type may not hold what is assigned. */
interface NarrowPlace {
  readonly name: string
  readonly type: DataType
}

/** Values that an assignment casts to a type which may not hold them. */
const narrowing = new WeakMap<BoundExpression, NarrowPlace>()

/** The first such place of a value, which may be a struct made of others. */
function narrowedTo(value: BoundExpression): NarrowPlace | undefined {
  return narrowing.get(value) ?? (value.kind === 'call' ? firstOf(value.args, narrowedTo) : undefined)
}

function firstOf<T, U>(items: Iterable<T>, find: (item: T) => U | undefined): U | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const WHOLE: readonly string[] = ['byte', 'short', 'integer', 'long']
const NUMBERS: ReadonlySet<string> = new Set([...WHOLE, 'float', 'double', 'decimal', 'timestamp'])

/** Where in a column of a type a value of another may be too large. */
function narrowPlace(from: ExpressionType, to: DataType, name: string): NarrowPlace | undefined {
  if (from.kind === 'array' && to.kind === 'array') return narrowPlace(from.element, to.element, name)
  if (from.kind === 'map' && to.kind === 'map') {
    return narrowPlace(from.key, to.key, name) ?? narrowPlace(from.value, to.value, name)
  }
  if (from.kind === 'struct' && to.kind === 'struct') {
    return firstOf(to.fields, (member) => {
      const given = findField(from, member.name)
      return given && narrowPlace(given.type, member.type, member.name)
    })
  }
  return mayOverflow(from, to) ? { name, type: to } : undefined
}

function mayOverflow(from: ExpressionType, to: DataType): boolean {
  if (!NUMBERS.has(from.kind) || !(WHOLE.includes(to.kind) || to.kind === 'decimal')) return false
  if (to.kind === 'decimal') return from.kind !== 'decimal' || !sameType(from, to)
  return !WHOLE.includes(from.kind) || WHOLE.indexOf(from.kind) > WHOLE.indexOf(to.kind)
}

/** An assignment whose column is found and whose value has its type. */
interface BoundAssignment {
  readonly ordinals: readonly number[]
  readonly value: BoundExpression
}

/**
 * The new values of the top-level columns that change, by ordinal of the table's schema.
 *
 * @throws DeltaError `UNRESOLVED_COLUMN.…`, `FIELD_NOT_FOUND`, `DELTA_CONFLICT_SET_COLUMN`,
 * `DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED`, `DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE`,
 * `DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION`, `DATATYPE_MISMATCH.…` and other codes of the expression language
 */
export function bindAssignments(
  assignments: readonly Assignment[],
  place: AssignmentPlace,
): ReadonlyMap<number, BoundExpression> {
  const bound = assignments.map((assignment) => bindAssignment(assignment, place))
  refuseOverlaps(assignments, bound)
  const tops = new Set(bound.map(({ ordinals }) => ordinals[0]!))
  return new Map([...tops].map((top) => [top, newValue(columnAt(place, top), own(bound, top), 1)]))
}

function own(bound: readonly BoundAssignment[], top: number): readonly BoundAssignment[] {
  return bound.filter(({ ordinals }) => ordinals[0] === top)
}

function columnAt({ rules }: AssignmentPlace, ordinal: number): Column {
  const { name, type } = rules.layout.schema.fields[ordinal]!
  return { kind: 'column', ordinals: [ordinal], path: [name], type }
}

type Column = Extract<BoundExpression, { kind: 'column' }>

function bindAssignment({ column, value }: Assignment, place: AssignmentPlace): BoundAssignment {
  const { rules, scopes, inserts = false } = place
  const target = bindTarget(column, rules.layout.schema)
  const [top] = target.ordinals
  if (inserts) refuseExplicit(rules, new Set([top!]))
  else refuseIdentityUpdate(rules, top!)
  if (target.ordinals.length === 1 && isDefault(value, scopes)) {
    return { ordinals: target.ordinals, value: valueOfDefault(rules, top!) }
  }
  const name = target.path.join('.')
  return { ordinals: target.ordinals, value: assignedValue(value, { type: target.type as DataType, name, scopes }) }
}

function bindTarget(path: readonly string[], schema: StructType): Column {
  const span = { start: 0, end: 0 }
  const bound = bindExpression({ kind: 'column', path, span }, schema)
  if (bound.kind === 'column') return bound
  const base = bindExpression({ kind: 'column', path: path.slice(0, -1), span }, schema)
  throw deltaError('DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE', {
    column: path.join('.'),
    type: 'text' in base.type ? base.type.text : formatType(base.type),
  })
}

function isDefault(value: Expression, scopes: readonly Scope[]): boolean {
  const name = value.kind === 'column' && value.path.length === 1 ? value.path[0]! : ''
  return foldCase(name) === 'default' && scopes.every(({ schema }) => findField(schema, name) === undefined)
}

export interface AssignedColumn {
  readonly type: DataType
  /** for messages */
  readonly name: string
  /** what the value is bound to */
  readonly scopes: readonly Scope[]
}

/** A value as one of its column's type. */
export function assignedValue(value: Expression, { type, name, scopes }: AssignedColumn): BoundExpression {
  const { type: from } = bindScoped(value, scopes)
  refuseOtherMembers(from, type, name)
  const cast = castToColumn(value, { from, to: type, path: [name], by: 'name', location: name })
  const bound = bindScoped(cast, scopes)
  const narrow = narrowPlace(from, type, name.split('.').at(-1)!)
  if (narrow !== undefined) narrowing.set(bound, narrow)
  return bound
}

/** @throws DeltaError `DELTA_CONFLICT_SET_COLUMN` where a column is set twice, or a struct and a member of it */
function refuseOverlaps(assignments: readonly Assignment[], bound: readonly BoundAssignment[]): void {
  for (const [i, a] of bound.entries()) {
    for (const [j, b] of bound.entries()) {
      if (i >= j) continue
      const length = Math.min(a.ordinals.length, b.ordinals.length)
      if (a.ordinals.slice(0, length).some((ordinal, at) => ordinal !== b.ordinals[at])) continue
      const columns = [assignments[i]!, assignments[j]!].map(({ column }) => column.join('.'))
      throw deltaError('DELTA_CONFLICT_SET_COLUMN', { columns })
    }
  }
}

/** A column, or a member, with what is assigned at or below it. */
function newValue(column: Column, assignments: readonly BoundAssignment[], depth: number): BoundExpression {
  const whole = assignments.find(({ ordinals }) => ordinals.length === depth)
  if (whole !== undefined) return whole.value
  const struct = column.type as StructType
  const args = struct.fields.flatMap(({ name, type }, ordinal): BoundExpression[] => {
    const member: Column = {
      kind: 'column',
      ordinals: [...column.ordinals, ordinal],
      path: [...column.path, name],
      type,
    }
    const below = assignments.filter(({ ordinals }) => ordinals[depth] === ordinal)
    const label: BoundExpression = { kind: 'literal', value: name, type: stringType }
    return [label, below.length === 0 ? member : newValue(member, below, depth + 1)]
  })
  return { kind: 'call', name: 'named_struct', args, type: struct }
}
