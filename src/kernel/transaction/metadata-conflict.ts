/** Which changes of metadata a concurrent commit can live with. */
import { type DataType, parseSchema, printSchema, type StructField, type StructType } from '../../schema/index.ts'
import { type JsonObject, printJson } from '../../support/index.ts'
import type { Metadata } from '../actions/actions.ts'
import { property } from '../properties/index.ts'
import { IDENTITY_MARK } from './identity-marks.ts'

/** Switches that change nothing about files already written: property → the value it may be turned to. */
const HARMLESS: ReadonlyMap<string, RegExp> = new Map([
  ['delta.enableDeletionVectors', /^true$/i],
  ['delta.enableInCommitTimestamps', /^true$/i],
  ['delta.inCommitTimestampEnablementVersion', /^\d+$/],
  ['delta.inCommitTimestampEnablementTimestamp', /^\d+$/],
  ['delta.checkpointPolicy', /^v2$/i],
  ['delta.enableRowTracking', /^true$/i],
  ['delta.rowTracking.materializedRowIdColumnName', /./],
  ['delta.rowTracking.materializedRowCommitVersionColumnName', /./],
])

/** The same for a table whose columns begin to be mapped under the names they have. */
const HARMLESS_MAPPING: ReadonlyMap<string, RegExp> = new Map([
  ...HARMLESS,
  ['delta.columnMapping.mode', /^name$/i],
  ['delta.columnMapping.maxColumnId', /^\d+$/],
])

/**
 * Whether only such switches were turned on, identity columns counted on, and all else is as before.
 *
 * Source: `delta-protocol`, committing and conflicts
 */
export function isHarmlessMetadataChange(before: Metadata, after: Metadata): boolean {
  const beginsToMap = isMapped(after) && !isMapped(before)
  if (identity(before, beginsToMap) !== identity(after, beginsToMap)) return false
  const harmless = beginsToMap ? HARMLESS_MAPPING : HARMLESS
  const keys = new Set([...before.configuration.keys(), ...after.configuration.keys()])
  for (const key of keys) {
    const value = after.configuration.get(key)
    if (value === before.configuration.get(key)) continue
    if (value === undefined || harmless.get(key)?.test(value) !== true) return false
  }
  return true
}

function isMapped({ configuration }: Metadata): boolean {
  return property(configuration, 'columnMapping.mode') !== 'none'
}

/** Whether rows that are moved bring their ids along from here on, and did not before. */
export function beginsToTrackRows(before: Metadata, after: Metadata): boolean {
  const tracks = ({ configuration }: Metadata) => property(configuration, 'enableRowTracking')
  return tracks(after) && !tracks(before)
}

/** All that is not configuration, as one text; identity marks and, where asked for, names of mapped columns left out. */
function identity(metadata: Metadata, withoutMapping: boolean): string {
  const { configuration: _, format, extra = {}, schemaString, ...rest } = metadata
  const options = [...format.options].flat()
  const schema = schemaString === undefined ? null : bareSchema(schemaString, withoutMapping)
  return printJson({ ...rest, schema, provider: format.provider, options, extra })
}

function bareSchema(text: string, withoutMapping: boolean): string {
  const bare = (field: StructField): StructField => {
    const { [IDENTITY_MARK]: _, ...metadata } = field.metadata
    return { ...field, metadata: withoutMapping ? withoutNames(metadata, field.name) : metadata }
  }
  return printSchema(mapFields(parseSchema(text), bare) as StructType)
}

/** Leaves out an id, and a physical name that is the logical one. */
function withoutNames(metadata: JsonObject, name: string): JsonObject {
  const { 'delta.columnMapping.id': _, 'delta.columnMapping.physicalName': physicalName, ...bare } = metadata
  return physicalName === undefined || physicalName === name ? bare : metadata
}

/** A type with every field of it, at any depth, changed. */
function mapFields(type: DataType, change: (field: StructField) => StructField): DataType {
  const inside = (inner: DataType) => mapFields(inner, change)
  if (type.kind === 'array') return { ...type, element: inside(type.element) }
  if (type.kind === 'map') return { ...type, key: inside(type.key), value: inside(type.value) }
  if (type.kind !== 'struct') return type
  return { ...type, fields: type.fields.map((field) => change({ ...field, type: inside(field.type) })) }
}
