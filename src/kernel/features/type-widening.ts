/** Columns whose type has grown. Source: Delta protocol, "Type Widening". */
import type { DataType, StructType } from '../../schema/index.ts'
import { isJsonObject, type JsonValue, printJson } from '../../support/index.ts'
import { propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

export const typeWidening: TableFeature = {
  name: 'typeWidening',
  aliases: ['typeWidening-preview'],
  kind: 'reader-writer',
  needs: [],
  isActive: propertyIs('enableTypeWidening', true),
  readable: true,
  writable: 'yes',
  addedByProperty: true,
}

const ORDER = ['byte', 'short', 'integer', 'long']

/** A change of type in the schema's history that no reader is told how to follow. */
export function unknownTypeChange(
  schema: StructType,
): { readonly column: string; readonly from: string; readonly to: string } | undefined {
  return firstInStruct(schema, [])
}

function firstInStruct(struct: StructType, path: readonly string[]): ReturnType<typeof unknownTypeChange> {
  for (const field of struct.fields) {
    const at = [...path, field.name]
    const changes = field.metadata['delta.typeChanges']
    const wrong = Array.isArray(changes) ? changes.find((change) => !isKnownChange(change)) : undefined
    if (wrong !== undefined) {
      return { column: at.join('.'), from: textOf(wrong, 'fromType'), to: textOf(wrong, 'toType') }
    }
    const below = firstInType(field.type, at)
    if (below !== undefined) return below
  }
  return undefined
}

function firstInType(type: DataType, path: readonly string[]): ReturnType<typeof unknownTypeChange> {
  if (type.kind === 'struct') return firstInStruct(type, path)
  if (type.kind === 'array') return firstInType(type.element, [...path, 'element'])
  if (type.kind !== 'map') return undefined
  return firstInType(type.key, [...path, 'key']) ?? firstInType(type.value, [...path, 'value'])
}

function textOf(change: JsonValue, name: string): string {
  const value = isJsonObject(change) ? change[name] : undefined
  return typeof value === 'string' ? value : printJson(value)
}

function isKnownChange(change: JsonValue): boolean {
  return isWidening(textOf(change, 'fromType'), textOf(change, 'toType'))
}

/** Whether one type, by its name in the log, may become another. */
export function isWidening(from: string, to: string): boolean {
  if (from === to) return false
  const rank = ORDER.indexOf(from)
  if (rank >= 0 && ORDER.indexOf(to) > rank) return true
  if (to === 'double') return from === 'float' || (rank >= 0 && rank < ORDER.indexOf('long'))
  if (to === 'timestamp_ntz') return from === 'date'
  const wider = decimalOf(to)
  if (wider === undefined) return false
  const narrow = rank < 0 ? decimalOf(from) : { precision: from === 'long' ? 20 : 10, scale: 0 }
  if (narrow === undefined) return false
  const moreScale = wider.scale - narrow.scale
  return moreScale >= 0 && wider.precision - narrow.precision >= moreScale
}

function decimalOf(text: string): { precision: number; scale: number } | undefined {
  const match = /^decimal\((\d+),\s*(\d+)\)$/.exec(text)
  return match === null ? undefined : { precision: Number(match[1]), scale: Number(match[2]) }
}
