/** The rows that changed in a range of versions: the kernel says which files give them, an engine reads those. */
import type { ScanPlan } from '../../engine/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { type ChangePlan, fileMayMatch, planChanges, skippingRule } from '../../kernel/index.ts'
import { structType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
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
    batches: () => readScans(context, plansOf(plan, { columns, filter, store }), command.limit),
  }
}

interface RowWish {
  readonly store: ObjectStore
  readonly columns: readonly number[]
  readonly filter: BoundExpression | undefined
}

async function* plansOf(plan: ChangePlan, { store, columns, filter }: RowWish): AsyncGenerator<ScanPlan> {
  for await (const { layout, files } of plan.scans()) {
    const rule = filter && skippingRule(filter, layout)
    const kept = rule === undefined ? files : files.filter((file) => fileMayMatch(rule, file))
    if (kept.length > 0) yield { store, layout, files: kept, columns, ...(filter && { filter }) }
  }
}
