/**
 * Metadata and protocol of a table that is created or changed.
 *
 * A change keeps id, creation time, and every property, id and physical name it does not name; the protocol only
 * grows, to the lowest one that holds what the table then uses. Source: Delta protocol, "Change Metadata", "Protocol
 * Evolution".
 */
import { deltaError } from '../../errors/index.ts'
import { printSchema, type StructType } from '../../schema/index.ts'
import type { DomainMetadata, Metadata, Protocol } from '../actions/actions.ts'
import { findProperty, property } from '../properties/index.ts'
import { withRowTrackingColumns } from '../row-tracking/column-names.ts'
import { layoutOf } from '../snapshot/layout-of.ts'
import { assignColumnIds, type ColumnIdOptions, inheritColumnIds } from './column-ids.ts'
import { checkProperties, noRequests, takeRequests } from './plan-properties.ts'
import { planProtocol } from './plan-protocol.ts'
import { validateSchema } from './schema-rules.ts'

/** What a table is to be. */
export interface TableSpec {
  readonly schema: StructType
  /** logical names of top-level columns, in order */
  readonly partitionColumns?: readonly string[]
  /** properties as the user gives them, requests such as `delta.feature.x=supported` included */
  readonly configuration?: ReadonlyMap<string, string>
  readonly name?: string
  readonly description?: string
  /** domains set in the same commit, `delta.clustering` among them */
  readonly domains?: ReadonlyMap<string, DomainMetadata>
}

/** What is to change about a table; what is left out stays. */
export interface MetadataChange {
  /** new columns carry no ids: they are given here */
  readonly schema?: StructType
  /** true: the schema is another one; columns that come back under their name and type keep their ids */
  readonly replacesSchema?: boolean
  readonly partitionColumns?: readonly string[]
  readonly set?: ReadonlyMap<string, string>
  /** property keys; those of the format match whatever their case */
  readonly unset?: readonly string[]
  readonly name?: string
  /** null takes it away */
  readonly description?: string | null
  /** domains set in the same commit */
  readonly domains?: ReadonlyMap<string, DomainMetadata>
}

export interface PlannedMetadata {
  readonly metadata: Metadata
  /** absent when the protocol stays */
  readonly protocol?: Protocol
}

/** The table as it is before a change. */
export interface TableBefore {
  readonly protocol: Protocol
  readonly metadata: Metadata
  readonly domains: ReadonlyMap<string, DomainMetadata>
}

/**
 * Plans a new table.
 *
 * @throws DeltaError those of `validateSchema`, `DELTA_UNKNOWN_CONFIGURATION`,
 * `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED`, `DELTA_UNSUPPORTED_FEATURES_IN_CONFIG`,
 * `DELTA_UNSUPPORTED_FEATURE_STATUS`, `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export function planNewTable(spec: TableSpec, context: { nowMs: number; path: string }): Required<PlannedMetadata> {
  const { metadata, schema, requests } = newMetadata(spec, context.nowMs, new Map())
  const table = { metadata, schema, domains: spec.domains ?? new Map() }
  const protocol = planProtocol(undefined, table, { requests, path: context.path })
  return { metadata: withRowTrackingColumns(protocol, metadata), protocol }
}

/**
 * Plans what a table becomes that is replaced by another: a new id, schema, partitioning and properties. The protocol
 * keeps what it has and gets what the new table uses. Columns that come back under their name and type keep their ids,
 * new ids go on behind those given out, and a table that tracks its rows goes on doing so.
 *
 * @throws DeltaError those of `planNewTable`
 */
export function planReplacement(
  before: TableBefore,
  spec: TableSpec,
  context: { nowMs: number; path: string },
): PlannedMetadata {
  const { configuration } = before.metadata
  const layout = layoutOf(before.protocol, before.metadata)
  const mapsColumns = property(spec.configuration ?? new Map(), 'columnMapping.mode') !== 'none'
  const wanted = {
    ...spec,
    ...(mapsColumns && { schema: inheritColumnIds(spec.schema, layout.schema) }),
    configuration: keepRowTracking(spec.configuration ?? new Map(), configuration),
  }
  const { metadata, schema, requests } = newMetadata(wanted, context.nowMs, configuration)
  const table = { metadata, schema, domains: new Map([...before.domains, ...(spec.domains ?? [])]) }
  const protocol = planProtocol(before.protocol, table, { requests, path: context.path, replaces: true })
  const planned = withRowTrackingColumns(protocol, metadata)
  return protocol === before.protocol ? { metadata: planned } : { metadata: planned, protocol }
}

/** A table goes on tracking its rows, under the names it has for their ids, unless it is told not to. */
function keepRowTracking(wanted: ReadonlyMap<string, string>, replaced: ReadonlyMap<string, string>) {
  const isTold = findProperty(wanted, 'enableRowTracking') !== undefined
  if (isTold || !property(replaced, 'enableRowTracking')) return wanted
  const kept = [...replaced].filter(([key]) => /^delta\.(enableRowTracking$|rowTracking\.)/i.test(key))
  return new Map([...kept, ...wanted])
}

