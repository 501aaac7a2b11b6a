/**
 * Which rows a DELETE or UPDATE is about.
 *
 * Only rows for which the condition is TRUE are; one whose condition is NULL stays as it is.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { type BoundExpression, compileEvaluator, parseExpression, printExpression } from '../../expressions/index.ts'
import { type AddFile, parsePartitionValue, physicalName, type TableLayout } from '../../kernel/index.ts'
import type { Value } from '../../schema/index.ts'
import type { ExpressionInput } from '../command.ts'
import { bindWhere } from '../read/predicate.ts'
import { atTime } from '../rules/index.ts'
import { ordinalsIn } from './expressions.ts'

export interface RowCondition {
  /** bound to the table's schema */
  readonly filter: BoundExpression
  /** whether it reads partition columns only, so that the log alone answers for whole files */
  readonly onPartitions: boolean
  /** as commitInfo tells it */
  readonly text: string
}

export interface ConditionPlace {
  readonly layout: TableLayout
  /** `DELETE`, for messages */
  readonly operation: string
  /** the time of the statement */
  readonly nowMs: number
}

/**
 * @throws DeltaError codes of the expression language, `DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN`,
 * `DELTA_UNSUPPORTED_SUBQUERY`, `INVALID_NON_DETERMINISTIC_EXPRESSIONS`, `UNSUPPORTED_EXPR_FOR_OPERATOR`
 */
export function rowCondition(where: ExpressionInput, { layout, operation, nowMs }: ConditionPlace): RowCondition {
  return withRefusals(operation, where, () => {
    const parsed = typeof where === 'string' ? parseExpression(where) : where
    const filter = bindWhere(atTime(parsed, nowMs), layout.schema)
    return { filter, onPartitions: readsPartitionsOnly(filter, layout), text: printExpression(parsed) }
  })
}

/** What the language refuses everywhere has names of its own where rows are chosen. */
export function withRefusals<T>(operation: string, input: ExpressionInput, bind: () => T): T {
  try {
    return bind()
  } catch (cause) {
    if (!isDeltaError(cause, 'LAKE_EXPRESSION_UNSUPPORTED')) throw cause
    const expression = typeof input === 'string' ? input : printExpression(input)
    const { construct } = cause.details
    if (construct === 'subquery') throw deltaError('DELTA_UNSUPPORTED_SUBQUERY', { operation, expression }, { cause })
    if (construct === 'random') throw deltaError('INVALID_NON_DETERMINISTIC_EXPRESSIONS', { expression }, { cause })
    if (construct === 'aggregate') throw deltaError('UNSUPPORTED_EXPR_FOR_OPERATOR', { expression }, { cause })
    throw cause
  }
}

function readsPartitionsOnly(filter: BoundExpression, layout: TableLayout): boolean {
  return columnNames(filter, layout).every((name) => layout.partitionColumns.includes(name))
}

function columnNames(filter: BoundExpression, { schema }: TableLayout): string[] {
  return ordinalsIn(filter).map((ordinal) => schema.fields[ordinal]!.name)
}

/** The files whose rows are all meant: their partition values make the condition TRUE. */
export function filesOfPartitions(
  files: readonly AddFile[],
  { filter }: RowCondition,
  layout: TableLayout,
): readonly AddFile[] {
  const matches = compileEvaluator(filter)
  const fields = ordinalsIn(filter).map((ordinal) => ({ ordinal, field: layout.schema.fields[ordinal]! }))
  const row = new Array<Value>(layout.schema.fields.length).fill(null)
  return files.filter(({ partitionValues }) => {
    for (const { ordinal, field } of fields) {
      const text = partitionValues.get(physicalName(field, layout))
      row[ordinal] = parsePartitionValue(text, field.type, { column: field.name })
    }
    return matches(row) === true
  })
}
