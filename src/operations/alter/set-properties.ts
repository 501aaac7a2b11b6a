/** ALTER TABLE SET and UNSET TBLPROPERTIES, and the features that come with properties. */
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import { canonicalKey, property, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { unmapColumns } from '../drop-feature/features/column-mapping.ts'
import { prepareRowTracking } from '../row-tracking.ts'
import type { AlterAction } from './action.ts'
import { jsonText } from './parameters.ts'
import type { PlanAction } from './plan.ts'
import { checkStatisticsColumns } from './statistics-columns.ts'

const COMMENT = 'comment'

/** Keys that SQL keeps for clauses of its own. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['location', 'a table lies where it lies'],
  ['provider', 'the table is a Delta table'],
  ['owner', 'it belongs to whoever may write it'],
  ['external', 'it says nothing of a table that is addressed by its path'],
])

/** Properties the table keeps by itself. */
const KEPT_BY_TABLE: ReadonlySet<string> = new Set([
  'delta.columnMapping.maxColumnId',
  'delta.inCommitTimestampEnablementVersion',
  'delta.inCommitTimestampEnablementTimestamp',
])
const INTERNAL = /^delta\.rowTracking\.materialized/

/**
 * @throws DeltaError `DELTA_ADD_CONSTRAINTS`, `UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY`, `DELTA_UNKNOWN_CONFIGURATION`,
 * `DELTA_CANNOT_MODIFY_TABLE_PROPERTY`, `_LEGACY_ERROR_TEMP_2045` for a text that is no value of its property,
 * `DELTA_COLUMN_NOT_FOUND_IN_SCHEMA`, `DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE`, those of `planMetadataChange`
 */
export const planSetProperties: PlanAction<'set properties'> = ({ properties }, snapshot) => {
  for (const key of properties.keys()) refuseKey(key)
  checkStatisticsColumns(properties, snapshot.schema)
  const told = new Map([...properties].map(([key, value]) => [toldKey(key), value]))
  const { [COMMENT]: description, ...rest } = Object.fromEntries(told)
  return {
    operation: 'SET TBLPROPERTIES',
    operationParameters: { properties: jsonText(Object.fromEntries(told)) },
    ...(enablesRowTracking(snapshot, properties) && { tags: { rowTrackingEnablementOnly: String(told.size === 1) } }),
    change: { set: new Map(Object.entries(rest)), ...(description !== undefined && { description }) },
  }
}

/** Keys that are not set pass. */
export const planUnsetProperties: PlanAction<'unset properties'> = ({ keys }) => {
  const told = keys.map(toldKey)
  return {
    operation: 'UNSET TBLPROPERTIES',
    operationParameters: { properties: jsonText(told), ifExists: true },
    change: { unset: told.filter((key) => key !== COMMENT), ...(told.includes(COMMENT) && { description: null }) },
  }
}

/** The table's description. */
export const planSetComment: PlanAction<'set comment'> = ({ comment }) => ({
  operation: 'SET TBLPROPERTIES',
  operationParameters: { properties: jsonText({ [COMMENT]: comment ?? '' }) },
  change: { description: comment },
})

function refuseKey(key: string): void {
  const lower = key.toLowerCase()
  if (lower.startsWith('delta.constraints.')) {
    throw deltaError('DELTA_ADD_CONSTRAINTS', { name: key.slice('delta.constraints.'.length) })
  }
  if (lower === 'delta.feature.clustering') {
    throw deltaError('DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED')
  }
  const reason = RESERVED.get(key)
  if (reason !== undefined) throw deltaError('UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY', { property: key, reason })
  const known = canonicalKey(key)
  if (INTERNAL.test(known)) throw deltaError('DELTA_UNKNOWN_CONFIGURATION', { property: key })
  if (KEPT_BY_TABLE.has(known)) throw deltaError('DELTA_CANNOT_MODIFY_TABLE_PROPERTY', { property: known })
}

/** The spelling in which the commit tells a key. */
function toldKey(key: string): string {
  return /^delta\.feature\./i.test(key) ? key.toLowerCase() : canonicalKey(key)
}

/** The reference has no name of its own for a text that is no value of the property it is set to. */
export function namedAsAlter(error: unknown): unknown {
  if (!isDeltaError(error, 'DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED')) return error
  const { details } = error as DeltaError
  return deltaError('_LEGACY_ERROR_TEMP_2045', details, { cause: error })
}

/** Whether properties turn row tracking on for a table that has none: its rows get ids first, in commits of their own. */
export function enablesRowTracking({ configuration }: Snapshot, properties: ReadonlyMap<string, string>): boolean {
  return property(properties, 'enableRowTracking') && !property(configuration, 'enableRowTracking')
}

const MAPPING_MODE = 'delta.columnMapping.mode'

/**
 * Ends column mapping where an action asks for that: files are written anew, in a commit of their own.
 *
 * @returns the version made, and whether that was all the action asked for; undefined where it asks for no such thing
 * @throws DeltaError as `unmapColumns`
 */
export async function endMapping(
  action: AlterAction,
  context: OperationContext,
): Promise<{ version: number; isAll: boolean } | undefined> {
  const asked = askedToUnmap(action)
  if (asked === undefined) return undefined
  const version = await context.withSnapshot(undefined, (snapshot) => unmapColumns(snapshot, context, asked))
  return version === undefined ? undefined : { version, isAll: asked.isAll }
}

function askedToUnmap(action: AlterAction): { set: boolean; isAll: boolean } | undefined {
  if (action.kind === 'set properties') {
    const mode = [...action.properties].find(([key]) => canonicalKey(key) === MAPPING_MODE)?.[1]
    return mode?.toLowerCase() === 'none' ? { set: true, isAll: action.properties.size === 1 } : undefined
  }
  if (action.kind !== 'unset properties') return undefined
  const isNamed = action.keys.some((key) => canonicalKey(key) === MAPPING_MODE)
  return isNamed ? { set: false, isAll: action.keys.length === 1 } : undefined
}

/** What must be done in commits of its own before an action is planned. */
export async function prepareProperties(
  properties: ReadonlyMap<string, string>,
  context: OperationContext,
): Promise<void> {
  const needed = await context.withSnapshot(undefined, async (snapshot) => enablesRowTracking(snapshot, properties))
  if (needed) await prepareRowTracking(context)
}
