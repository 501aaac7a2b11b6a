/** Commits that say which rows changed. Source: Delta protocol, "Add CDC File". */
import { propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

export const changeDataFeed: TableFeature = {
  name: 'changeDataFeed',
  kind: 'writer',
  legacy: { writer: 4 },
  needs: [],
  isActive: propertyIs('enableChangeDataFeed', true),
  readable: true,
  writable: 'yes',
  addedByProperty: true,
}
