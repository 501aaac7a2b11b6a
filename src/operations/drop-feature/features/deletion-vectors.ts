/**
 * deletionVectors: no new ones, files of which rows are marked written anew, and the vectors that older versions need
 * listed as removed objects, so that a cleanup that knows nothing of vectors keeps them as long as it keeps other files.
 */
import {
  type Action,
  type AddFile,
  deletionVectorPath,
  encodePath,
  locateDataFile,
  property,
  type Snapshot,
} from '../../../kernel/index.ts'
import { beginChange, commitChange } from '../../commit.ts'
import type { OperationContext } from '../../context.ts'
import { unsetStep } from '../property-steps.ts'
import { purgeStep } from '../purge-step.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'deletionVectors'
const TOMBSTONES = 'Deletion Vector Tombstones'

function isEnabled(configuration: ReadonlyMap<string, string>): boolean {
  return property(configuration, 'enableDeletionVectors')
}

const hasVector = ({ deletionVector }: AddFile): boolean => deletionVector !== undefined

async function isUnused({ configuration, files }: Snapshot): Promise<boolean> {
  if (isEnabled(configuration)) return false
  for await (const page of files.select()) if (page.some(hasVector)) return false
  return true
}

const purge = purgeStep(NAME, async (files) => files.filter(hasVector))

/** Made whether or not there is a vector to keep, as the reference does. */
const tombstones: CleanupStep = {
  async plan(snapshot, context) {
    return {
      operation: TOMBSTONES,
      files: [],
      isChange: false,
      commit: async () => {
        const change = beginChange(snapshot, context, { operation: TOMBSTONES, drops: NAME })
        return await commitChange(change.buryObjects(await unburied(snapshot, context)), context)
      },
    }
  },
}

/** Files of vectors that tombstones name which still count, and that no tombstone of their own names. */
async function unburied({ files, configuration, store }: Snapshot, { clock }: OperationContext): Promise<string[]> {
  const named = new Set<string>()
  const buried = new Set<string>()
  const expiredBeforeMs = clock.now() - property(configuration, 'deletedFileRetentionDuration')
  for await (const page of files.tombstones(expiredBeforeMs)) {
    for (const { path, deletionVector } of page) {
      buried.add(path)
      const vector = deletionVector && deletionVectorPath(deletionVector)
      if (vector !== undefined) named.add(belowRoot(vector, store.location))
    }
  }
  return [...named].filter((path) => !buried.has(path)).sort()
}

/** A file below the table's root is named from there, as cleanups look for it. */
function belowRoot(path: string, location: string): string {
  const place = locateDataFile(location, path)
  return place.kind === 'key' ? encodePath(place.key) : path
}

export const deletionVectorsRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: true,
  steps: [
    unsetStep(NAME, ['delta.enableDeletionVectors'], async (snapshot) => !(await isUnused(snapshot))),
    purge,
    // a writer may have marked rows while files were written anew
    { ...purge, looksAgain: true },
    tombstones,
  ],
  isUnused,
  isTrace(action: Action) {
    if ('metaData' in action) return isEnabled(action.metaData.configuration)
    if ('add' in action) return action.add.deletionVector !== undefined
    return 'remove' in action && action.remove.deletionVector !== undefined
  },
}
