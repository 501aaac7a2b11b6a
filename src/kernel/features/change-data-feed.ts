import { propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

/** Source: Delta protocol, "Add CDC File". */
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
