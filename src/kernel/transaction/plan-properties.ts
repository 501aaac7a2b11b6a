/** Properties somebody asks for: requests taken out, values checked against each other. */
import { deltaError } from '../../errors/index.ts'
import { findFeatureByKey } from '../features/index.ts'
import { property, validateProperties } from '../properties/index.ts'

const FEATURE_PREFIX = 'delta.feature.'

/** What was asked of the protocol by properties that are never stored. */
export interface ProtocolRequests {
  /** features by their own names */
  readonly features: readonly string[]
  /** those asked for under another of their names, by their own → as asked */
  readonly spellings: ReadonlyMap<string, string>
  readonly minReaderVersion: number
  readonly minWriterVersion: number
}

export const noRequests: ProtocolRequests = {
  features: [],
  spellings: new Map(),
  minReaderVersion: 1,
  minWriterVersion: 1,
}

/**
 * Parts properties that are stored from requests to the protocol.
 *
 * @throws DeltaError `DELTA_UNKNOWN_CONFIGURATION`, `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED`,
 * `DELTA_UNSUPPORTED_FEATURES_IN_CONFIG`, `DELTA_UNSUPPORTED_FEATURE_STATUS`
 */
export function takeRequests(wanted: ReadonlyMap<string, string>): {
  properties: Map<string, string>
  requests: ProtocolRequests
} {
  const properties = new Map<string, string>()
  const features: string[] = []
  const spellings = new Map<string, string>()
  const versions = { minReaderVersion: 1, minWriterVersion: 1 }
  for (const [key, value] of validateProperties(wanted)) {
    const lower = key.toLowerCase()
    if (lower.startsWith(FEATURE_PREFIX)) {
      const { name, spelling } = requestedFeature(key.slice(FEATURE_PREFIX.length), value)
      features.push(name)
      if (spelling !== name) spellings.set(name, spelling)
    } else if (lower === 'delta.minreaderversion') versions.minReaderVersion = requestedVersion(key, value, 3)
    else if (lower === 'delta.minwriterversion') versions.minWriterVersion = requestedVersion(key, value, 7)
    else properties.set(key, value)
  }
  return { properties, requests: { features, spellings, ...versions } }
}

function requestedFeature(key: string, value: string): { name: string; spelling: string } {
  const found = findFeatureByKey(key)
  if (found === undefined) throw deltaError('DELTA_UNSUPPORTED_FEATURES_IN_CONFIG', { feature: key })
  if (!/^(supported|enabled)$/i.test(value))
    throw deltaError('DELTA_UNSUPPORTED_FEATURE_STATUS', { feature: found.spelling, value })
  return { name: found.feature.name, spelling: found.spelling }
}

function requestedVersion(key: string, value: string, highest: number): number {
  const version = /^\d$/.test(value) ? Number(value) : 0
  if (version >= 1 && version <= highest) return version
  const details = { property: key, value, allowed: `1 to ${highest}` }
  throw deltaError('DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED', details)
}

/**
 * Checks properties against each other.
 *
 * @param asked those set now; all of them when absent
 * @throws DeltaError `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED`,
 * `DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION`
 */
export function checkProperties(
  configuration: ReadonlyMap<string, string>,
  asked: ReadonlyMap<string, string> = configuration,
): void {
  if (asked.has('delta.isolationLevel') && property(asked, 'isolationLevel') !== 'Serializable') {
    refuse(asked, 'delta.isolationLevel', 'Serializable alone')
  }
  if (asked.has('delta.columnMapping.maxColumnId')) {
    refuse(asked, 'delta.columnMapping.maxColumnId', 'what the table gives it: it is not for users to set')
  }
  if (property(configuration, 'enableRowTracking') && property(configuration, 'rowTrackingSuspended')) {
    throw deltaError('DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION', {})
  }
  const log = property(configuration, 'logRetentionDuration')
  const files = property(configuration, 'deletedFileRetentionDuration')
  const touched = asked.has('delta.logRetentionDuration') || asked.has('delta.deletedFileRetentionDuration')
  if (touched && log < files) {
    refuse(configuration, 'delta.logRetentionDuration', 'no less than delta.deletedFileRetentionDuration')
  }
}

function refuse(configuration: ReadonlyMap<string, string>, key: string, allowed: string): never {
  const details = { property: key, value: configuration.get(key) ?? 'its default', allowed }
  throw deltaError('DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED', details)
}
