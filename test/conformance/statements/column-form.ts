/** Columns and types of statements, in the form of the recording. */
import { printName } from '../../../src/expressions/index.ts'
import type { DataType, StructField } from '../../../src/schema/index.ts'
import type { AddedColumn, AlterColumnAction, ColumnDefinition, Position } from '../../../src/sql/parser/index.ts'

export function columnOf({ field, default: text, generated, identity, foreignType }: ColumnDefinition) {
  return {
    ...fieldOf(field, foreignType),
    ...(text !== undefined && { defaultValue: text }),
    ...(generated !== undefined && { generationExpression: generated }),
    ...(identity !== undefined && {
      identityColumnSpec: `IdentityColumnSpec{start=${identity.start}, step=${identity.step}, allowExplicitInsert=${!identity.always}}`,
    }),
  }
}

function fieldOf({ name, type, nullable, metadata }: StructField, foreignType?: string) {
  const char = metadata.__CHAR_VARCHAR_TYPE_STRING
  return {
    name,
    nullable,
    ...(foreignType === undefined && char === undefined && { dataType: typeOf(type) }),
    ...(typeof metadata.comment === 'string' && { comment: metadata.comment }),
  }
}

export function addedOf({ parent, position, field, default: text, foreignType }: AddedColumn) {
  const { name, ...rest } = fieldOf(field, foreignType)
  return {
    colName: name,
    ...rest,
    ...(parent.length > 0 && { path: parent }),
    ...(position !== undefined && { position: positionOf(position) }),
    ...(text !== undefined && { default: text }),
  }
}

export function changeOf({ column, type, comment, position, nullable, default: text }: AlterColumnAction) {
  return {
    column,
    dropDefault: text === null,
    ...(type !== undefined && { newDataType: typeOf(type) }),
    ...(comment !== undefined && { newComment: comment }),
    ...(position !== undefined && { newPosition: positionOf(position) }),
    ...(nullable !== undefined && { newNullability: nullable }),
    ...(typeof text === 'string' && { newDefaultExpression: text }),
  }
}

function positionOf(position: Position): string {
  return position === 'first' ? 'FIRST' : `AFTER ${printName(position.after)}`
}

/** The text of a type as the reference prints it. */
function typeOf(type: DataType): string {
  switch (type.kind) {
    case 'array':
      return `ARRAY<${typeOf(type.element)}>`
    case 'map':
      return `MAP<${typeOf(type.key)}, ${typeOf(type.value)}>`
    case 'struct':
      return `STRUCT<${type.fields.map(memberOf).join(', ')}>`
    case 'decimal':
      return `DECIMAL(${type.precision},${type.scale})`
    default:
      return TYPE_NAMES[type.kind] ?? type.kind.toUpperCase()
  }
}

function memberOf({ name, type, nullable, metadata }: StructField): string {
  const comment = typeof metadata.comment === 'string' ? ` COMMENT '${metadata.comment}'` : ''
  return `${printName(name)}: ${typeOf(type)}${nullable ? '' : ' NOT NULL'}${comment}`
}

const TYPE_NAMES: Readonly<Partial<Record<DataType['kind'], string>>> = {
  byte: 'TINYINT',
  short: 'SMALLINT',
  integer: 'INT',
  long: 'BIGINT',
}
