/** Commits that carry their own time. Source: Delta protocol, "In-Commit Timestamps". */
import { propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

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
