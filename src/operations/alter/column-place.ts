/** Finding a column by its path, and putting another in its place. */
import { deltaError } from '../../errors/index.ts'
import {
  type DataType,
  findField,
  foldCase,
  formatType,
  type StructField,
  type StructType,
  structType,
} from '../../schema/index.ts'
import { columnPathText } from '../values/index.ts'
import type { ColumnPath } from './action.ts'

/** What a path leads to. */
export interface ColumnPlace {
  /** in the schema's spelling */
  readonly path: ColumnPath
  /** of what the path names: a field's type, or what an array or a map holds */
  readonly type: DataType
  readonly nullable: boolean
  /** the field that the path names or, for `element`, `key` and `value`, the nearest one it leads through */
  readonly field: StructField
  /** parts of the path up to that field; all of them where the path names a field */
  readonly fieldDepth: number
}

/** The place of a column, or undefined where there is none. */
export function findColumn(schema: StructType, path: ColumnPath): ColumnPlace | undefined {
  let at: ColumnPlace | undefined
  for (const part of path) {
    at = stepInto(at?.type ?? schema, part, at)
    if (at === undefined) return undefined
  }
  return at
}

function stepInto(type: DataType, part: string, from: ColumnPlace | undefined): ColumnPlace | undefined {
  const path = from?.path ?? []
  if (type.kind === 'struct') {
    const field = findField(type, part)
    if (field === undefined) return undefined
    const below = [...path, field.name]
    return { path: below, type: field.type, nullable: field.nullable, field, fieldDepth: below.length }
  }
  if (from === undefined) return undefined
  const inner = innerType(type, foldCase(part))
  return inner && { ...from, ...inner, path: [...path, foldCase(part)] }
}

function innerType(type: DataType, part: string): Pick<ColumnPlace, 'type' | 'nullable'> | undefined {
  if (type.kind === 'array' && part === 'element') return { type: type.element, nullable: type.containsNull }
  if (type.kind !== 'map') return undefined
  if (part === 'key') return { type: type.key, nullable: false }
  return part === 'value' ? { type: type.value, nullable: type.valueContainsNull } : undefined
}

/** @throws DeltaError `UNRESOLVED_COLUMN.WITH_SUGGESTION`, `INVALID_FIELD_NAME` where the path leads through no struct */
export function requireColumn(schema: StructType, path: ColumnPath): ColumnPlace {
  const found = findColumn(schema, path)
  if (found !== undefined) return found
  requireWay(schema, path)
  throw unresolved(schema, path)
}

/** @throws DeltaError `INVALID_FIELD_NAME` where a part of the path before the last is no struct, array or map */
function requireWay(schema: StructType, path: ColumnPath): void {
  for (let depth = 1; depth < path.length; depth++) {
    const parent = findColumn(schema, path.slice(0, depth))
    if (parent === undefined) throw unresolved(schema, path.slice(0, depth))
    const leads = parent.type.kind === 'struct' || innerType(parent.type, foldCase(path[depth]!)) !== undefined
    if (!leads) throw notAStruct(path, parent)
  }
}

/**
 * The struct that a new column is to go into.
 *
 * @throws DeltaError `UNRESOLVED_COLUMN.WITH_SUGGESTION`, `INVALID_FIELD_NAME`
 */
export function requireStruct(schema: StructType, path: ColumnPath): { path: ColumnPath; struct: StructType } {
  const parentPath = path.slice(0, -1)
  if (parentPath.length === 0) return { path: [], struct: schema }
  const parent = requireColumn(schema, parentPath)
  if (parent.type.kind !== 'struct') throw notAStruct(path, parent)
  return { path: parent.path, struct: parent.type }
}

function notAStruct(path: ColumnPath, parent: ColumnPlace): Error {
  return deltaError('INVALID_FIELD_NAME', {
    column: columnPathText(path),
    parent: columnPathText(parent.path),
    type: formatType(parent.type),
  })
}

export function unresolved(schema: StructType, path: ColumnPath): Error {
  const proposal = schema.fields.map((field) => field.name)
  if (proposal.length === 0) return deltaError('UNRESOLVED_COLUMN.WITHOUT_SUGGESTION', { name: columnPathText(path) })
  return deltaError('UNRESOLVED_COLUMN.WITH_SUGGESTION', {
    name: columnPathText(path),
    names: 'the columns are',
    proposal,
  })
}

/** The schema with the type at a path replaced; the path is in the schema's spelling and exists. */
export function editType(schema: StructType, path: ColumnPath, edit: (type: DataType) => DataType): StructType {
  return editAt(schema, path, edit) as StructType
}

function editAt(type: DataType, path: ColumnPath, edit: (type: DataType) => DataType): DataType {
  const [part, ...rest] = path
  if (part === undefined) return edit(type)
  switch (type.kind) {
    case 'struct':
      return structType(
        type.fields.map((field) => (field.name === part ? { ...field, type: editAt(field.type, rest, edit) } : field)),
      )
    case 'array':
      return { ...type, element: editAt(type.element, rest, edit) }
    case 'map':
      return part === 'key'
        ? { ...type, key: editAt(type.key, rest, edit) }
        : { ...type, value: editAt(type.value, rest, edit) }
    default:
      return type
  }
}

/** The schema with the fields of the struct at a path replaced. */
export function editFields(
  schema: StructType,
  path: ColumnPath,
  edit: (fields: readonly StructField[]) => readonly StructField[],
): StructType {
  return editType(schema, path, (type) => (type.kind === 'struct' ? structType(edit(type.fields)) : type))
}

/** The schema with one field replaced. */
export function editField(schema: StructType, path: ColumnPath, edit: (field: StructField) => StructField): StructType {
  const name = path.at(-1)
  return editFields(schema, path.slice(0, -1), (fields) => fields.map((f) => (f.name === name ? edit(f) : f)))
}
