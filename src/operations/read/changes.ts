/** The rows that changed in a range of versions: the kernel says which files give them, an engine reads those. */
import { planChanges } from '../../kernel/index.ts'
import { structType } from '../../schema/index.ts'
import type { ChangesCommand, ChangesResult } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindWhere, resolveColumns } from './predicate.ts'
import { readScans } from './read-scans.ts'

/**
 * Plans the read of a range and checks it; rows come when `batches` is called.
 *
 * @throws DeltaError what `planChanges` throws, a code of the expression language, `UNRESOLVED_COLUMN.WITH_SUGGESTION`
 */
export async function executeChanges(command: ChangesCommand, context: OperationContext): Promise<ChangesResult> {
  const { store, engine, options, warn } = context
  const { signal } = options
  const plan = await planChanges(store, engine, command.range, { onWarning: warn, ...(signal && { signal }) })
  const columns = resolveColumns(command.select, plan.schema)
  const filter = command.where === undefined ? undefined : bindWhere(command.where, plan.schema)
  return {
    from: plan.from,
    to: plan.to,
    schema: structType(columns.map((i) => plan.schema.fields[i]!)),
    batches: () => readScans(plan.scans(), { context, columns, filter, limit: command.limit }),
  }
}
