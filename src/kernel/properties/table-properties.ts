/**
 * The properties of a table, each with its default and the values it takes.
 *
 * Keys begin with `delta.` and match regardless of case; keys without that prefix belong to the user and are never
 * looked at. Source: Delta protocol, "Table Properties", and the properties the reference knows.
 */
import { deltaError } from '../../errors/index.ts'
import { DAY_MS, HOUR_MS } from '../../support/index.ts'
import { parseIntervalMs } from './interval.ts'

/** What a property holds: how its text is read, what it is when absent, what it may be. */
export interface PropertySpec<T> {
  readonly default: T
  /** undefined: the text is no value of this property */
  readonly parse: (text: string) => T | undefined
  /** the values it takes, for the message of a refusal */
  readonly allowed: string
}

function flag(defaultValue: boolean): PropertySpec<boolean> {
  const parse = (text: string) => {
    const word = text.trim().toLowerCase()
    return word === 'true' ? true : word === 'false' ? false : undefined
  }
  return { default: defaultValue, parse, allowed: 'true or false' }
}

function integer(defaultValue: number, min: number): PropertySpec<number> {
  const parse = (text: string) => {
    const value = /^[-+]?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
    return value >= min ? value : undefined
  }
  return { default: defaultValue, parse, allowed: `a whole number from ${min} on` }
}

function optionalInteger(min: number): PropertySpec<number | undefined> {
  return { ...integer(min, min), default: undefined }
}

function duration<T extends number | undefined>(defaultMs: T): PropertySpec<number | T> {
  return { default: defaultMs, parse: parseIntervalMs, allowed: 'an interval without months and years: 30 days' }
}

function oneOf<T extends string>(defaultValue: T, values: readonly T[]): PropertySpec<T> {
  const parse = (text: string) => values.find((value) => value.toLowerCase() === text.trim().toLowerCase())
  return { default: defaultValue, parse, allowed: values.join(', ') }
}

const text: PropertySpec<string | undefined> = { default: undefined, parse: (value) => value, allowed: 'any text' }

/** The properties this package knows, without the prefix `delta.`; durations are milliseconds. */
export const tableProperties = {
  appendOnly: flag(false),
  autoOptimize: text,
  'autoOptimize.autoCompact': text,
  'autoOptimize.optimizeWrite': text,
  'checkpoint.writeStatsAsJson': flag(true),
  'checkpoint.writeStatsAsStruct': flag(false),
  checkpointInterval: integer(10, 1),
  checkpointPolicy: oneOf('classic', ['classic', 'v2']),
  checkpointRetentionDuration: duration(2 * DAY_MS),
  'columnMapping.maxColumnId': optionalInteger(0),
  'columnMapping.mode': oneOf('none', ['none', 'name', 'id']),
  'compatibility.symlinkFormatManifest.enabled': flag(false),
  dataSkippingNumIndexedCols: integer(32, -1),
  dataSkippingStatsColumns: text,
  dataSkippingStringPrefixLength: integer(32, 0),
  deletedFileRetentionDuration: duration(7 * DAY_MS),
  'dropFeatureTruncateHistory.retentionDuration': duration(24 * HOUR_MS),
  enableChangeDataFeed: flag(false),
  enableDeletionVectors: flag(false),
  enableExpiredLogCleanup: flag(true),
  enableFullRetentionRollback: flag(true),
  enableIcebergCompatV1: flag(false),
  enableIcebergCompatV2: flag(false),
  enableIcebergCompatV3: flag(false),
  enableInCommitTimestamps: flag(false),
  enableMaterializePartitionColumnsFeature: flag(false),
  enableRowTracking: flag(false),
  enableTypeWidening: flag(false),
  enableVariantShredding: flag(false),
  inCommitTimestampEnablementTimestamp: optionalInteger(0),
  inCommitTimestampEnablementVersion: optionalInteger(0),
  isolationLevel: oneOf('Serializable', ['Serializable', 'WriteSerializable', 'SnapshotIsolation']),
  logRetentionDuration: duration(30 * DAY_MS),
  'parquet.compression.codec': text,
  'parquet.format.version': text,
  randomizeFilePrefixes: flag(false),
  randomPrefixLength: integer(2, 1),
  requireCheckpointProtectionBeforeVersion: integer(0, 0),
  'rowTracking.materializedRowCommitVersionColumnName': text,
  'rowTracking.materializedRowIdColumnName': text,
  rowTrackingSuspended: flag(false),
  setTransactionRetentionDuration: duration(undefined),
  'universalFormat.enabledFormats': text,
  writePartitionColumnsToParquet: flag(false),
} as const

