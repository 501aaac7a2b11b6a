/** Conditions that choose files by their partitions alone. */
import { deltaError } from '../../errors/index.ts'
import type { Snapshot } from '../../kernel/index.ts'
import type { ExpressionInput } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { type RowCondition, rowCondition } from '../dml/condition.ts'
import { ordinalsIn } from '../dml/expressions.ts'

/**
 * @throws DeltaError `DELTA_NON_PARTITION_COLUMN_REFERENCE` where it reads another column, codes of the expression language
 */
export function partitionCondition(
  where: ExpressionInput,
  { layout }: Snapshot,
  { operation, context }: { readonly operation: string; readonly context: OperationContext },
): RowCondition {
  const condition = rowCondition(where, { layout, operation, nowMs: context.clock.now() })
  const { schema, partitionColumns } = layout
  const names = ordinalsIn(condition.filter).map((ordinal) => schema.fields[ordinal]!.name)
  const other = names.find((name) => !partitionColumns.includes(name))
  if (other === undefined) return condition
  throw deltaError('DELTA_NON_PARTITION_COLUMN_REFERENCE', {
    column: other,
    columns: `[${partitionColumns.join(', ')}]`,
  })
}
