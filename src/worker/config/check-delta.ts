/** What a delta destination's settings must be together. */
import { findField, formatType, type StructType } from '../../schema/index.ts'
import type { DeltaDestinationConfig } from './config.ts'
import { type Fault, isObject, type Place, printValue, readSettings, withoutPassword } from './setting.ts'
import { unityCatalogSettings } from './settings.ts'

const CREDENTIAL_KEYS = [
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'roleArn',
  'externalId',
  'authEndpoint',
] as const

/** [key, the key it is nothing without] */
const NEEDS = [
  ['accessKeyId', 'secretAccessKey'],
  ['secretAccessKey', 'accessKeyId'],
  ['sessionToken', 'accessKeyId'],
  ['externalId', 'roleArn'],
  ['authEndpoint', 'roleArn'],
] as const

type BucketKeys = Partial<Record<'endpoint' | (typeof NEEDS)[number][number], string | undefined>>

/** What the settings of whoever speaks to a bucket must be together. */
export function checkBucket(config: BucketKeys, place: Place, faults: Fault[]): void {
  if (config.endpoint !== undefined && !isHttpAddress(config.endpoint)) {
    faults.push(place.fault('WORKER_CONFIG_ENDPOINT', 'endpoint', { endpoint: withoutPassword(config.endpoint) }))
  }
  for (const [name, other] of NEEDS) {
    if (config[name] !== undefined && config[other] === undefined) {
      faults.push(place.fault('WORKER_CONFIG_NEEDS', name, { name, other }))
    }
  }
}

export function checkDeltaDestination(config: DeltaDestinationConfig, place: Place, faults: Fault[]): void {
  if ((config.location === undefined) === (config.unityCatalog === undefined)) {
    faults.push(place.fault('WORKER_CONFIG_NO_TABLE', ''))
  }
  if (config.location !== undefined && !isTableLocation(config.location)) {
    faults.push(place.fault('WORKER_CONFIG_LOCATION', 'location', { location: config.location }))
  }
  checkBucket(config, place, faults)
  if (config.unityCatalog !== undefined) checkUnityCatalog(config, place, faults)
}

function isTableLocation(location: string): boolean {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(location)?.[1]?.toLowerCase()
  if (scheme === 's3' || scheme === 'az') return /^[a-z0-9]+:\/\/[^/]+/i.test(location)
  return scheme === undefined || scheme === 'file'
}

function isHttpAddress(text: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')
}

function checkUnityCatalog(config: DeltaDestinationConfig, place: Place, faults: Fault[]): void {
  const beside = CREDENTIAL_KEYS.filter((key) => config[key] !== undefined)
  if (beside.length > 0) faults.push(place.fault('WORKER_CONFIG_BESIDE_UNITY', beside[0]!, { keys: beside }))
  if (config.region === undefined) faults.push(place.fault('WORKER_CONFIG_NO_REGION', 'region'))
  const json = config.unityCatalog
  if (!isObject(json)) {
    const allowed = 'an object with workspace, table, clientId and clientSecret'
    faults.push(place.fault('WORKER_CONFIG_VALUE', 'unityCatalog', { value: printValue(json), allowed }))
    return
  }
  const inner = place.inner('unityCatalog')
  const { workspace, table } = readSettings(unityCatalogSettings, json, inner, faults)
  if (workspace !== undefined && !isWorkspace(workspace)) {
    faults.push(inner.fault('WORKER_CONFIG_WORKSPACE', 'workspace', { workspace }))
  }
  if (table !== undefined && !/^[^.]+\.[^.]+\.[^.]+$/.test(table)) {
    faults.push(inner.fault('WORKER_CONFIG_UNITY_TABLE', 'table', { table }))
  }
}

/** An https address with nothing behind its host; http only where the workspace is this host. */
function isWorkspace(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.pathname !== '/' || /[?#@]/.test(text)) return false
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
  )
}

const PARTITION_TYPES: ReadonlySet<string> = new Set([
  'boolean',
  'byte',
  'short',
  'integer',
  'long',
  'double',
  'date',
  'timestamp',
  'string',
])

/** Whether a table can be partitioned by a column of the type, by this destination. */
export function isPartitionType(kind: string): boolean {
  return PARTITION_TYPES.has(kind)
}

export function checkPartitionBy(names: readonly string[], schema: StructType, place: Place, faults: Fault[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    const column = findField(schema, name)
    if (column === undefined) {
      faults.push(place.fault('WORKER_CONFIG_PARTITION_UNKNOWN', 'partitionBy', { column: name }))
    } else if (seen.has(column.name)) {
      faults.push(place.fault('WORKER_CONFIG_PARTITION_TWICE', 'partitionBy', { column: name }))
    } else if (!isPartitionType(column.type.kind)) {
      const type = formatType(column.type)
      faults.push(place.fault('WORKER_TABLE_PARTITION_TYPE', 'partitionBy', { column: name, type }))
    }
    if (column !== undefined) seen.add(column.name)
  }
}
