/** All features this package knows, by name. */
import type { Protocol } from '../actions/actions.ts'
import { catalogFeatures } from './catalog.ts'
import { changeDataFeed } from './change-data-feed.ts'
import { checkpointFeatures } from './checkpoint.ts'
import { columnMapping } from './column-mapping.ts'
import { constraintFeatures } from './constraints.ts'
import { deletionVectors } from './deletion-vectors.ts'
import { clustering, domainMetadata, rowTracking } from './domains.ts'
import { icebergFeatures } from './iceberg.ts'
import { inCommitTimestamp } from './in-commit-timestamp.ts'
import type { TableFeature } from './table-feature.ts'
import { typeWidening } from './type-widening.ts'
import { typeFeatures } from './types.ts'

/** In the order of the protocol's table. */
export const tableFeatures: readonly TableFeature[] = [
  ...constraintFeatures,
  changeDataFeed,
  columnMapping,
  deletionVectors,
  rowTracking,
  domainMetadata,
  clustering,
  inCommitTimestamp,
  ...checkpointFeatures,
  ...typeFeatures,
  typeWidening,
  ...catalogFeatures,
  ...icebergFeatures,
]

const byName: ReadonlyMap<string, TableFeature> = new Map(
  tableFeatures.flatMap((feature) => [feature.name, ...(feature.aliases ?? [])].map((name) => [name, feature])),
)

/** The feature a name in a protocol means; exact spelling, previews and old names included. */
export function findFeature(name: string): TableFeature | undefined {
  return byName.get(name)
}

/** The feature that the key of a property means: its spelling regardless of case. */
export function findFeatureByKey(
  key: string,
): { readonly feature: TableFeature; readonly spelling: string } | undefined {
  const lower = key.toLowerCase()
  for (const [spelling, feature] of byName) if (spelling.toLowerCase() === lower) return { feature, spelling }
  return undefined
}

/** Whether a protocol lists a feature or implies it by its versions. */
export function supportsFeature(protocol: Protocol, name: string): boolean {
  const feature = byName.get(name)
  if (feature === undefined) return false
  const listed = [...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])]
  if (listed.some((spelling) => byName.get(spelling) === feature)) return true
  const { legacy } = feature
  if (legacy === undefined) return false
  if (legacy.reader !== undefined) return protocol.minReaderVersion === legacy.reader
  return protocol.minWriterVersion < 7 && protocol.minWriterVersion >= legacy.writer
}
