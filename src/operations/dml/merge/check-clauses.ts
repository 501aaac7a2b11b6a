/** What the clauses of a MERGE must be before anything of the table is looked at. */
import { deltaError } from '../../../errors/index.ts'
import type { MergeClause } from '../../command.ts'

const NOT_LAST = {
  matched: 'DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION',
  notMatched: 'DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION',
  notMatchedBySource: 'DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION',
} as const

/**
 * @throws DeltaError `DELTA_MERGE_MISSING_WHEN`, `DELTA_NON_LAST_…_CLAUSE_OMIT_CONDITION` where a clause could never
 * apply, one before it applying always
 */
export function checkClauses(clauses: readonly MergeClause[]): void {
  if (clauses.length === 0) throw deltaError('DELTA_MERGE_MISSING_WHEN')
  for (const when of ['matched', 'notMatched', 'notMatchedBySource'] as const) {
    const own = clauses.filter((clause) => clause.when === when)
    const early = own.slice(0, -1).find(({ condition }) => condition === undefined)
    if (early !== undefined) throw deltaError(NOT_LAST[when])
  }
}
