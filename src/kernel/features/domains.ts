/** Features whose state lies in domain metadata. Source: Delta protocol, "Domain Metadata", "Row Tracking". */
import { hasDomain, propertyIs } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

export const domainMetadata: TableFeature = {
  name: 'domainMetadata',
  kind: 'writer',
  needs: [],
  isActive: ({ domains }) => domains.size > 0,
  readable: true,
  writable: 'yes',
  addedByProperty: false,
}

export const rowTracking: TableFeature = {
  name: 'rowTracking',
  kind: 'writer',
  needs: ['domainMetadata'],
  isActive: propertyIs('enableRowTracking', true),
  readable: true,
  writable: 'yes',
  addedByProperty: true,
}

export const clustering: TableFeature = {
  name: 'clustering',
  kind: 'writer',
  needs: ['domainMetadata'],
  abortsConcurrent: true,
  isActive: hasDomain('delta.clustering'),
  readable: true,
  writable: 'yes',
  addedByProperty: false,
}
