/** UPDATE: the number of rows that changed. */
import type { Assignment } from '../parser/index.ts'
import { countsResult } from '../result.ts'
import { type Named, unqualified, unqualifiedPath } from './alias.ts'
import type { Execute, StatementContext } from './statement-context.ts'

/** @throws DeltaError what `DeltaTable.update` throws */
export const executeUpdate: Execute<'update'> = async (statement, context) => {
  const { set, where } = statement
  const result = await context.backend.execute(
    {
      kind: 'update',
      table: { location: context.locate(statement.table) },
      set: set.map((assignment) => columnValue(assignment, statement, context)),
      ...(where !== undefined && { where: unqualified(context.atTime(where), statement) }),
      ...context.settings.commit,
      ...context.settings.concurrency,
      ...context.settings.transaction,
    },
    context.options,
  )
  return countsResult({ num_affected_rows: result.numAffectedRows }, result.skipped)
}

function columnValue({ column, value }: Assignment, named: Named, context: StatementContext) {
  return {
    column: unqualifiedPath(column, named),
    value: value === 'default' ? 'DEFAULT' : unqualified(context.atTime(value), named),
  }
}
