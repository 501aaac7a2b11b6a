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
import { property } from '../properties/index.ts'
import { withRowTrackingColumns } from '../row-tracking/column-names.ts'
import { layoutOf } from '../snapshot/layout-of.ts'
import { assignColumnIds } from './column-ids.ts'
import { checkProperties, takeRequests } from './plan-properties.ts'
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
  readonly partitionColumns?: readonly string[]
  readonly set?: ReadonlyMap<string, string>
  /** property keys, whatever their case */
  readonly unset?: readonly string[]
  readonly name?: string
  readonly description?: string
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
  const { properties, requests } = takeRequests(spec.configuration ?? new Map())
  checkProperties(properties)
  const mapped = mapColumns(spec.schema, properties, 'fresh')
  const partitionColumns = validateSchema(mapped.schema, rulesOf(properties, spec.partitionColumns ?? []))
  const metadata: Metadata = {
    id: crypto.randomUUID(),
    ...(spec.name === undefined ? {} : { name: spec.name }),
    ...(spec.description === undefined ? {} : { description: spec.description }),
    format: { provider: 'parquet', options: new Map() },
    schemaString: printSchema(mapped.schema),
    partitionColumns,
    createdTime: context.nowMs,
    configuration: mapped.configuration,
  }
  const table = { metadata, schema: mapped.schema, domains: spec.domains ?? new Map() }
  const protocol = planProtocol(undefined, table, { requests, path: context.path })
  return { metadata: withRowTrackingColumns(protocol, metadata), protocol }
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
  const mapped = mapColumns(change.schema ?? layout.schema, configuration, naming)
  const wanted = change.partitionColumns ?? before.metadata.partitionColumns
  const metadata: Metadata = {
    ...before.metadata,
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description }),
    schemaString: printSchema(mapped.schema),
    partitionColumns: validateSchema(mapped.schema, rulesOf(configuration, wanted)),
    configuration: mapped.configuration,
  }
  const table = { metadata, schema: mapped.schema, domains: before.domains }
  const protocol = planProtocol(before.protocol, table, { requests, path })
  const isEnabled = property(configuration, 'enableRowTracking')
  const planned = isEnabled ? withRowTrackingColumns(protocol, metadata) : metadata
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
  const gone = new Set([...unset, ...set.keys()].map((key) => key.toLowerCase()))
  const kept = [...before].filter(([key]) => !gone.has(key.toLowerCase()))
  return new Map([...kept, ...set])
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
  naming: 'logical' | 'fresh',
): { schema: StructType; configuration: Map<string, string> } {
  if (property(configuration, 'columnMapping.mode') === 'none') return { schema, configuration: new Map(configuration) }
  const maxColumnId = property(configuration, 'columnMapping.maxColumnId') ?? 0
  const assigned = assignColumnIds(schema, { maxColumnId, naming })
  const changed = new Map(configuration).set('delta.columnMapping.maxColumnId', String(assigned.maxColumnId))
  return { schema: assigned.schema, configuration: changed }
}
