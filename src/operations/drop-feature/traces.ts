/** What the log still shows of a feature's use, version by version. */
import { type Action, type KeptHistory, keptHistory, readCommit, type Snapshot } from '../../kernel/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { FeatureRemoval } from './removal.ts'

/** Commits read at once. */
const PARALLEL = 8

/** The versions, by their lowest and highest, whose commit or checkpoint shows the use of a feature. */
export interface Traces {
  readonly first: number
  readonly last: number
}

export interface FoundTraces {
  readonly history: KeptHistory
  /** undefined where nothing is left */
  readonly traces: Traces | undefined
}

/**
 * Looks through all that a log has up to a snapshot: its commits, and the checkpoint it begins with.
 *
 * @param from versions below it are passed over, as if they were not there
 * @throws what reading a commit or loading a snapshot throws
 */
export async function findTraces(
  removal: FeatureRemoval,
  snapshot: Snapshot,
  context: OperationContext,
  from = 0,
): Promise<FoundTraces> {
  const { signal } = context.options
  const history = await keptHistory(snapshot, signal && { signal })
  const kept = {
    commits: history.commits.filter(({ version }) => version >= from),
    checkpoints: history.checkpoints.filter(({ version }) => version >= from),
  }
  const found = [
    ...(await inCommits(removal, kept, context)),
    ...(await inBeginning(removal, kept, context)),
    ...(await inCheckpoints(removal, kept, snapshot)),
  ]
  if (found.length === 0) return { history, traces: undefined }
  const last = found.reduce((highest, version) => Math.max(highest, version))
  return { history, traces: { first: found.reduce((lowest, version) => Math.min(lowest, version)), last } }
}

async function inCommits(
  { isTrace }: FeatureRemoval,
  { commits }: KeptHistory,
  { store, options }: OperationContext,
): Promise<number[]> {
  if (isTrace === undefined) return []
  const { signal } = options
  const found = await mapParallel(commits, PARALLEL, async ({ version }) => {
    throwIfAborted(signal, 'looking through the log')
    const { actions } = await readCommit(store, version, signal && { signal })
    return actions.some(isTrace) ? [version] : []
  })
  return found.flat()
}

/** Of a log that no longer begins with version 0: what its first checkpoint sums up. */
async function inBeginning(
  { isTrace }: FeatureRemoval,
  { commits, checkpoints }: KeptHistory,
  context: OperationContext,
): Promise<number[]> {
  const [beginning] = checkpoints
  if (isTrace === undefined || beginning === undefined || commits[0]?.version === 0) return []
  return await context.withSnapshot({ version: beginning.version }, async ({ metadata, files }) => {
    const inSmall = ([{ metaData: metadata }] satisfies readonly Action[]).some(isTrace)
    if (inSmall) return [beginning.version]
    for await (const page of files.select()) if (page.some((add) => isTrace({ add }))) return [beginning.version]
    return []
  })
}

async function inCheckpoints(
  { tracesInCheckpoints }: FeatureRemoval,
  { checkpoints }: KeptHistory,
  { log, store }: Snapshot,
): Promise<number[]> {
  if (tracesInCheckpoints !== true) return []
  const found: number[] = []
  for (const { version, files } of checkpoints) {
    for await (const page of log.readCheckpoint(store, files, ['checkpointMetadata', 'sidecar'])) {
      if (page.length > 0) found.push(version)
    }
  }
  return found
}
