/** The features that can be dropped, by their own names. */
import { catalogManagedRemoval } from './features/catalog-managed.ts'
import { checkConstraintsRemoval } from './features/check-constraints.ts'
import { checkpointProtectionRemoval } from './features/checkpoint-protection.ts'
import { collationsRemoval } from './features/collations.ts'
import { columnMappingRemoval } from './features/column-mapping.ts'
import { deletionVectorsRemoval } from './features/deletion-vectors.ts'
import { domainMetadataRemoval } from './features/domain-metadata.ts'
import { inCommitTimestampRemoval } from './features/in-commit-timestamp.ts'
import { materializePartitionColumnsRemoval } from './features/materialize-partition-columns.ts'
import { rowTrackingRemoval } from './features/row-tracking.ts'
import { typeWideningRemoval } from './features/type-widening.ts'
import { v2CheckpointRemoval } from './features/v2-checkpoint.ts'
import { vacuumProtocolCheckRemoval } from './features/vacuum-protocol-check.ts'
import type { FeatureRemoval } from './removal.ts'

const all: readonly FeatureRemoval[] = [
  catalogManagedRemoval,
  checkConstraintsRemoval,
  checkpointProtectionRemoval,
  collationsRemoval,
  columnMappingRemoval,
  deletionVectorsRemoval,
  domainMetadataRemoval,
  inCommitTimestampRemoval,
  materializePartitionColumnsRemoval,
  rowTrackingRemoval,
  typeWideningRemoval,
  v2CheckpointRemoval,
  vacuumProtocolCheckRemoval,
]

export const removals: ReadonlyMap<string, FeatureRemoval> = new Map(all.map((removal) => [removal.name, removal]))
