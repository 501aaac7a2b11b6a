/** checkConstraints: the constraints are the user's, and are dropped by their names first. */
import { deltaError } from '../../../errors/index.ts'
import { checkConstraints } from '../../rules/index.ts'
import type { FeatureRemoval } from '../removal.ts'

export const checkConstraintsRemoval: FeatureRemoval = {
  name: 'checkConstraints',
  needsHistoryProtection: false,
  /** @throws DeltaError `DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE` naming those that are left */
  validate({ configuration, store }) {
    const constraints = checkConstraints(configuration).map(({ name }) => name)
    if (constraints.length === 0) return
    throw deltaError('DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE', { path: store.location, constraints })
  },
  steps: [],
  isUnused: async ({ configuration }) => checkConstraints(configuration).length === 0,
}
