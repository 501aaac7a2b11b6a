/** The filter of a scan: in SQL where the expression has an SQL form, else over the values of each batch. */
import { isDeltaError } from '../../../errors/index.ts'
import { type BoundExpression, compileEvaluator } from '../../../expressions/index.ts'
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import { findField, type StructType, type Value } from '../../../schema/index.ts'
import type { Batch, ScanPlan } from '../../index.ts'
import { compileExpression } from '../expressions/index.ts'
import { quoteLiteral } from '../sql-text.ts'
import type { Naming } from '../values/sql-type.ts'

export interface ScanFilter {
  /** SQL over the columns `c<ordinal>`, where the engine filters */
  readonly sql: string | undefined
  /** whether `apply` must still filter */
  readonly residual: boolean
  /** ordinals that are read, each once */
  readonly inputs: readonly number[]
  /** ordinals that come out of the query, in order */
  readonly outputs: readonly number[]
  /** The rows that pass, with the plan's columns, at most `limit`. */
  apply(batch: Batch, schema: StructType, limit: number | undefined): Batch
}

export function filterOf(plan: ScanPlan): ScanFilter {
  const { filter, layout, columns } = plan
  if (filter === undefined) {
    return { sql: undefined, residual: false, inputs: [...new Set(columns)], outputs: columns, apply: (batch) => batch }
  }
  const inputs = [...new Set([...columns, ...ordinalsOf(filter)])]
  const sql = sqlOf(filter, (path) => columnPath(path, layout.schema, layout))
  if (sql !== undefined) return { sql, residual: false, inputs, outputs: columns, apply: (batch) => batch }
  return {
    sql: undefined,
    residual: true,
    inputs,
    outputs: inputs,
    apply: residualFilter(filter, layout, { inputs, columns }),
  }
}

/** The SQL of an expression, or undefined where it has none with the same meaning. */
export function sqlOf(bound: BoundExpression, columnSql: (path: readonly string[]) => string): string | undefined {
  try {
    return compileExpression(bound, columnSql)
  } catch (error) {
    if (isDeltaError(error, 'LAKE_EXPRESSION_NOT_COMPILED')) return undefined
    throw error
  }
}

/** SQL of a column or a member of one, over `c<ordinal>` or another letter. */
export function columnPath(path: readonly string[], schema: StructType, naming: Naming, letter = 'c'): string {
  const [first, ...rest] = path
  let field = findField(schema, first!)!
  let sql = `${letter}${schema.fields.indexOf(field)}`
  for (const name of rest) {
    if (field.type.kind !== 'struct') break
    field = findField(field.type, name)!
    sql = `struct_extract(${sql}, ${quoteLiteral(physicalName(field, naming))})`
  }
  return sql
}

/** Ordinals of the top-level columns an expression names. */
export function ordinalsOf(bound: BoundExpression): number[] {
  switch (bound.kind) {
    case 'column':
      return [bound.ordinals[0]!]
    case 'call':
      return bound.args.flatMap(ordinalsOf)
    case 'cast':
      return ordinalsOf(bound.child)
    case 'lambda':
      return ordinalsOf(bound.body)
    case 'case':
      return [
        ...bound.branches.flatMap(({ when, then }) => [...ordinalsOf(when), ...ordinalsOf(then)]),
        ...ordinalsOf(bound.otherwise),
      ]
    default:
      return []
  }
}

function residualFilter(
  filter: BoundExpression,
  layout: TableLayout,
  { inputs, columns }: { inputs: readonly number[]; columns: readonly number[] },
): ScanFilter['apply'] {
  const matches = compileEvaluator(filter)
  const outputs = columns.map((ordinal) => inputs.indexOf(ordinal))
  return (batch, schema, limit) => {
    const values = inputs.map((_, i) => batch.column(i))
    const row = new Array<Value>(layout.schema.fields.length).fill(null)
    const passing: number[] = []
    for (let at = 0; at < batch.numRows && passing.length !== limit; at++) {
      for (const [i, ordinal] of inputs.entries()) row[ordinal] = values[i]![at]!
      if (matches(row) === true) passing.push(at)
    }
    return {
      schema,
      numRows: passing.length,
      column: (index) => passing.map((at) => values[outputs[index]!]![at]!),
    }
  }
}
