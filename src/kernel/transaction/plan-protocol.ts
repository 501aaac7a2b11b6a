/** The protocol a table needs for what it uses. */
import { deltaError } from '../../errors/index.ts'
import type { Protocol } from '../actions/actions.ts'
import {
  BASE_FEATURES,
  type FeatureTable,
  featuresOf,
  lowestProtocol,
  spellingsOf,
  supportsFeature,
  type TableFeature,
  tableFeatures,
  whenListed,
  withNeeds,
} from '../features/index.ts'
import type { ProtocolRequests } from './plan-properties.ts'
import { validateWritable } from './write-gate.ts'

export interface ProtocolContext {
  readonly requests: ProtocolRequests
  readonly path: string
  /** whether the table is replaced: it gets the features of what it becomes, as a new one does */
  readonly replaces?: boolean
}

/**
 * The protocol of a table as it will be: never lower than the one before, and that one itself when nothing is added.
 *
 * @param before undefined for a table that is being created
 * @throws DeltaError `DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT`, `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export function planProtocol(
  before: Protocol | undefined,
  table: FeatureTable,
  { requests, path, replaces }: ProtocolContext,
): Protocol {
  const old = before === undefined ? new Set(BASE_FEATURES) : featuresOf(before)
  const used = tableFeatures.filter((feature) => isUsed(feature, table))
  const asked = new Set([...requests.features, ...impliedFeatures(requests)])
  const manual =
    before === undefined || replaces
      ? []
      : used.filter((f) => !f.addedByProperty && !old.has(f.name) && !asked.has(f.name))
  if (manual.length > 0) {
    throw deltaError('DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT', { path, features: manual.map(({ name }) => name) })
  }
  const wanted = withNeeds([...old, ...asked, ...used.map(({ name }) => name)])
  const isSame = before !== undefined && wanted.size === old.size
  const spellings = new Map([
    ...WRITTEN_AS,
    ...requests.spellings,
    ...(before === undefined ? [] : spellingsOf(before)),
  ])
  const protocol = isSame ? before : lowestProtocol(wanted, spellings)
  const isManaged = before !== undefined && supportsFeature(before, 'catalogManaged')
  validateWritable(protocol, table, { path, isManaged })
  return protocol
}

const WRITTEN_AS = tableFeatures.flatMap(({ name, writtenAs }): [string, string][] =>
  writtenAs ? [[name, writtenAs]] : [],
)

/** A feature that acts as soon as it is listed is never used by a table that does not list it. */
function isUsed(feature: TableFeature, table: FeatureTable): boolean {
  return feature.isActive !== whenListed && feature.isActive(table)
}

/** The features that protocol versions stand for; version 7 names none by itself. */
export function impliedFeatures({
  minReaderVersion,
  minWriterVersion,
}: Pick<Protocol, 'minReaderVersion' | 'minWriterVersion'>): ReadonlySet<string> {
  return minWriterVersion < 7 ? featuresOf({ minReaderVersion, minWriterVersion }) : new Set()
}

/**
 * The lowest protocol that holds the features of two: the first one itself where the second adds none.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export function mergeProtocols(
  first: Protocol,
  second: Protocol,
  { table, path }: { readonly table: FeatureTable; readonly path: string },
): Protocol {
  const known = featuresOf(first)
  const all = withNeeds([...known, ...featuresOf(second)])
  const protocol =
    all.size === known.size
      ? first
      : lowestProtocol(all, new Map([...WRITTEN_AS, ...spellingsOf(second), ...spellingsOf(first)]))
  validateWritable(protocol, table, { path, isManaged: supportsFeature(first, 'catalogManaged') })
  return protocol
}
