/** Types that need a feature, and features about how columns are stored. */
import { propertyIs, someFieldHas, someTypeIs, whenListed } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

const readerWriter = { kind: 'reader-writer', needs: [], writable: false, addedByProperty: false } as const

export const typeFeatures: readonly TableFeature[] = [
  {
    ...readerWriter,
    name: 'timestampNtz',
    aliases: ['timestampWithoutTimezone'],
    isActive: someTypeIs('timestamp_ntz'),
    readable: true,
  },
  {
    ...readerWriter,
    name: 'variantType',
    aliases: ['variantType-preview'],
    isActive: someTypeIs('variant'),
    readable: true,
    addedByProperty: true,
  },
  {
    ...readerWriter,
    name: 'variantShredding',
    aliases: ['variantShredding-preview'],
    needs: ['variantType'],
    isActive: propertyIs('enableVariantShredding', true),
    readable: true,
    addedByProperty: true,
  },
  {
    ...readerWriter,
    name: 'materializePartitionColumns',
    kind: 'writer',
    isActive: whenListed,
    readable: true,
    addedByProperty: true,
  },
  {
    ...readerWriter,
    name: 'collations',
    aliases: ['collations-preview'],
    kind: 'writer',
    needs: ['domainMetadata'],
    isActive: someFieldHas('__COLLATIONS'),
    readable: true,
  },
  {
    ...readerWriter,
    name: 'geospatial',
    aliases: ['geospatial-dev'],
    isActive: whenListed,
    readable: false,
  },
  {
    ...readerWriter,
    name: 'timestampNanos',
    needs: ['timestampNtz'],
    isActive: whenListed,
    readable: false,
  },
]
