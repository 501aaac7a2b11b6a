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
 * @throws DeltaError `INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH`, the codes of an expression that cannot be worked out
 */
export function valueRows(
  { rows }: ValuesList,
  targets: readonly (StructField | undefined)[],
  atTime: (expression: Expression) => Expression,
): ValueRows {
  const width = rows[0]!.length
  const uneven = rows.findIndex((row) => row.length !== width)
  if (uneven !== -1) {
    throw deltaError('INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH', {
      row: uneven + 1,
      found: rows[uneven]!.length,
      width,
    })
  }
  const columns = Array.from({ length: width }, (_, i) => {
    return boundColumn(rows.map((row) => atTime(expressionOf(row[i]!, targets[i]))))
  })
  const schema = structType(columns.map(({ type }, i) => field(`col${i + 1}`, type)))
  return { schema, rows: rows.map((_, at) => columns.map(({ values }) => evaluate(values[at]!, []))) }
}

function expressionOf(value: AssignedValue, target: StructField | undefined): Expression {
  if (value !== 'default') return value
  const text = target?.metadata.CURRENT_DEFAULT
  return parseExpression(typeof text === 'string' ? text : 'NULL')
}

/** COALESCE of all values has their common type, and its arguments are cast to it. */
function boundColumn(values: readonly Expression[]): { type: DataType; values: readonly BoundExpression[] } {
  const [first] = values
  const alone = bindExpression(first!, NO_COLUMNS)
  if (values.length === 1) return { type: columnType(alone), values: [alone] }
  const args = values.map((value) => bindExpression(value, NO_COLUMNS))
  if (args.every(({ type }) => type.kind === alone.type.kind && JSON.stringify(type) === JSON.stringify(alone.type))) {
    return { type: columnType(alone), values: args }
  }
  const common = bindExpression({ kind: 'call', name: 'coalesce', args: values, span: first!.span }, NO_COLUMNS).type
  if (isInterval(common)) throw noColumnType(common.text)
  return { type: common, values: values.map((child) => castTo(child, common)) }
}

function castTo(child: Expression, type: DataType): BoundExpression {
  return bindExpression({ kind: 'cast', child, type, safe: false, span: child.span }, NO_COLUMNS)
}

function columnType({ type }: BoundExpression): DataType {
  if (isInterval(type)) throw noColumnType(type.text)
  return type
}

function noColumnType(text: string) {
  return deltaError('LAKE_EXPRESSION_UNSUPPORTED', {
    what: `a column of the type ${text}`,
    advice: 'keep the number of days or seconds',
  })
}
