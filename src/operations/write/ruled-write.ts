/** Rows written as the table's rules ask: filled, checked, numbered. */
import type { RowCheck, WriteResult } from '../../engine/index.ts'
import { bindExpression, type Expression } from '../../expressions/index.ts'
import type { Transaction } from '../../kernel/index.ts'
import type { StructField } from '../../schema/index.ts'
import type { OperationContext } from '../context.ts'
import {
  callExpression,
  columnExpression,
  longExpression,
  NO_NUMBERS,
  type NumbersTaken,
  numbersOfPlan,
  planRules,
  rowRules,
  shifted,
  shiftOf,
} from '../rules/index.ts'
import type { PreparedSource } from './prepare-source.ts'
import { addFileOf, type WriteTarget, writePlanOf } from './write-plan.ts'

export interface RuledResult {
  readonly written: WriteResult
  readonly numbers: NumbersTaken
}

/** What a write asks of its files. */
type FileLayout = Pick<WriteTarget, 'targetFileSize' | 'maxRecordsPerFile'>

export interface RuledWrite {
  readonly context: OperationContext
  readonly layout?: FileLayout
  /** checks besides the table's own */
  readonly more?: readonly RowCheck[]
}

/**
 * Writes the files of a transaction; none of them is in it yet.
 *
 * @throws DeltaError those of `Engine.write`, of `rowRules` and `planRules`, and of the rules that a row breaks
 */
export async function writeRuled(
  source: PreparedSource,
  transaction: Transaction,
  { context, layout = {}, more = [] }: RuledWrite,
): Promise<RuledResult> {
  const { engine, options } = context
  const rules = rowRules(transaction, context.clock.now())
  const { source: rows, given, filler } = source.rows(rules)
  // what fills records has refused explicit numbers row by row
  const filled = filler === undefined ? rules : { ...rules, identities: [] }
  const { checks, ...fill } = planRules(filled, given)
  const plan = { ...planOf(transaction, context, layout), ...fill, checks: [...checks, ...more] }
  const written = await engine.write(rows, plan, options)
  return { written, numbers: filler?.numbersTaken() ?? numbersOfPlan(plan, written.numRows) }
}

function planOf({ layout, metadata, domains }: Transaction, { store }: OperationContext, files: FileLayout) {
  return writePlanOf({ store, layout, configuration: metadata.configuration, domains, ...files })
}

/**
 * Writes files again with identity numbers that lie behind those another writer took meanwhile.
 *
 * @param transaction on the newer snapshot
 */
export async function writeRenumbered(
  { written, numbers }: RuledResult,
  transaction: Transaction,
  context: OperationContext,
  files: FileLayout = {},
): Promise<RuledResult> {
  if (numbers.last.size === 0) return { written, numbers: NO_NUMBERS }
  const { layout } = transaction
  const shift = shiftOf(layout.schema, numbers)
  const plan = { store: context.store, layout, files: written.files.map(addFileOf), columns: [] }
  const moved = (field: StructField): Expression => {
    const by = shift.get(layout.schema.fields.indexOf(field))
    const column = columnExpression([field.name])
    return by === undefined ? column : callExpression('+', column, longExpression(by))
  }
  const select = layout.schema.fields
    .filter(({ type }) => type.kind !== 'void')
    .map((field) => ({ name: field.name, expression: bindExpression(moved(field), layout.schema) }))
  const again = await context.engine.write(
    { kind: 'scan', plan, select },
    planOf(transaction, context, files),
    context.options,
  )
  return { written: again, numbers: shifted(numbers, shift) }
}
