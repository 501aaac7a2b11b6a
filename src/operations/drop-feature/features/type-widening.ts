/**
 * typeWidening: files of narrower types are written anew by the types of the table, which then forgets what those were.
 */
import { type Action, type AddFile, type Metadata, property, type Snapshot } from '../../../kernel/index.ts'
import type { OperationContext } from '../../context.ts'
import { type StaleReason, staleFiles } from '../../optimize/stale-files.ts'
import { columnsParameter, someFieldHas, withoutFieldKeys } from '../metadata.ts'
import { metadataStep, unsetStep } from '../property-steps.ts'
import { purgeStep } from '../purge-step.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'typeWidening'
const CHANGES = 'delta.typeChanges'
const NARROWER: ReadonlySet<StaleReason> = new Set(['narrower types'])

function isInUse(metadata: Metadata): boolean {
  return property(metadata.configuration, 'enableTypeWidening') || hasChanges(metadata)
}

function hasChanges(metadata: Metadata): boolean {
  return someFieldHas(metadata, [CHANGES])
}

/** Files that hold a column by a narrower type than the table's, found by their footers. */
async function narrowFiles(
  files: readonly AddFile[],
  { metadata, layout }: Snapshot,
  context: OperationContext,
): Promise<readonly AddFile[]> {
  return hasChanges(metadata) ? await staleFiles(files, NARROWER, { layout, context }) : []
}

const forgetChanges: CleanupStep = {
  async plan(snapshot, context) {
    const { metadata } = snapshot
    if (!hasChanges(metadata)) return undefined
    const step = {
      operation: 'DROP FEATURE',
      operationParameters: columnsParameter(metadata, CHANGES),
      metadata: withoutFieldKeys(metadata, [CHANGES]),
      drops: NAME,
    }
    return metadataStep(step, snapshot, context)
  },
}

export const typeWideningRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: true,
  steps: [
    unsetStep(NAME, ['delta.enableTypeWidening'], ({ metadata }) => isInUse(metadata)),
    purgeStep(NAME, narrowFiles),
    forgetChanges,
  ],
  isUnused: async ({ metadata }) => !isInUse(metadata),
  isTrace: (action: Action) => 'metaData' in action && isInUse(action.metaData),
}
