/**
 * Protocols as sets of features, and the lowest protocol that holds a set.
 *
 * A set that equals what a legacy version implies is written as that version; any other is listed by name under writer
 * version 7. Source: Delta protocol, "Table Features"; the forms are those the reference writes.
 */
import type { Protocol } from '../actions/actions.ts'
import { findFeature, supportsFeature, tableFeatures } from './registry.ts'

/** What a new table has when nothing is asked for: writer version 2. */
export const BASE_FEATURES: readonly string[] = ['appendOnly', 'invariants']

/** The features a protocol lists or implies, by their own names; names not known here as they stand. */
export function featuresOf(protocol: Protocol): Set<string> {
  const listed = [...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])]
  const unknown = listed.filter((name) => findFeature(name) === undefined)
  const known = tableFeatures.filter(({ name }) => supportsFeature(protocol, name)).map(({ name }) => name)
  return new Set([...known, ...unknown])
}

/** The features with all that they need. */
export function withNeeds(features: Iterable<string>): Set<string> {
  const result = new Set<string>()
  const visit = (name: string) => {
    if (result.has(name)) return
    result.add(name)
    for (const needed of findFeature(name)?.needs ?? []) visit(needed)
  }
  for (const name of features) visit(name)
  return result
}

/**
 * The lowest protocol that holds exactly a set of features.
 *
 * @param spellings names to write where a table lists a feature under another one (`…-preview`)
 */
export function lowestProtocol(
  features: ReadonlySet<string>,
  spellings: ReadonlyMap<string, string> = new Map(),
): Protocol {
  const legacy = legacyProtocol(features)
  if (legacy !== undefined) return legacy
  const names = [...features].sort()
  const readers = names.filter((name) => findFeature(name)?.kind === 'reader-writer')
  const spelled = (list: readonly string[]) => list.map((name) => spellings.get(name) ?? name)
  const minReaderVersion = readers.some((name) => findFeature(name)?.legacy === undefined)
    ? 3
    : readers.length > 0
      ? 2
      : 1
  return {
    minReaderVersion,
    minWriterVersion: 7,
    ...(minReaderVersion === 3 ? { readerFeatures: spelled(readers) } : {}),
    writerFeatures: spelled(names),
  }
}

function legacyProtocol(features: ReadonlySet<string>): Protocol | undefined {
  for (const minWriterVersion of [1, 2, 3, 4, 5, 6]) {
    const protocol = { minReaderVersion: minWriterVersion >= 5 ? 2 : 1, minWriterVersion }
    const implied = featuresOf(protocol)
    if (implied.size === features.size && [...implied].every((name) => features.has(name))) return protocol
  }
  return undefined
}

/** The spellings under which a protocol lists its features, where they are not the features' own names. */
export function spellingsOf(protocol: Protocol): Map<string, string> {
  const listed = [...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])]
  const result = new Map<string, string>()
  for (const name of listed) {
    const feature = findFeature(name)
    if (feature !== undefined && feature.name !== name) result.set(feature.name, name)
  }
  return result
}
