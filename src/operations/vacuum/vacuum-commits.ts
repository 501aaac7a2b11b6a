/** The two commits that tell of a VACUUM; they move no file. */
import { requireCommitted } from '../../kernel/index.ts'
import type { JsonObject } from '../../support/index.ts'
import { beginChange, tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'

interface VacuumStep {
  readonly operation: 'VACUUM START' | 'VACUUM END'
  readonly operationParameters: JsonObject
  readonly metrics: Readonly<Record<string, number>>
}

/** Whoever changes the table meanwhile is no reason to keep silent: the next try stands on what they made. */
const MAX_TRIES = 20

/**
 * @returns the version made
 * @throws DeltaError what `Transaction.commit` throws, `LAKE_COMMIT_UNKNOWN`
 */
export async function tellOfVacuum(context: OperationContext, step: VacuumStep): Promise<number> {
  for (let tries = 1; ; tries++) {
    const outcome = await context.withSnapshot(undefined, async (snapshot) => {
      const { operation, operationParameters, metrics } = step
      const options = { operation, operationParameters, isolationLevel: 'SnapshotIsolation' } as const
      return await tryCommit(beginChange(snapshot, context, options).setMetrics(metrics), context)
    })
    if (outcome.kind !== 'conflict' || tries === MAX_TRIES) return requireCommitted(outcome)
  }
}
