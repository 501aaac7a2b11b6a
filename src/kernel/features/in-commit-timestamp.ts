import { propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

/** Source: Delta protocol, "In-Commit Timestamps". */
export const inCommitTimestamp: TableFeature = {
  name: 'inCommitTimestamp',
  aliases: ['inCommitTimestamp-preview'],
  kind: 'writer',
  needs: [],
  isActive: propertyIs('enableInCommitTimestamps', true),
  readable: true,
  writable: 'yes',
  addedByProperty: true,
}
