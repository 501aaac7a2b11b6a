/** Columns as a program names them: a path in SQL's spelling, or its parts. */
import { deltaError } from '../errors/index.ts'
import { parseDataType, parseExpression, parseTableSchema } from '../expressions/index.ts'
import type { ColumnChange, ColumnPath, ColumnPosition, NewColumn } from '../operations/index.ts'
import type { DataType, StructField, StructType } from '../schema/index.ts'

/** `address.city`, `` `a.b` ``, `tags.element`, or the parts: `['address', 'city']` */
export type ColumnInput = string | readonly string[]

/** @throws DeltaError `LAKE_INVALID_OPTION`, `PARSE_SYNTAX_ERROR` */
export function columnPathOf(column: ColumnInput): ColumnPath {
  if (typeof column !== 'string') return column
  const expression = parseExpression(column)
  if (expression.kind === 'column') return expression.path
  throw deltaError('LAKE_INVALID_OPTION', {
    option: 'column',
    value: column,
    allowed: 'it is the name of a column, or the list of the parts of its path',
  })
}

/** A column to be added; `type` as SQL writes it, `DECIMAL(10,2)`, or as data. */
export interface NewColumnInput {
  readonly name: ColumnInput
  readonly type: DataType | string
  readonly comment?: string
  /** at the end when absent */
  readonly position?: ColumnPosition
}

/** What is to change about a column; what is left out stays. */
export interface ColumnChangeInput {
  readonly type?: DataType | string
  /** true drops NOT NULL */
  readonly nullable?: boolean
  readonly comment?: string
  readonly position?: ColumnPosition
  /** SQL text of the default for rows to come; null takes it away */
  readonly default?: string | null
}

/** Columns as SQL writes them, as a schema, or one by one with places. */
export type NewColumnsInput = string | StructType | readonly NewColumnInput[]

/** @throws DeltaError `PARSE_SYNTAX_ERROR`, `UNSUPPORTED_DATATYPE` */
export function newColumnsOf(columns: NewColumnsInput): NewColumn[] {
  if (typeof columns === 'string') return parseTableSchema(columns).fields.map(newColumn)
  if ('kind' in columns) return columns.fields.map(newColumn)
  return columns.map(({ name, type, comment, position }) => ({
    path: columnPathOf(name),
    ...columnTypeOf(type),
    ...(comment !== undefined && { comment }),
    ...(position !== undefined && { position }),
  }))
}

function newColumn({ name, type, nullable, metadata }: StructField): NewColumn {
  return { path: [name], type, nullable, metadata }
}

/** A type, and what a column keeps of it in its metadata: the length of a CHAR or VARCHAR. */
export function columnTypeOf(type: DataType | string): Pick<NewColumn, 'type' | 'metadata'> {
  if (typeof type !== 'string') return { type }
  const dataType = parseDataType(type)
  const { metadata } = parseTableSchema(`c ${type}`).fields[0]!
  return Object.keys(metadata).length === 0 ? { type: dataType } : { type: dataType, metadata }
}

export function columnChangeOf(column: ColumnInput, change: ColumnChangeInput): ColumnChange {
  const { type, ...rest } = change
  if (type === undefined) return { column: columnPathOf(column), ...rest }
  const { metadata, ...parsed } = columnTypeOf(type)
  return { column: columnPathOf(column), ...rest, ...parsed, ...(metadata && { typeMetadata: metadata }) }
}
