/** Conditions that choose files by their partitions alone. */
import { deltaError } from '../../errors/index.ts'
import { type Expression, parseExpression, printExpression } from '../../expressions/index.ts'
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
  if (other === undefined) return { ...condition, text: predicateText(where) }
  throw deltaError('DELTA_NON_PARTITION_COLUMN_REFERENCE', {
    column: other,
    columns: `[${partitionColumns.join(', ')}]`,
  })
}

/** As the reference's commits tell it, which print conditions before names are looked up: `('p = 0)`. */
function predicateText(where: ExpressionInput): string {
  return printExpression(asUnresolved(typeof where === 'string' ? parseExpression(where) : where))
}

function asUnresolved(expression: Expression): Expression {
  const raw = (text: string): Expression => ({ kind: 'foreign', what: text, advice: '', text, span: expression.span })
  if (expression.kind === 'column') return raw(`'${expression.path.join('.')}`)
  if (expression.kind === 'call') return { ...expression, args: expression.args.map(asUnresolved) }
  const isText = expression.kind === 'literal' && typeof expression.value === 'string'
  return isText ? raw(String(expression.value)) : expression
}
