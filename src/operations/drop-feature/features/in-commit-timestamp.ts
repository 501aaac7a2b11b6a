/** inCommitTimestamp: commits take their time from their files again. */
import { property } from '../../../kernel/index.ts'
import { printJson } from '../../../support/index.ts'
import { setKeys, withoutProperties, withProperty } from '../metadata.ts'
import { metadataStep } from '../property-steps.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'inCommitTimestamp'
const ENABLED = 'delta.enableInCommitTimestamps'
const SINCE = ['delta.inCommitTimestampEnablementTimestamp', 'delta.inCommitTimestampEnablementVersion']

function isInUse(configuration: ReadonlyMap<string, string>): boolean {
  return property(configuration, 'enableInCommitTimestamps')
}

/** The switch stays in the table, turned off, as the reference leaves it. */
const turnOff: CleanupStep = {
  async plan(snapshot, context) {
    const { metadata } = snapshot
    if (!isInUse(metadata.configuration) && setKeys(metadata, SINCE).length === 0) return undefined
    const told = [...SINCE, ENABLED].flatMap((key) => setKeys(metadata, [key]))
    const step = {
      operation: 'UNSET TBLPROPERTIES',
      operationParameters: { properties: printJson(told), ifExists: true },
      metadata: withProperty(withoutProperties(metadata, SINCE), ENABLED, 'false'),
      drops: NAME,
    }
    return metadataStep(step, snapshot, context)
  },
}

export const inCommitTimestampRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: false,
  steps: [turnOff],
  isUnused: async ({ configuration }) => !isInUse(configuration),
}
