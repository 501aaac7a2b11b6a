/** The clauses of a MERGE as expressions over the joint row of table and source. */
import type { RowCheck } from '../../../engine/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { type BoundExpression, bindScoped, bindScopedCondition } from '../../../expressions/index.ts'
import { type DataType, findField, foldCase, type StructField, type StructType } from '../../../schema/index.ts'
import type { MergeClause } from '../../command.ts'
import { type RowRules, valueOfDefault } from '../../rules/index.ts'
import { type Assignment, bindAssignments } from '../assignments.ts'
import { newRow } from '../new-row.ts'
import { alignedValue } from './align-value.ts'
import { inClause, type MergeNames, type Sight, scopesOf, targetPath } from './merge-names.ts'
import type { ParsedClause } from './parse-merge.ts'
import { starAssignments } from './star.ts'

/** A clause, ready to be carried out. */
export interface BoundClause {
  /** its place among the clauses */
  readonly id: number
  readonly when: MergeClause['when']
  readonly action: MergeClause['action']
  /** absent: it always applies */
  readonly condition: BoundExpression | undefined
  /** the new row, one value for each of the table's own columns; absent where rows are deleted */
  readonly row: readonly BoundExpression[] | undefined
  /** values that are cast to the type of a column that may be too narrow, by ordinal */
  readonly assigned: ReadonlyMap<number, BoundExpression>
}

export interface BoundClauses {
  readonly clauses: readonly BoundClause[]
  /** what every row written must meet */
  readonly checks: readonly RowCheck[]
}

export interface ClauseGround {
  readonly names: MergeNames
  readonly rules: RowRules
  /** whether the source may lack columns, and columns of structs, that the table has */
  readonly evolves: boolean
}

const SIGHTS: Readonly<Record<MergeClause['when'], Sight>> = {
  matched: 'both',
  notMatched: 'source',
  notMatchedBySource: 'target',
}

/**
 * @throws DeltaError `DELTA_MERGE_UNRESOLVED_EXPRESSION`, `AMBIGUOUS_REFERENCE`, `DELTA_CONFLICT_SET_COLUMN`,
 * `DELTA_DUPLICATE_COLUMNS_ON_INSERT`, `DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION`, those of `bindAssignments` and
 * `inClause`
 */
export function bindClauses(clauses: readonly ParsedClause[], ground: ClauseGround): BoundClauses {
  const checks = new Set<RowCheck>(ground.rules.checks)
  const bound = clauses.map((clause, id): BoundClause => {
    const { when, action } = clause
    const condition = bindCondition(clause, ground)
    if (clause.action === 'delete') return { id, when, action, condition, row: undefined, assigned: new Map() }
    const { row, assigned, checks: own } = bindRow(clause, ground)
    for (const check of own) checks.add(check)
    return { id, when, action, condition, row, assigned }
  })
  return { clauses: bound, checks: [...checks] }
}

function bindCondition(
  { when, action, condition }: ParsedClause,
  { names }: ClauseGround,
): BoundExpression | undefined {
  if (condition === undefined) return undefined
  const part = { operation: `the ${action.toUpperCase()} condition of MERGE`, input: condition }
  const sight = SIGHTS[when]
  return inClause(part, names, sight, () => bindScopedCondition(condition, scopesOf(names, sight)))
}

function bindRow(clause: ParsedClause, ground: ClauseGround) {
  const { names, rules, evolves } = ground
  const { when, action } = clause
  const part = { operation: `the ${action.toUpperCase()} clause of MERGE` }
  // what stands for * are columns of the source
  const sight = clause.set === '*' ? 'source' : SIGHTS[when]
  return inClause(part, names, sight, () => {
    const assignments = assignmentsOf(clause, ground)
    const scopes = scopesOf(names, sight)
    const fitted = evolves ? assignments.map((one) => fittedValue(one, ground, sight)) : assignments
    const assigned = bindAssignments(fitted, { rules, scopes, inserts: action === 'insert' })
    const { values, checks } = newRow(rules, action === 'insert' ? completed(assigned, rules) : assigned)
    return { row: values, assigned, checks }
  })
}

function assignmentsOf(clause: ParsedClause, { names, rules, evolves }: ClauseGround): readonly Assignment[] {
  const { set, action } = clause
  if (set === '*')
    return starAssignments({ source: names.source, table: rules.layout.schema, evolves, inserts: action === 'insert' })
  const assignments = set.map(({ column, value }) => ({
    column: targetPath(column, names),
    value,
  }))
  if (action === 'insert') refuseInsertColumns(assignments)
  return assignments
}

function refuseInsertColumns(assignments: readonly Assignment[]): void {
  const seen = new Set<string>()
  for (const { column } of assignments) {
    if (column.length > 1) {
      const operation = 'the INSERT clause of MERGE'
      throw deltaError('DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION', { column: column.join('.'), operation })
    }
    const name = foldCase(column[0] ?? '')
    if (seen.has(name)) throw deltaError('DELTA_DUPLICATE_COLUMNS_ON_INSERT', { column: column[0] })
    seen.add(name)
  }
}

/** A value of a source that may lack members of the column's type. */
function fittedValue({ column, value }: Assignment, { names, rules }: ClauseGround, sight: Sight): Assignment {
  const to = typeAt(rules.layout.schema, column)
  const isDefault = value.kind === 'column' && value.path.length === 1 && foldCase(value.path[0]!) === 'default'
  if (to === undefined || isDefault) return { column, value }
  const { type } = bindScoped(value, scopesOf(names, sight))
  return { column, value: isNestedPair(type.kind, to.kind) ? alignedValue(value, type as DataType, to) : value }
}

function isNestedPair(from: string, to: string): boolean {
  return from === to && (from === 'struct' || from === 'array' || from === 'map')
}

function typeAt(schema: StructType, path: readonly string[]): DataType | undefined {
  let type: DataType = schema
  for (const name of path) {
    const field: StructField | undefined = type.kind === 'struct' ? findField(type, name) : undefined
    if (field === undefined) return undefined
    type = field.type
  }
  return type
}

/** A new row has the default of every column that is not given; generated columns and numbers follow. */
function completed(
  assigned: ReadonlyMap<number, BoundExpression>,
  rules: RowRules,
): ReadonlyMap<number, BoundExpression> {
  const generated = new Set(rules.generated.map(({ ordinal }) => ordinal))
  const values = new Map<number, BoundExpression>()
  for (const ordinal of rules.layout.schema.fields.keys()) {
    const given = assigned.get(ordinal)
    if (given !== undefined) values.set(ordinal, given)
    else if (!generated.has(ordinal)) values.set(ordinal, valueOfDefault(rules, ordinal))
  }
  return values
}
