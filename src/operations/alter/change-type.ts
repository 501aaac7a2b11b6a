/**
 * Changes of a column's type, and the trace they leave in the schema.
 *
 * Without type widening a type may only grow where files need no cast: VOID into anything, and the length of a CHAR or
 * VARCHAR. With it, types may grow as the protocol lists; each step is kept in `delta.typeChanges` of the nearest field.
 * Source: Delta protocol, "Type Widening"
 */
import { deltaError } from '../../errors/index.ts'
import { isWidening, property } from '../../kernel/index.ts'
import { type DataType, deltaTypeName, formatType, type StructField, sameType } from '../../schema/index.ts'
import type { JsonObject, JsonValue } from '../../support/index.ts'
import { columnPathText, holdsAll } from '../values/index.ts'
import type { ColumnPath } from './action.ts'

const TYPE_CHANGES = 'delta.typeChanges'
const CHAR_VARCHAR = '__CHAR_VARCHAR_TYPE_STRING'

export interface TypeChange {
  readonly column: ColumnPath
  readonly from: DataType
  readonly to: DataType
}

export interface TypeRules {
  /** for messages */
  readonly path: string
  readonly widens: boolean
}

export function typeRules(configuration: ReadonlyMap<string, string>, path: string): TypeRules {
  return { path, widens: property(configuration, 'enableTypeWidening') }
}

/** Whether a column may go from one type to another, both of them no nested ones. */
export function mayBecome(from: DataType, to: DataType, widens: boolean): boolean {
  if (sameType(from, to) || from.kind === 'void') return true
  return widens && isWidening(deltaTypeName(from), deltaTypeName(to))
}

/** @throws DeltaError `CANNOT_UPDATE_FIELD.…`, `NOT_SUPPORTED_CHANGE_COLUMN`, `DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP` */
export function checkTypeChange({ column, from, to }: TypeChange, { path, widens }: TypeRules): void {
  if (sameType(from, to)) return
  const name = columnPathText(column)
  if (from.kind === to.kind) refuseNested(name, from, path)
  if (mayBecome(from, to, widens)) return
  const details = { column: name, path, from: formatType(from), to: formatType(to) }
  const isUpcast = holdsAll(from, to) && !(from.kind === 'decimal' && to.kind === 'double')
  if (!isUpcast) throw deltaError('NOT_SUPPORTED_CHANGE_COLUMN', details)
  const advice = isWidening(deltaTypeName(from), deltaTypeName(to))
    ? 'set delta.enableTypeWidening to true first'
    : 'write the rows into a new column, or overwrite the table with overwriteSchema'
  throw deltaError('DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP', { ...details, advice })
}

function refuseNested(column: string, { kind }: DataType, path: string): void {
  if (kind === 'struct') throw deltaError('CANNOT_UPDATE_FIELD.STRUCT_TYPE', { column, path })
  if (kind === 'array') throw deltaError('CANNOT_UPDATE_FIELD.ARRAY_TYPE', { column, path })
  if (kind === 'map') throw deltaError('CANNOT_UPDATE_FIELD.MAP_TYPE', { column, path })
}

/**
 * The metadata of a field behind a change of its type, or of what it holds.
 *
 * @param inner the way from the field to what changed: `element`, `key`, `value`; empty for the field itself
 */
export function rememberTypeChange(field: StructField, { from, to }: TypeChange, inner: ColumnPath): JsonObject {
  if (sameType(from, to) || from.kind === 'void') return field.metadata
  const known = field.metadata[TYPE_CHANGES]
  const change: JsonObject = {
    toType: deltaTypeName(to),
    fromType: deltaTypeName(from),
    ...(inner.length === 0 ? {} : { fieldPath: inner.join('.') }),
  }
  return { ...field.metadata, [TYPE_CHANGES]: [...(Array.isArray(known) ? (known as JsonValue[]) : []), change] }
}

/**
 * The metadata of a text column whose length limit changes: it may grow, go, and never come or shrink.
 *
 * @param wanted of the new type
 * @throws DeltaError `NOT_SUPPORTED_CHANGE_COLUMN`
 */
export function changeLengthLimit(
  field: StructField,
  wanted: JsonObject,
  column: ColumnPath,
  path: string,
): JsonObject {
  const { [CHAR_VARCHAR]: before, ...rest } = field.metadata
  const after = wanted[CHAR_VARCHAR]
  if (after === before) return field.metadata
  if (!limitGrows(before, after)) {
    throw deltaError('NOT_SUPPORTED_CHANGE_COLUMN', {
      column: columnPathText(column),
      path,
      from: typeof before === 'string' ? before : formatType(field.type),
      to: String(after ?? formatType(field.type)),
    })
  }
  return after === undefined ? rest : { ...rest, [CHAR_VARCHAR]: after }
}

function limitGrows(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (after === undefined) return true
  const [old, now] = [limitOf(before), limitOf(after)]
  return old !== undefined && now !== undefined && now.length >= old.length && (now.varies || now.length === old.length)
}

function limitOf(text: JsonValue | undefined): { length: number; varies: boolean } | undefined {
  const match = typeof text === 'string' ? /^(var)?char\((\d+)\)$/i.exec(text) : null
  return match === null ? undefined : { length: Number(match[2]), varies: match[1] !== undefined }
}
