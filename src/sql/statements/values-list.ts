/** Rows written out in a statement: `VALUES (1, 'a'), (2, DEFAULT)`. */
import { deltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  type Expression,
  evaluate,
  isInterval,
  parseExpression,
} from '../../expressions/index.ts'
import { type DataType, field, type Row, type StructField, type StructType, structType } from '../../schema/index.ts'
import { typeOfColumn, widthOfRows } from '../inline-table.ts'
import type { AssignedValue, ValuesList } from '../parser/index.ts'

export interface ValueRows {
  readonly schema: StructType
  readonly rows: readonly Row[]
}

const NO_COLUMNS = structType([])

/**
 * The rows, each column of the type that holds all its values.
 *
 * @param targets the columns the values go into, by place: where DEFAULT is looked up
 * @param atTime puts in what an expression asks of the clock
 * @throws DeltaError `INVALID_INLINE_TABLE.…`, the codes of an expression that cannot be worked out
 */
export function valueRows(
  { rows }: ValuesList,
  targets: readonly (StructField | undefined)[],
  atTime: (expression: Expression) => Expression,
): ValueRows {
  const width = widthOfRows(rows)
  const columns = Array.from({ length: width }, (_, i) => {
    return boundColumn(
      rows.map((row) => atTime(expressionOf(row[i]!, targets[i]))),
      i,
    )
  })
  const schema = structType(columns.map(({ type }, i) => field(`col${i + 1}`, type)))
  return { schema, rows: rows.map((_, at) => columns.map(({ values }) => evaluate(values[at]!, []))) }
}

function expressionOf(value: AssignedValue, target: StructField | undefined): Expression {
  if (value !== 'default') return value
  const text = target?.metadata.CURRENT_DEFAULT
  return parseExpression(typeof text === 'string' ? text : 'NULL')
}

/** The values cast to the type they meet in. */
function boundColumn(
  values: readonly Expression[],
  at: number,
): { type: DataType; values: readonly BoundExpression[] } {
  const bound = values.map((value) => bindExpression(value, NO_COLUMNS))
  const common = typeOfColumn(
    bound.map(({ type }) => type),
    at,
  )
  if (isInterval(common)) throw noColumnType(common.text)
  const isCommon = ({ type }: BoundExpression) => JSON.stringify(type) === JSON.stringify(common)
  return { type: common, values: bound.map((value, i) => (isCommon(value) ? value : castTo(values[i]!, common))) }
}

function castTo(child: Expression, type: DataType): BoundExpression {
  return bindExpression({ kind: 'cast', child, type, safe: false, span: child.span }, NO_COLUMNS)
}

function noColumnType(text: string) {
  return deltaError('LAKE_EXPRESSION_UNSUPPORTED', {
    what: `a column of the type ${text}`,
    advice: 'keep the number of days or seconds',
  })
}
