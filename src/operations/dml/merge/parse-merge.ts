/** A MERGE whose texts are read. */
import { type Expression, parseExpression } from '../../../expressions/index.ts'
import type { ColumnValue, ExpressionInput, MergeClause, MergeCommand } from '../../command.ts'
import { atTime } from '../../rules/index.ts'
import type { Assignment } from '../assignments.ts'
import { type ClausePart, SEARCH, withRefusals } from './merge-names.ts'

export interface ParsedClause {
  readonly when: MergeClause['when']
  readonly action: MergeClause['action']
  readonly condition: Expression | undefined
  /** empty where rows are deleted */
  readonly set: '*' | readonly Assignment[]
}

export interface ParsedMerge {
  readonly on: Expression
  readonly clauses: readonly ParsedClause[]
}

/**
 * @param nowMs the time of the statement, which expressions may ask for
 * @throws DeltaError `PARSE_SYNTAX_ERROR`, those of `withRefusals`
 */
export function parseMerge({ on, clauses }: MergeCommand, nowMs: number): ParsedMerge {
  return {
    on: parse({ operation: SEARCH, input: on }, on, nowMs),
    clauses: clauses.map((clause) => parseClause(clause, nowMs)),
  }
}

function parseClause(clause: MergeClause, nowMs: number): ParsedClause {
  const { when, action, condition: input } = clause
  const verb = action.toUpperCase()
  const condition =
    input === undefined ? undefined : parse({ operation: `the ${verb} condition of MERGE`, input }, input, nowMs)
  if (clause.action === 'delete') return { when, action, condition, set: [] }
  const { set } = clause
  const value = (given: ColumnValue): Assignment => ({
    column: given.column,
    value: parse({ operation: `the ${verb} clause of MERGE`, input: given.value }, given.value, nowMs),
  })
  return { when, action, condition, set: set === '*' ? set : set.map(value) }
}

function parse(part: ClausePart, input: ExpressionInput, nowMs: number): Expression {
  return withRefusals(part, () => atTime(typeof input === 'string' ? parseExpression(input) : input, nowMs))
}
