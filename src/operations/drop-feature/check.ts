/** Whether a feature can be dropped from a table: the refusals, in their order, before anything is written. */
import { deltaError } from '../../errors/index.ts'
import {
  canonicalKey,
  featuresOf,
  findFeature,
  type Protocol,
  tableFeatures,
  tableProperties,
} from '../../kernel/index.ts'
import { unsupported } from './refusals.ts'
import type { Drop, FeatureRemoval } from './removal.ts'
import { removals } from './removals.ts'

export interface DropWish {
  readonly feature: string
  readonly truncateHistory: boolean
}

export interface CheckedTable {
  readonly path: string
  readonly protocol: Protocol
}

const PROTECTION = 'checkpointProtection'

/**
 * The drop of a feature that the table has and that can be dropped.
 *
 * Names of features are known in any case, and are the table's only as it spells them.
 *
 * @throws DeltaError `DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY`, `DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT`,
 * `DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE`, `DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE`,
 * `DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED`,
 * `DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION`, `DELTA_FEATURE_DROP_DEPENDENT_FEATURE`
 */
export function checkDrop({ feature, truncateHistory }: DropWish, table: CheckedTable): Drop {
  if (!isPresent(feature, table.protocol)) throw absent(feature, table)
  const removal = removalOf(feature)
  if (removal.name === PROTECTION && !truncateHistory) {
    throw deltaError('DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION')
  }
  if (truncateHistory && !removal.needsHistoryProtection && removal.name !== PROTECTION) {
    throw deltaError('DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED', { feature })
  }
  const dependents = dependentsOf(removal.name, table.protocol)
  if (dependents.length > 0) throw deltaError('DELTA_FEATURE_DROP_DEPENDENT_FEATURE', { feature, features: dependents })
  return { feature, removal, truncateHistory }
}

/** Whether a protocol lists a feature under this very name, or implies it by its versions. */
export function isPresent(feature: string, protocol: Protocol): boolean {
  return presentNames(protocol).includes(feature)
}

function presentNames(protocol: Protocol): readonly string[] {
  const { readerFeatures = [], writerFeatures } = protocol
  return writerFeatures === undefined ? [...featuresOf(protocol)] : [...new Set([...readerFeatures, ...writerFeatures])]
}

function absent(feature: string, { path, protocol }: CheckedTable) {
  if (isProperty(feature)) return deltaError('DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY', { feature })
  if (!isKnown(feature))
    return unsupported(feature, 'it does not know such a feature, and the table has none of the name')
  const features = [...presentNames(protocol)].sort().join(', ') || 'none'
  return deltaError('DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', { path, feature, features })
}

function isProperty(name: string): boolean {
  const key = canonicalKey(name)
  return key.startsWith('delta.') && Object.hasOwn(tableProperties, key.slice('delta.'.length))
}

/** Features that only tables of other writers have; where a table lacks them their names say nothing, as in the reference. */
const FOREIGN: ReadonlySet<string> = new Set(['collations'])

function isKnown(feature: string): boolean {
  const lower = feature.toLowerCase()
  return tableFeatures.some(
    ({ name, aliases = [] }) => !FOREIGN.has(name) && [name, ...aliases].some((known) => known.toLowerCase() === lower),
  )
}

function removalOf(feature: string): FeatureRemoval {
  const known = findFeature(feature)
  if (known === undefined) throw unsupported(feature, 'it does not know the feature')
  const removal = removals.get(known.name)
  if (removal === undefined) throw deltaError('DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE', { feature })
  return removal
}

/** Features of the table that need one. */
function dependentsOf(name: string, protocol: Protocol): string[] {
  return [...featuresOf(protocol)].filter((other) => findFeature(other)?.needs.includes(name))
}
