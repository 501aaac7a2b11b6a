/** Columns of a joint row as SQL: the table's as `c<ordinal>` of one relation, the source's as `s<ordinal>` of another. */
import { type BoundExpression, childrenOf, type ExpressionType } from '../../../expressions/index.ts'
import type { DataType, StructType } from '../../../schema/index.ts'
import { compileExpression } from '../expressions/index.ts'
import { quoteLiteral } from '../sql-text.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'

export interface JointColumns {
  readonly target: StructType
  readonly source: StructType
  /** the relation with the columns `c<ordinal>`, members of structs under their logical names; undefined: all are null */
  readonly targetRelation: string | undefined
  /** the relation with the columns `s<ordinal>` */
  readonly sourceRelation: string | undefined
}

/**
 * The SQL of an expression bound to the joint row.
 *
 * @throws DeltaError `LAKE_EXPRESSION_NOT_COMPILED`
 */
export function jointSql(bound: BoundExpression, columns: JointColumns): string {
  if (bound.type.kind === 'void') return nullOf(bound.type)
  if (bound.kind === 'column') return columnSql(bound.ordinals, columns)
  return compileExpression(bound, (_, ordinals) => columnSql(ordinals, columns))
}

function columnSql([top, ...rest]: readonly number[], columns: JointColumns): string {
  const width = columns.target.fields.length
  const isTarget = top! < width
  const ordinal = isTarget ? top! : top! - width
  let type: DataType = (isTarget ? columns.target : columns.source).fields[ordinal]!.type
  const relation = isTarget ? columns.targetRelation : columns.sourceRelation
  const isNull = relation === undefined || type.kind === 'void'
  let sql = isNull ? nullOf(type) : `${relation}.${isTarget ? 'c' : 's'}${ordinal}`
  for (const member of rest) {
    if (type.kind !== 'struct') break
    const { name, type: inner } = type.fields[member]!
    sql = inner.kind === 'void' ? nullOf(inner) : `struct_extract(${sql}, ${quoteLiteral(name)})`
    type = inner
  }
  return sql
}

function nullOf(type: ExpressionType): string {
  return `NULL::${sqlType(type as DataType, LOGICAL)}`
}

/** Whether an expression reads a column of the source. */
export function readsSource(bound: BoundExpression, width: number): boolean {
  if (bound.kind === 'column') return bound.ordinals[0]! >= width
  return childrenOf(bound).some((child) => readsSource(child, width))
}
