/** checkpointProtection: it has a way of its own, which ends with this. */
import { findProperty } from '../../../kernel/index.ts'
import { unsetStep } from '../property-steps.ts'
import type { FeatureRemoval } from '../removal.ts'

const NAME = 'checkpointProtection'
const PROPERTY = 'delta.requireCheckpointProtectionBeforeVersion'

export const checkpointProtectionRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: false,
  steps: [unsetStep(NAME, [PROPERTY])],
  isUnused: async ({ configuration }) =>
    findProperty(configuration, 'requireCheckpointProtectionBeforeVersion') === undefined,
}
