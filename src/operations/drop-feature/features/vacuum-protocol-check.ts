/** vacuumProtocolCheck: a promise of clients, of which nothing lies in the table. */
import type { FeatureRemoval } from '../removal.ts'

export const vacuumProtocolCheckRemoval: FeatureRemoval = {
  name: 'vacuumProtocolCheck',
  needsHistoryProtection: true,
  steps: [],
  isUnused: async () => true,
}