export type PropertyName = keyof typeof tableProperties
const PREFIX = 'delta.'
/** Other spellings of a property. */
const ALIASES: ReadonlyMap<string, PropertyName> = new Map([['enablechangedatacapture', 'enableChangeDataFeed']])
/** Families whose last part is the user's, and requests that are carried out and never stored. */
const OPEN_FAMILIES = /^(constraints|feature|checksum)\./
const REQUESTS: ReadonlySet<string> = new Set(['minreaderversion', 'minwriterversion'])

const names: ReadonlyMap<string, PropertyName> = new Map([
  ...(Object.keys(tableProperties) as PropertyName[]).map((name): [string, PropertyName] => [name.toLowerCase(), name]),
  ...ALIASES,
])

/**
 * The value of a property, or its default where the table does not set it.
 *
 * @throws DeltaError `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED` when the table holds a text that is no value of it
 */
export function property<N extends PropertyName>(
  configuration: ReadonlyMap<string, string>,
  name: N,
): (typeof tableProperties)[N] extends PropertySpec<infer T> ? T : never {
  const spec = tableProperties[name] as PropertySpec<unknown>
  const value = findProperty(configuration, name)
  return (value === undefined ? spec.default : parseProperty(name, value)) as never
}

/** The text of a property as the table has it, whatever the case of its key. */
export function findProperty(configuration: ReadonlyMap<string, string>, name: PropertyName): string | undefined {
  const exact = configuration.get(`${PREFIX}${name}`)
  if (exact !== undefined) return exact
  for (const [key, value] of configuration) if (canonicalKey(key) === `${PREFIX}${name}`) return value
  return undefined
}

function parseProperty(name: PropertyName, value: string): unknown {
  const spec = tableProperties[name] as PropertySpec<unknown>
  const parsed = spec.parse(value)
  if (parsed === undefined) {
    throw deltaError('DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED', {
      property: `${PREFIX}${name}`,
      value,
      allowed: spec.allowed,
    })
  }
  return parsed
}

/** The spelling in which a key is stored: that of the table above for known ones, as it is for all others. */
export function canonicalKey(key: string): string {
  if (key.slice(0, PREFIX.length).toLowerCase() !== PREFIX) return key
  const rest = key.slice(PREFIX.length)
  const known = names.get(rest.toLowerCase())
  return known === undefined ? key : `${PREFIX}${known}`
}

/**
 * Checks properties that somebody asks to set, and gives them in the spelling they are stored in.
 *
 * Requests (`delta.feature.…`, `delta.minReaderVersion`, `delta.minWriterVersion`) pass through; whoever plans the
 * protocol takes them out.
 *
 * @throws DeltaError `DELTA_UNKNOWN_CONFIGURATION`, `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED`
 */
export function validateProperties(wanted: ReadonlyMap<string, string>): Map<string, string> {
  const result = new Map<string, string>()
  for (const [key, value] of wanted) {
    const stored = canonicalKey(key)
    const lower = key.toLowerCase()
    if (lower.startsWith(PREFIX)) {
      const known = names.get(lower.slice(PREFIX.length))
      const rest = lower.slice(PREFIX.length)
      if (known !== undefined) parseProperty(known, value)
      else if (!OPEN_FAMILIES.test(rest) && !REQUESTS.has(rest)) {
        throw deltaError('DELTA_UNKNOWN_CONFIGURATION', { property: key })
      }
    }
    result.set(stored, value)
  }
  return result
}
