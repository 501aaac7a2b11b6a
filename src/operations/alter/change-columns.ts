/** ALTER TABLE ALTER COLUMN: type, comment, nullability, default, place. */
import { deltaError } from '../../errors/index.ts'
import { type Snapshot, supportsFeature } from '../../kernel/index.ts'
import { type StructField, type StructType, sameType } from '../../schema/index.ts'
import type { JsonObject } from '../../support/index.ts'
import { checkDefault } from '../create/default-value.ts'
import { columnPathText } from '../values/index.ts'
import type { ColumnChange, ColumnPosition } from './action.ts'
import { changeLengthLimit, checkTypeChange, rememberTypeChange, typeRules } from './change-type.ts'
import { type ColumnPlace, editField, editFields, editType, requireColumn, unresolved } from './column-place.ts'
import { overlaps, refuseDependents } from './dependents.ts'
import { columnJson, jsonText, positionText } from './parameters.ts'
import { indexOfField, placeField } from './place-field.ts'
import type { PlanAction } from './plan.ts'

const DEFAULT = 'CURRENT_DEFAULT'

/** Whether a change asks for nothing but the type that the column has. */
function keepsType({ column, type, typeMetadata = {}, ...rest }: ColumnChange, { schema, store }: Snapshot): boolean {
  if (type === undefined || Object.values(rest).some((wish) => wish !== undefined)) return false
  const { field, path, type: before } = requireColumn(schema, column)
  return sameType(before, type) && changeLengthLimit(field, typeMetadata, path, store.location) === field.metadata
}

interface Changed {
  readonly schema: StructType
  /** as the commit tells it */
  readonly told: JsonObject
}

/**
 * @throws DeltaError `UNRESOLVED_COLUMN.WITH_SUGGESTION`, `NOT_SUPPORTED_CHANGE_SAME_COLUMN`, `_LEGACY_ERROR_TEMP_2330`,
 * `DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY`, those of `checkTypeChange`, `refuseDependents` and `checkDefault`
 */
export const planChangeColumns: PlanAction<'change columns'> = ({ changes }, snapshot) => {
  refuseTwice(changes, snapshot)
  if (changes.every((change) => keepsType(change, snapshot))) return undefined
  let { schema } = snapshot
  const told: JsonObject[] = []
  for (const change of changes) {
    const changed = changeColumn(schema, change, snapshot)
    schema = changed.schema
    told.push(changed.told)
  }
  const many = changes.length > 1
  return {
    operation: many ? 'CHANGE COLUMNS' : 'CHANGE COLUMN',
    operationParameters: many
      ? { columns: jsonText(told) }
      : { column: jsonText(told[0]!), ...positionText(changes[0]!.position) },
    change: { schema },
  }
}

function refuseTwice(changes: readonly ColumnChange[], { store }: Snapshot): void {
  const twice = changes.find(({ column }, i) =>
    changes.slice(0, i).some((other) => overlaps(column, other.column) || overlaps(other.column, column)),
  )
  if (twice === undefined) return
  throw deltaError('NOT_SUPPORTED_CHANGE_SAME_COLUMN', { column: columnPathText(twice.column), path: store.location })
}

function changeColumn(schema: StructType, change: ColumnChange, snapshot: Snapshot): Changed {
  const place = requireColumn(schema, change.column)
  const isField = place.fieldDepth === place.path.length
  const retyped = changeType(schema, place, change, snapshot)
  const metadata = isField ? changedMetadata(place, change, snapshot) : innerMetadata(place, change)
  const nullable = changedNullability(place, change)
  const told = columnJson({ path: place.path, type: change.type ?? place.type, nullable, metadata })
  if (!isField) return { schema: retyped, told }
  const { field } = requireColumn(retyped, place.path)
  const changes = field.metadata['delta.typeChanges']
  const kept = changes === undefined ? {} : { 'delta.typeChanges': changes }
  const edited = editField(retyped, place.path, (f) => ({ ...f, nullable, metadata: { ...metadata, ...kept } }))
  return { schema: moveColumn(edited, place, change.position), told }
}

/** What an array or a map holds has no metadata of its own. */
function innerMetadata({ path }: ColumnPlace, change: ColumnChange): JsonObject {
  const column = columnPathText(path)
  if (change.comment !== undefined) throw deltaError('DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY', { column })
  if (change.default !== undefined || change.position !== undefined) {
    throw deltaError('DELTA_OPERATION_NOT_ALLOWED', {
      operation: `giving ${column} a ${change.default === undefined ? 'place' : 'default'}`,
      reason: 'it is what an array or a map holds, not a field of a struct',
    })
  }
  return {}
}

function changedMetadata(place: ColumnPlace, change: ColumnChange, snapshot: Snapshot): JsonObject {
  const { field, path } = place
  refuseIdentityDefault(field, change)
  const limited =
    change.type === undefined ? field.metadata : limitedField(field, change, path, snapshot.store.location)
  const commented = change.comment === undefined ? limited : { ...limited, comment: change.comment }
  if (change.default === undefined) return commented
  const { [DEFAULT]: _, ...without } = commented
  if (change.default === null) return without
  requireDefaults(snapshot, path)
  checkDefault(change.default, path, change.type ?? field.type)
  return { ...without, [DEFAULT]: change.default }
}

function limitedField(field: StructField, change: ColumnChange, path: readonly string[], location: string): JsonObject {
  return changeLengthLimit(field, change.typeMetadata ?? {}, path, location)
}

function refuseIdentityDefault({ metadata }: StructField, change: ColumnChange): void {
  if (change.default === undefined || metadata['delta.identity.start'] === undefined) return
  throw deltaError('DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED', { column: columnPathText(change.column) })
}

function requireDefaults({ protocol }: Snapshot, path: readonly string[]): void {
  if (supportsFeature(protocol, 'allowColumnDefaults')) return
  throw deltaError('WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED', { column: columnPathText(path) })
}

function changedNullability({ nullable, path }: ColumnPlace, change: ColumnChange): boolean {
  if (change.nullable === false && nullable) {
    throw deltaError('_LEGACY_ERROR_TEMP_2330', { column: columnPathText(path) })
  }
  return change.nullable ?? nullable
}

function changeType(schema: StructType, place: ColumnPlace, { type }: ColumnChange, snapshot: Snapshot): StructType {
  if (type === undefined) return schema
  const change = { column: place.path, from: place.type, to: type }
  checkTypeChange(change, typeRules(snapshot.configuration, snapshot.store.location))
  if (sameType(place.type, type)) return schema
  refuseDependents(snapshot, place.path)
  const inner = place.path.slice(place.fieldDepth)
  const retyped = editType(schema, place.path, () => type)
  const field = place.path.slice(0, place.fieldDepth)
  return editField(retyped, field, (f) => ({ ...f, metadata: rememberTypeChange(f, change, inner) }))
}

function moveColumn(schema: StructType, { path }: ColumnPlace, position: ColumnPosition | undefined): StructType {
  if (position === undefined) return schema
  const name = path.at(-1)!
  return editFields(schema, path.slice(0, -1), (fields) => {
    const moved = fields.find((field) => field.name === name)!
    if (position !== 'first' && indexOfField(fields, position.after) < 0) {
      throw unresolved(schema, [...path.slice(0, -1), position.after])
    }
    if (position !== 'first' && indexOfField([moved], position.after) === 0) return fields
    return placeField(
      fields.filter((field) => field !== moved),
      moved,
      position,
    )
  })
}
