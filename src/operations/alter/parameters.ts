/** Columns as the parameters of a commit tell them, in the reference's form. */
import { type DataType, type StructField, typeToJson } from '../../schema/index.ts'
import { type JsonObject, printJson } from '../../support/index.ts'
import { dottedName } from '../values/index.ts'
import type { ColumnPath, ColumnPosition } from './action.ts'

interface ToldColumn {
  readonly path: ColumnPath
  readonly type: DataType
  readonly nullable: boolean
  readonly metadata: JsonObject
}

export function columnJson({ path, type, nullable, metadata }: ToldColumn): JsonObject {
  return { name: dottedName(path), type: typeToJson(type), nullable, metadata }
}

export function fieldJson({ name, ...field }: StructField): JsonObject {
  return columnJson({ path: [name], ...field })
}

export function positionText(position: ColumnPosition | undefined): JsonObject {
  if (position === undefined) return {}
  return { position: position === 'first' ? 'FIRST' : `AFTER ${dottedName([position.after])}` }
}

/** JSON in a text, as most parameters are kept. */
export const jsonText = printJson
