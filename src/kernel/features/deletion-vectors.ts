/** Files whose deleted rows are listed beside them. Source: Delta protocol, "Deletion Vectors". */
import { propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

/** Active means that new vectors may be written; those there are read at all times. */
export const deletionVectors: TableFeature = {
  name: 'deletionVectors',
  kind: 'reader-writer',
  needs: [],
  isActive: propertyIs('enableDeletionVectors', true),
  readable: true,
  writable: 'yes',
  addedByProperty: true,
}
