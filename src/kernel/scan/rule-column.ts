/** Columns of a predicate as files know them. */
import type { BoundExpression } from '../../expressions/index.ts'
import { charShape, type DataType, type StructField, type StructType } from '../../schema/index.ts'
import { physicalName } from '../column-mapping/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import type { RuleColumn } from './skipping-rule.ts'

/** A column, and what its statistics are to be taken with. */
export interface LaidOutColumn {
  readonly column: RuleColumn
  /** `char`: values are filled up with spaces when read, and bounds are not; `float`: some bounds are texts of a float */
  readonly stored?: 'char' | 'float'
}

/** The column an expression is, or why it is none that files can be judged by. */
export function columnOf(expression: BoundExpression, layout: TableLayout): LaidOutColumn | string {
  if (expression.kind !== 'column')
    return `${expression.kind === 'call' ? expression.name : expression.kind} hides the column`
  if (layout.hidden?.has(expression.ordinals[0]!)) return `${expression.path.join('.')} is not in the statistics`
  const fields = fieldsAt(layout.schema, expression.ordinals)
  const leaf = fields.at(-1)
  if (leaf === undefined) return `${expression.path.join('.')} is not a column of the table`
  const stored = storedAs(leaf, fields[0]!)
  return {
    column: {
      path: fields.map((field) => physicalName(field, layout)),
      name: fields.map((field) => field.name),
      type: leaf.type,
      partition: fields.length === 1 && layout.partitionColumns.includes(leaf.name),
    },
    ...(stored && { stored }),
  }
}

function fieldsAt(schema: StructType, ordinals: readonly number[]): StructField[] {
  const fields: StructField[] = []
  let type: DataType = schema
  for (const ordinal of ordinals) {
    const field: StructField | undefined = type.kind === 'struct' ? type.fields[ordinal] : undefined
    if (field === undefined) return []
    fields.push(field)
    type = field.type
  }
  return fields
}

function storedAs({ type, metadata }: StructField, top: StructField): LaidOutColumn['stored'] {
  if (type.kind === 'string' && charShape(top) !== undefined) return 'char'
  return type.kind === 'double' && metadata['delta.typeChanges'] !== undefined ? 'float' : undefined
}
