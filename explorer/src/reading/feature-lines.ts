/** The features of a table, and who can read and write a table that has them. */
import { featuresOf, findFeature, type Snapshot } from '../library.ts'
import type { FeatureLine } from '../messages.ts'

export function deltaFeatureLines({ protocol, metadata, schema, domains }: Snapshot): FeatureLine[] {
  return [...featuresOf(protocol)].map((name): FeatureLine => {
    const feature = findFeature(name)
    const kind = feature?.kind ?? (protocol.readerFeatures?.includes(name) ? 'reader-writer' : 'writer')
    const active = feature?.isActive({ metadata, schema, domains }) ?? null
    const writable = feature?.writable ?? 'no'
    return {
      name,
      kind: kind === 'writer' ? 'writer' : 'reader and writer',
      active,
      readHere: kind === 'writer' || feature?.readable === true,
      writeHere: writable === 'yes' || (writable === 'unless-active' && active === false),
    }
  })
}
