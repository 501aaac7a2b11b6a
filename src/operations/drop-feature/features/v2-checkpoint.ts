/** v2Checkpoint: checkpoints are of one file again; the barriers behind it are the first of them. */
import { property } from '../../../kernel/index.ts'
import { setStep } from '../property-steps.ts'
import type { FeatureRemoval } from '../removal.ts'

const NAME = 'v2Checkpoint'

function isV2(configuration: ReadonlyMap<string, string>): boolean {
  return property(configuration, 'checkpointPolicy') === 'v2'
}

export const v2CheckpointRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: true,
  steps: [setStep(NAME, { 'delta.checkpointPolicy': 'classic' }, ({ configuration }) => isV2(configuration))],
  isUnused: async ({ configuration }) => !isV2(configuration),
  isTrace: (action) => 'metaData' in action && isV2(action.metaData.configuration),
  tracesInCheckpoints: true,
}
