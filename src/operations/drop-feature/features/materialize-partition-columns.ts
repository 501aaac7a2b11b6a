/** materializePartitionColumns: files may go on holding the columns, which readers take from the log all the same. */
import { withoutProperties } from '../metadata.ts'
import type { FeatureRemoval } from '../removal.ts'

export const materializePartitionColumnsRemoval: FeatureRemoval = {
  name: 'materializePartitionColumns',
  needsHistoryProtection: false,
  steps: [],
  isUnused: async () => true,
  strip: (metadata) => withoutProperties(metadata, ['delta.enableMaterializePartitionColumnsFeature']),
}
