/** Computed columns of a copy: in SQL where every expression has an SQL form, else over values. */
import { type BoundExpression, childrenOf, compileEvaluator } from '../../../expressions/index.ts'
import type { TableLayout } from '../../../kernel/index.ts'
import { type DataType, field, type Row, type StructType, structType } from '../../../schema/index.ts'
import type { NamedExpression, ScanSource } from '../../index.ts'
import { columnPath, ordinalsOf, sqlOf } from '../scan/filter.ts'
import { convertSql } from '../values/convert.ts'
import { LOGICAL, type Naming, sqlType } from '../values/sql-type.ts'

/** The columns rows of a scan have when they are copied. */
export interface CopiedColumns {
  readonly schema: StructType
  /** what members of structs are called in `sql` */
  readonly naming: Naming
  /** SQL of each column over `c<ordinal>`; undefined: not all have one with the same meaning */
  readonly sql: readonly string[] | undefined
  /** ordinals that are read, each once */
  readonly inputs: readonly number[]
  /** The columns of a row of the layout's schema. */
  compile(): (row: Row) => Row
}

export function copiedColumns({ plan, select }: ScanSource): CopiedColumns {
  const { layout, columns } = plan
  if (select === undefined) {
    return {
      schema: structType(columns.map((ordinal) => layout.schema.fields[ordinal]!)),
      naming: layout,
      sql: columns.map((ordinal) => `c${ordinal}`),
      inputs: [...new Set(columns)],
      compile: () => (row) => columns.map((ordinal) => row[ordinal]!),
    }
  }
  return {
    schema: selectedSchema(select),
    naming: LOGICAL,
    sql: selectSql(select, layout),
    inputs: [...new Set(select.flatMap(({ expression }) => ordinalsOf(expression)))],
    compile: () => {
      const evaluators = select.map(({ expression }) => compileEvaluator(expression))
      return (row) => evaluators.map((evaluate) => evaluate(row))
    },
  }
}

function selectedSchema(select: readonly NamedExpression[]): StructType {
  // an interval is no column's type; the writer refuses it by its kind
  return structType(select.map(({ name, expression }) => field(name, expression.type as DataType)))
}

function selectSql(select: readonly NamedExpression[], layout: TableLayout): readonly string[] | undefined {
  const columns: string[] = []
  for (const { expression } of select) {
    const sql = expression.type.kind === 'void' ? 'NULL' : sqlOf(expression, logicalColumns(expression, layout))
    if (sql === undefined) return undefined
    columns.push(sql)
  }
  return columns
}

/** Columns with the member names that compiled expressions use. */
function logicalColumns(expression: BoundExpression, layout: TableLayout): (path: readonly string[]) => string {
  const types = new Map<string, DataType>()
  collectColumns(expression, types)
  return (path) => {
    const sql = columnPath(path, layout.schema, layout)
    const type = types.get(JSON.stringify(path))
    if (type === undefined || sameNames(type, layout)) return sql
    return convertSql(sql, { type, naming: layout }, { type, naming: LOGICAL })
  }
}

function sameNames(type: DataType, naming: Naming): boolean {
  return sqlType(type, naming) === sqlType(type, LOGICAL)
}

/** The types of the columns and members an expression names. */
function collectColumns(bound: BoundExpression, types: Map<string, DataType>): void {
  if (bound.kind === 'column') types.set(JSON.stringify(bound.path), bound.type as DataType)
  else for (const child of childrenOf(bound)) collectColumns(child, types)
}
