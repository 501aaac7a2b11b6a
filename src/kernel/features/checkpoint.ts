/** Features of checkpoints and cleanup. Source: Delta protocol, "V2 Checkpoint Table Feature", "VACUUM Protocol Check". */
import { propertyIs, whenListed } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

export const checkpointFeatures: readonly TableFeature[] = [
  {
    name: 'v2Checkpoint',
    kind: 'reader-writer',
    needs: [],
    isActive: propertyIs('checkpointPolicy', 'v2'),
    readable: true,
    writable: 'yes',
    addedByProperty: true,
  },
  {
    name: 'vacuumProtocolCheck',
    kind: 'reader-writer',
    needs: [],
    isActive: whenListed,
    readable: true,
    writable: 'yes',
    addedByProperty: false,
  },
  {
    name: 'checkpointProtection',
    kind: 'writer',
    needs: [],
    abortsConcurrent: true,
    isActive: ({ metadata }) => metadata.configuration.has('delta.requireCheckpointProtectionBeforeVersion'),
    readable: true,
    writable: 'yes',
    addedByProperty: false,
  },
]
