/** Tables that Iceberg readers can follow too. Source: Delta protocol, "Iceberg Compatibility". */
import type { PropertyName } from '../properties/index.ts'
import { propertyIs, whenListed } from './conditions.ts'
import type { TableFeature } from './table-feature.ts'

function compat(name: string, needs: readonly string[], enabledBy: PropertyName | undefined): TableFeature {
  return {
    name,
    kind: 'writer',
    needs,
    isActive: enabledBy === undefined ? whenListed : propertyIs(enabledBy, true),
    readable: true,
    writable: 'unless-active',
    addedByProperty: enabledBy !== undefined,
  }
}

export const icebergFeatures: readonly TableFeature[] = [
  compat('icebergCompatV1', ['columnMapping'], 'enableIcebergCompatV1'),
  compat('icebergCompatV2', ['columnMapping'], 'enableIcebergCompatV2'),
  compat('icebergCompatV3', ['columnMapping', 'rowTracking'], 'enableIcebergCompatV3'),
  compat('icebergWriterCompatV1', ['icebergCompatV2'], undefined),
  compat('icebergWriterCompatV3', ['icebergCompatV3'], undefined),
]
