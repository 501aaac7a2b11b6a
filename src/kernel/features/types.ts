/** Types that need a feature, and features about how columns are stored. */
import { propertyIs, someFieldHas, someTypeIs, whenListed } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

const readerWriter = { kind: 'reader-writer', needs: [], writable: 'no', addedByProperty: false } as const

export const typeFeatures: readonly TableFeature[] = [
  {
    ...readerWriter,
    name: 'timestampNtz',
    aliases: ['timestampWithoutTimezone'],
    writable: 'yes',
    isActive: someTypeIs('timestamp_ntz'),
    readable: true,
  },
  {
    ...readerWriter,
    name: 'variantType',
    aliases: ['variantType-preview'],
    abortsConcurrent: true,
    writable: 'yes',
    isActive: someTypeIs('variant'),
    readable: true,
    addedByProperty: true,
  },
  {
    ...readerWriter,
    name: 'variantShredding',
    aliases: ['variantShredding-preview'],
    // the name under which the reference knows it
    writtenAs: 'variantShredding-preview',
    needs: ['variantType'],
    abortsConcurrent: true,
    // writers may shred, and need not
    writable: 'yes',
    isActive: propertyIs('enableVariantShredding', true),
    readable: true,
    addedByProperty: true,
  },
  {
    ...readerWriter,
    name: 'materializePartitionColumns',
    kind: 'writer',
    abortsConcurrent: true,
    writable: 'yes',
    isActive: propertyIs('enableMaterializePartitionColumnsFeature', true),
    readable: true,
    addedByProperty: true,
  },
  {
    ...readerWriter,
    name: 'collations',
    aliases: ['collations-preview'],
    kind: 'writer',
    needs: ['domainMetadata'],
    writable: 'unless-active',
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
