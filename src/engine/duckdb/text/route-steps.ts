/** The steps of a route over the columns of a record: in SQL, and in TypeScript for records that SQL stops at. */
import { type BoundExpression, compileEvaluator } from '../../../expressions/index.ts'
import type { TableLayout } from '../../../kernel/index.ts'
import {
  type DataType,
  field,
  findField,
  foldCase,
  type Row,
  type StructType,
  structType,
  type Value,
} from '../../../schema/index.ts'
import type { TextSource } from '../../index.ts'
import { columnPath, sqlOf } from '../scan/filter.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'

export interface RouteSteps {
  /** the columns behind the steps */
  readonly schema: StructType
  /** SQL over the columns `c<ordinal>` of the record type; undefined where a step has no SQL form */
  readonly sql: RouteSql | undefined
  /**
   * The steps as a function that gives the row behind them, or undefined where the filter leaves it out.
   *
   * The function throws the error of an expression; making it throws where an expression cannot be evaluated at all.
   */
  compile(): (row: Row) => Row | undefined
}

export interface RouteSql {
  /** `… AS s<ordinal>` for each column behind the steps that is not void */
  readonly columns: readonly string[]
  readonly filter: string | undefined
}

export function routeSteps(source: TextSource): RouteSteps {
  return {
    schema: outputSchema(source),
    sql: routeSql(source),
    compile: () => evaluator(source),
  }
}

function evaluator({ filter, select }: TextSource): (row: Row) => Row | undefined {
  const matches = filter && compileEvaluator(filter)
  const columns = select?.map(({ expression }) => compileEvaluator(expression))
  return (row) => {
    if (matches !== undefined && matches(row) !== true) return undefined
    return columns === undefined ? row : columns.map((evaluate): Value => evaluate(row))
  }
}

function outputSchema(source: TextSource): StructType {
  if (source.select === undefined) return source.schema
  // an interval is no column's type; the writer refuses it by its kind
  return structType(source.select.map(({ name, expression }) => field(name, expression.type as DataType)))
}

function routeSql(source: TextSource): RouteSql | undefined {
  const { schema, select } = source
  const compile = (bound: BoundExpression) => sqlOf(bound, (path) => columnPath(path, schema, LOGICAL))
  const filter = source.filter && compile(source.filter)
  if (source.filter !== undefined && filter === undefined) return undefined
  const columns =
    select === undefined ? schema.fields.map((_, i) => `c${i}`) : select.map(({ expression }) => compile(expression))
  const outputs: string[] = []
  for (const [i, { type }] of outputSchema(source).fields.entries()) {
    const sql = columns[i]
    if (sql === undefined) return undefined
    if (type.kind !== 'void') outputs.push(`${sql}::${sqlType(type, LOGICAL)} AS s${i}`)
  }
  return { columns: outputs, filter }
}

/**
 * The columns of the record that a table's partition columns are, as they came.
 *
 * @returns undefined where a partition column is computed
 */
export function keyColumns({ schema, select }: TextSource, { partitionColumns }: TableLayout): number[] | undefined {
  const ordinals: number[] = []
  for (const name of partitionColumns) {
    if (select === undefined) {
      const column = findField(schema, name)
      if (column !== undefined) ordinals.push(schema.fields.indexOf(column))
      continue
    }
    const expression = select.find((step) => foldCase(step.name) === foldCase(name))?.expression
    if (expression === undefined || expression.kind === 'literal') continue
    if (expression.kind !== 'column' || expression.ordinals.length !== 1) return undefined
    ordinals.push(expression.ordinals[0]!)
  }
  return ordinals
}
