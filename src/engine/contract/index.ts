/**
 * What every engine promises, as cases any test runner can run.
 *
 * A case throws when the promise does not hold. Rows are compared as their JSON text, statistics as the text of
 * `add.stats`, so that two engines that pass give equal results.
 */
import { contractChanges } from './changes.ts'
import { contractCheckpoints } from './checkpoints.ts'
import type { Check, EngineSubject } from './ground.ts'
import { contractHidden } from './hidden.ts'
import { contractJoins } from './joins.ts'
import { contractLayout } from './layout.ts'
import { contractReads } from './reads.ts'
import { contractRules } from './rules.ts'
import { contractText } from './text.ts'
import { contractTypes } from './types.ts'
import { contractWrites } from './writes.ts'

export type { EngineSubject } from './ground.ts'

export interface EngineContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** The cases for a kind of engine; each makes an engine and an empty store of its own. */
export function engineContract(make: () => Promise<EngineSubject>): readonly EngineContractCase[] {
  const checks: readonly Check[] = [
    ...contractWrites,
    ...contractRules,
    ...contractReads,
    ...contractTypes,
    ...contractHidden,
    ...contractChanges,
    ...contractLayout,
    ...contractJoins,
    ...contractText,
    ...contractCheckpoints,
  ]
  return checks.map(([name, check]) => ({
    name,
    run: async () => {
      const subject = await make()
      try {
        await check(subject)
      } finally {
        await subject.engine.close()
        await subject.close?.()
      }
    },
  }))
}
