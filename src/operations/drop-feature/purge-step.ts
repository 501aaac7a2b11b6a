/** A step that writes some files anew, as REORG does. */
import type { AddFile, Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { type LayoutTask, layOut, planLayout } from '../optimize/lay-out.ts'
import { sizesOf } from '../optimize/sizes.ts'
import { purging } from '../optimize/strategy.ts'
import type { CleanupStep } from './removal.ts'

const OPERATION = 'REORG'

/** @param choose of the live files those that are written anew; where there are none nothing is done */
export function purgeStep(
  drops: string,
  choose: (files: readonly AddFile[], snapshot: Snapshot, context: OperationContext) => Promise<readonly AddFile[]>,
): CleanupStep {
  return {
    async plan(snapshot, context) {
      const sizes = sizesOf({}, snapshot.configuration)
      const task: LayoutTask = {
        snapshot,
        condition: undefined,
        strategy: purging((files) => choose(files, snapshot, context), sizes),
        sizes,
        commit: { operation: OPERATION, operationParameters: { predicate: '[]', applyPurge: true }, drops },
        context,
      }
      const planned = await planLayout(task)
      const files = planned.batches.flat().flatMap((bin) => bin.files)
      if (files.length === 0) return undefined
      const commit = async () => (await layOut(planned, task)).versions.at(-1)!
      return { operation: OPERATION, files, isChange: true, commit }
    },
  }
}
