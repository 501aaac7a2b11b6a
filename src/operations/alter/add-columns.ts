/** ALTER TABLE ADD COLUMNS, at any depth and place. Rows that are there hold null in them. */
import { deltaError } from '../../errors/index.ts'
import { type DataType, foldCase, field as newField, type StructField, type StructType } from '../../schema/index.ts'
import { holdsNotNull } from '../create/declared-columns.ts'
import { columnPathText } from '../values/index.ts'
import type { NewColumn } from './action.ts'
import { editFields, requireStruct } from './column-place.ts'
import { columnJson, jsonText, positionText } from './parameters.ts'
import { indexOfField, placeField } from './place-field.ts'
import type { PlanAction } from './plan.ts'

/**
 * @throws DeltaError `FIELD_ALREADY_EXISTS`, `COLUMN_ALREADY_EXISTS`, `DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS`,
 * `INVALID_FIELD_NAME`, `FIELD_NOT_FOUND`, `UNRESOLVED_COLUMN.WITH_SUGGESTION`, `DELTA_OPERATION_NOT_ALLOWED` for NOT
 * NULL, `WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED`
 */
export const planAddColumns: PlanAction<'add columns'> = ({ columns }, snapshot) => {
  if (columns.length === 0) return undefined
  refuseRepeated(columns)
  const schema = columns.reduce(addColumn, snapshot.schema)
  return {
    operation: 'ADD COLUMNS',
    operationParameters: { columns: jsonText(columns.map(toldColumn)) },
    change: { schema },
  }
}

function refuseRepeated(columns: readonly NewColumn[]): void {
  const seen = new Set<string>()
  for (const { path } of columns) {
    const key = jsonText(path.map(foldCase))
    if (seen.has(key)) throw deltaError('COLUMN_ALREADY_EXISTS', { column: columnPathText(path) })
    seen.add(key)
  }
}

function addColumn(schema: StructType, column: NewColumn): StructType {
  refuseUnfit(column)
  const { path, struct } = requireStruct(schema, column.path)
  const field = fieldOf(column)
  if (indexOfField(struct.fields, field.name) >= 0) {
    throw deltaError('FIELD_ALREADY_EXISTS', { column: columnPathText([...path, field.name]), verb: 'added' })
  }
  return editFields(schema, path, (fields) => placeField(fields, field, column.position))
}

function refuseUnfit({ path, type, nullable, default: text }: NewColumn): void {
  const column = columnPathText(path)
  if (text !== undefined) {
    throw deltaError('WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED', { column })
  }
  if (nullable === false || holdsNotNull(type)) {
    throw deltaError('DELTA_OPERATION_NOT_ALLOWED', {
      operation: `adding the column ${column} as NOT NULL`,
      reason: 'rows that are there have nothing in it',
    })
  }
  const twice = repeatedField(type, path)
  if (twice !== undefined) throw deltaError('DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS', { columns: twice })
}

/** The path of a field whose name comes twice in its struct. */
function repeatedField(type: DataType, path: readonly string[]): string | undefined {
  if (type.kind === 'array') return repeatedField(type.element, [...path, 'element'])
  if (type.kind === 'map') {
    return repeatedField(type.key, [...path, 'key']) ?? repeatedField(type.value, [...path, 'value'])
  }
  if (type.kind !== 'struct') return undefined
  const twice = type.fields.find(({ name }, i) => indexOfField(type.fields, name) < i)
  if (twice !== undefined) return columnPathText([...path, twice.name])
  return firstOf(type.fields, (field) => repeatedField(field.type, [...path, field.name]))
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The field a new column becomes. */
export function fieldOf({
  path,
  type,
  nullable = true,
  comment,
  default: text,
  metadata = {},
}: NewColumn): StructField {
  return newField(path.at(-1)!, type, nullable, {
    ...metadata,
    ...(comment === undefined ? {} : { comment }),
    ...(text === undefined ? {} : { CURRENT_DEFAULT: text }),
  })
}

function toldColumn(column: NewColumn) {
  const { type, nullable, metadata } = fieldOf(column)
  return { column: columnJson({ path: column.path, type, nullable, metadata }), ...positionText(column.position) }
}