/** @param replaced the properties of the table that was there, empty for one that is new */
function newMetadata(spec: TableSpec, nowMs: number, replaced: ReadonlyMap<string, string>) {
  const { properties, requests } = takeRequests(spec.configuration ?? new Map())
  checkProperties(properties)
  const maxColumnId = property(replaced, 'columnMapping.maxColumnId') ?? 0
  const { schema, configuration } = mapColumns(spec.schema, properties, { naming: 'fresh', maxColumnId })
  const metadata: Metadata = {
    id: crypto.randomUUID(),
    ...(spec.name === undefined ? {} : { name: spec.name }),
    ...(spec.description === undefined ? {} : { description: spec.description }),
    format: { provider: 'parquet', options: new Map() },
    schemaString: printSchema(schema),
    partitionColumns: validateSchema(schema, rulesOf(properties, spec.partitionColumns ?? [])),
    createdTime: nowMs,
    configuration,
  }
  return { metadata, schema, requests }
}

/**
 * Plans a change of a table's schema or properties.
 *
 * @throws DeltaError those of `planNewTable`, `DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE`,
 * `DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT`
 */
export function planMetadataChange(before: TableBefore, change: MetadataChange, path: string): PlannedMetadata {
  const { properties, requests } = takeRequests(change.set ?? new Map())
  const configuration = changedConfiguration(before.metadata.configuration, properties, change.unset ?? [])
  checkProperties(configuration, properties)
  const layout = layoutOf(before.protocol, before.metadata)
  const naming = modeChange(before.metadata.configuration, configuration) === 'none-to-name' ? 'logical' : 'fresh'
  const maxColumnId = property(configuration, 'columnMapping.maxColumnId') ?? 0
  const { schema = layout.schema } = change
  const wantedSchema = change.replacesSchema ? inheritColumnIds(schema, layout.schema) : schema
  const mapped = mapColumns(wantedSchema, configuration, { naming, maxColumnId })
  const wanted = change.partitionColumns ?? before.metadata.partitionColumns
  const { description: _, ...kept } = before.metadata
  const metadata: Metadata = {
    ...(change.description === undefined ? before.metadata : kept),
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description == null ? {} : { description: change.description }),
    schemaString: printSchema(mapped.schema),
    partitionColumns: validateSchema(mapped.schema, rulesOf(configuration, wanted)),
    configuration: mapped.configuration,
  }
  const table = { metadata, schema: mapped.schema, domains: new Map([...before.domains, ...(change.domains ?? [])]) }
  const protocol = planProtocol(before.protocol, table, { requests, path })
  const planned = withRowTrackingColumns(protocol, metadata)
  return protocol === before.protocol ? { metadata: planned } : { metadata: planned, protocol }
}

function rulesOf(configuration: ReadonlyMap<string, string>, partitionColumns: readonly string[]) {
  return {
    partitionColumns,
    mapsColumns: property(configuration, 'columnMapping.mode') !== 'none',
    hasChangeFeed: property(configuration, 'enableChangeDataFeed'),
  }
}

function changedConfiguration(
  before: ReadonlyMap<string, string>,
  set: ReadonlyMap<string, string>,
  unset: readonly string[],
): Map<string, string> {
  const gone = new Set([...unset, ...set.keys()].map(comparable))
  const kept = [...before].filter(([key]) => !gone.has(comparable(key)))
  return new Map([...kept, ...set])
}

/** Keys of the format match regardless of case, others exactly. */
function comparable(key: string): string {
  const lower = key.toLowerCase()
  return lower.startsWith('delta.') ? lower : key
}

function modeChange(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): 'same' | 'none-to-name' {
  const from = property(before, 'columnMapping.mode')
  const to = property(after, 'columnMapping.mode')
  if (from === to) return 'same'
  if (from === 'none' && to === 'name') return 'none-to-name'
  throw deltaError('DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE', { from, to })
}

/** Ids, physical names and the highest id, where the table maps columns. */
function mapColumns(
  schema: StructType,
  configuration: ReadonlyMap<string, string>,
  options: ColumnIdOptions,
): { schema: StructType; configuration: Map<string, string> } {
  if (property(configuration, 'columnMapping.mode') === 'none') return { schema, configuration: new Map(configuration) }
  const assigned = assignColumnIds(schema, options)
  const changed = new Map(configuration).set('delta.columnMapping.maxColumnId', String(assigned.maxColumnId))
  return { schema: assigned.schema, configuration: changed }
}

/**
 * The protocol of a table that is to list more features and stay as it is otherwise.
 *
 * @returns no protocol where nothing is added
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export function planFeatures(before: TableBefore, features: readonly string[], path: string): { protocol?: Protocol } {
  const { schema } = layoutOf(before.protocol, before.metadata)
  const requests = { ...noRequests, features }
  const protocol = planProtocol(before.protocol, { ...before, schema }, { requests, path })
  return protocol === before.protocol ? {} : { protocol }
}
