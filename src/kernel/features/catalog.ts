/** Features by which a catalog owns the table, and those that are only proposed. */
import { whenListed } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

const base = { needs: [], isActive: whenListed, writable: 'no', addedByProperty: false } as const

/** Reading a managed table needs the catalog's commits; by path alone a snapshot of it is refused. */
export const catalogFeatures: readonly TableFeature[] = [
  {
    ...base,
    name: 'catalogManaged',
    aliases: ['catalogOwned-preview'],
    kind: 'reader-writer',
    needs: ['inCommitTimestamp'],
    readable: true,
  },
  { ...base, name: 'adaptiveMetadata-preview', kind: 'reader-writer', abortsConcurrent: true, readable: false },
  { ...base, name: 'redirectReaderWriter-preview', kind: 'reader-writer', readable: false },
  { ...base, name: 'redirectWriterOnly-preview', kind: 'writer', readable: true },
  { ...base, name: 'coordinatedCommits-preview', kind: 'writer', readable: true },
  {
    ...base,
    name: 'columnMappingUsageTracking',
    kind: 'writer',
    needs: ['columnMapping'],
    readable: true,
  },
]
