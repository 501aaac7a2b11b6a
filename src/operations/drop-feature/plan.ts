/**
 * What dropping a feature would do, said beforehand: nothing is written.
 *
 * The steps are those that the drop itself would plan on the version at hand.
 */
import { beginningAfter, earliestOf, type KeptHistory, keptHistory, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { featureNames, unwritableFeatures } from '../describe.ts'
import type { DropFeaturePlan, PlanDropFeatureCommand, PlannedCommit } from '../drop-feature-command.ts'
import { engineSupport } from '../engine-support/index.ts'
import { BARRIERS } from './barrier.ts'
import { checkDrop } from './check.ts'
import { beginningBehind, readyMsOf } from './cut-history.ts'
import { protectsHistory, protocolAfter } from './downgrade.ts'
import { protectedVersion } from './drop-protection.ts'
import { namedUnmanaged } from './managed.ts'
import type { Drop, PlannedStep } from './removal.ts'
import { keepMsOf } from './retention.ts'
import { findTraces } from './traces.ts'

/** @throws DeltaError the refusals that the drop itself would end with */
export async function executePlanDropFeature(
  command: PlanDropFeatureCommand,
  context: OperationContext,
): Promise<DropFeaturePlan> {
  return await namedUnmanaged(command.feature, () =>
    context.withSnapshot(undefined, async (snapshot) => {
      const drop = checkDrop(command, { path: snapshot.store.location, protocol: snapshot.protocol })
      drop.removal.validate?.(snapshot)
      return await planDrop(drop, snapshot, context)
    }),
  )
}

const EMPTY: PlannedCommit = { operation: 'Empty Commit', numFiles: 0, numBytes: 0, checkpoint: true }
const DROP: PlannedCommit = { operation: 'DROP FEATURE', numFiles: 0, numBytes: 0, checkpoint: false }

/** What a run would do, and what would keep it from the end. */
interface Run {
  readonly commits: readonly PlannedCommit[]
  readonly earliestVersion: number
  readonly waitUntilMs: number | null
}

async function planDrop(drop: Drop, snapshot: Snapshot, context: OperationContext): Promise<DropFeaturePlan> {
  const steps = await plannedSteps(drop, snapshot, context)
  const { commits, ...rest } = await planRun(drop, steps, snapshot, context)
  const { feature, truncateHistory } = drop
  const protocol = protocolAfter(drop, snapshot.protocol)
  return {
    feature,
    truncateHistory,
    version: snapshot.version,
    commits,
    numFiles: commits.reduce((sum, { numFiles }) => sum + numFiles, 0),
    numBytes: commits.reduce((sum, { numBytes }) => sum + numBytes, 0),
    ...rest,
    protocol,
    engines: engineSupport({
      tableFeatures: featureNames(protocol),
      unwritableFeatures: unwritableFeatures(snapshot).filter((name) => name !== drop.removal.name),
      unreadableFeatures: [],
    }),
  }
}

/** A step that looks again finds what others wrote meanwhile, of which nothing is known yet. */
async function plannedSteps({ removal }: Drop, snapshot: Snapshot, context: OperationContext): Promise<PlannedStep[]> {
  const planned: PlannedStep[] = []
  for (const step of removal.steps) {
    const commit = step.looksAgain === true ? undefined : await step.plan(snapshot, context)
    if (commit !== undefined) planned.push(commit)
  }
  return planned
}

function commitOf({ operation, files }: PlannedStep): PlannedCommit {
  const numBytes = files.reduce((sum, { size }) => sum + size, 0)
  return { operation, numFiles: files.length, numBytes, checkpoint: false }
}

async function planRun(
  drop: Drop,
  steps: readonly PlannedStep[],
  snapshot: Snapshot,
  context: OperationContext,
): Promise<Run> {
  const cleaning = steps.map(commitOf)
  const history = await keptHistory(snapshot)
  if (drop.removal.name === 'checkpointProtection') return planProtection(cleaning, history, snapshot, context)
  if (drop.truncateHistory) return await planTruncation(drop, steps, { snapshot, history, context })
  const isProtected = protectsHistory(drop)
  const barriers = isProtected ? Array<PlannedCommit>(BARRIERS).fill(EMPTY) : []
  const commits = [...cleaning, ...barriers, { ...DROP, checkpoint: isProtected }]
  return { commits, earliestVersion: earliestOf(history), waitUntilMs: null }
}

interface Ground {
  readonly snapshot: Snapshot
  readonly history: KeptHistory
  readonly context: OperationContext
}

async function planTruncation(
  { removal }: Drop,
  steps: readonly PlannedStep[],
  { snapshot, history, context }: Ground,
): Promise<Run> {
  const cleaning = [...steps.map(commitOf), EMPTY]
  const nowMs = context.clock.now()
  const keepMs = keepMsOf(snapshot)
  const then = historyThen(history, snapshot, cleaning.length, nowMs)
  if (steps.some(({ isChange }) => isChange)) {
    const waitUntilMs = readyMsOf(then, snapshot.version, keepMs, nowMs)
    return { commits: cleaning, earliestVersion: earliestOf(history), waitUntilMs }
  }
  const all = await findTraces(removal, snapshot, context)
  const earliestVersion = beginningThen(then, all.traces?.last ?? -1, keepMs, nowMs)
  const { traces } = await findTraces(removal, snapshot, context, earliestVersion)
  if (traces === undefined) return { commits: [...cleaning, DROP], earliestVersion, waitUntilMs: null }
  return { commits: cleaning, earliestVersion, waitUntilMs: readyMsOf(then, traces.last, keepMs, nowMs) }
}

function planProtection(
  cleaning: readonly PlannedCommit[],
  history: KeptHistory,
  snapshot: Snapshot,
  { clock }: OperationContext,
): Run {
  const before = protectedVersion(snapshot)
  const holds = (earliest: number) => earliest < before
  if (!holds(earliestOf(history))) {
    return { commits: [...cleaning, DROP], earliestVersion: earliestOf(history), waitUntilMs: null }
  }
  const nowMs = clock.now()
  const keepMs = keepMsOf(snapshot)
  const then = historyThen(history, snapshot, 1, nowMs)
  const earliestVersion = beginningThen(then, before - 1, keepMs, nowMs)
  if (!holds(earliestVersion)) return { commits: [EMPTY, ...cleaning, DROP], earliestVersion, waitUntilMs: null }
  return { commits: [EMPTY], earliestVersion, waitUntilMs: readyMsOf(then, before - 1, keepMs, nowMs) }
}

/** What the log begins with behind a cut made now. */
function beginningThen(then: KeptHistory, last: number, keepMs: number, nowMs: number): number {
  const beginning = keepMs === 0 ? beginningBehind(then, last) : beginningAfter(then, nowMs, keepMs)
  return beginning ?? earliestOf(then)
}

/** The history behind some more commits made now, the last of them with a checkpoint. */
function historyThen(history: KeptHistory, { version }: Snapshot, count: number, nowMs: number): KeptHistory {
  const lastMs = history.commits.at(-1)?.timeMs ?? nowMs
  const made = Array.from({ length: count }, (_, i) => ({
    version: version + 1 + i,
    timeMs: Math.max(nowMs, lastMs + 1 + i),
  }))
  return {
    commits: [...history.commits, ...made],
    checkpoints: [...history.checkpoints, { version: version + count, files: [] }],
  }
}
