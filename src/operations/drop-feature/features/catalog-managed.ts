/**
 * catalogManaged: the catalog ratifies the last commit and lets go of the table, which is then committed to by its path.
 *
 * Source: Delta protocol, "Catalog-managed tables".
 */
import { mayRelease } from '../../../kernel/index.ts'
import { unsupported } from '../refusals.ts'
import type { FeatureRemoval } from '../removal.ts'

export const catalogManagedRemoval: FeatureRemoval = {
  name: 'catalogManaged',
  needsHistoryProtection: true,
  /** @throws DeltaError `DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE` where no catalog is there, or it keeps its tables */
  validate({ store }) {
    if (mayRelease(store)) return
    throw unsupported('catalogManaged', 'the table is not opened through a catalog that lets go of tables')
  },
  steps: [],
  isUnused: async () => true,
}
