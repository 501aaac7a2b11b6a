/** The small actions of a version, from the best checkpoint that can be read and the commits after it. */
import { assert } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import {
  type LoadedCommit,
  type LogView,
  loadCommits,
  openLog,
  openWholeLog,
  planSegments,
  readCommitActions,
  type Segment,
  type WarningList,
} from '../log/index.ts'
import { CheckpointFault, readSmallActions } from './checkpoint-reader.ts'
import type { CheckpointFile, LogEngine } from './file-index.ts'
import { emptyState, replay, type SmallState } from './small-state.ts'

export interface LoadedSmall {
  readonly small: SmallState
  readonly commits: readonly LoadedCommit[]
  readonly checkpointFiles: readonly CheckpointFile[]
}

export interface LoadContext {
  readonly warnings: WarningList
  /** whether somebody asked for this very version */
  readonly asked: boolean
  readonly signal?: AbortSignal
}

/**
 * Builds something from the best way to a version, falling back to older checkpoints where one cannot be read.
 *
 * @throws what `build` throws; where every way is damaged, the fault of the best one
 */
export async function buildFromLog<T>(
  store: ObjectStore,
  view: LogView,
  context: LoadContext,
  build: (segment: Segment) => Promise<T>,
): Promise<T> {
  const tried = new Set<string>()
  const passedOver: string[] = []
  let fault: CheckpointFault | undefined
  const attempt = async (within: LogView): Promise<{ built: T } | undefined> => {
    for (const segment of planSegments(store, within, context)) {
      const anchor = segment.checkpoint?.files[0]?.key ?? 'version 0'
      if (tried.has(anchor)) continue
      tried.add(anchor)
      try {
        return { built: await build(segment) }
      } catch (error) {
        if (!(error instanceof CheckpointFault)) throw error
        fault ??= error
        passedOver.push(`the checkpoint ${anchor} was passed over: ${error.message}`)
      }
    }
    return undefined
  }
  let result = await attempt(view)
  if (result === undefined && view.listing.from > 0) {
    const { warnings, signal } = context
    const listing = await openWholeLog(store, { warnings, ...(signal && { signal }) })
    result = await attempt({ listing, version: view.version }).catch((error: unknown) => {
      throw fault?.cause ?? error
    })
  }
  if (result === undefined && fault !== undefined) throw fault.cause
  assert(result !== undefined, 'a plan that fails says why')
  for (const warning of passedOver) context.warnings.add(warning)
  return result.built
}

/** @throws CheckpointFault, DeltaError `FAILED_READ_FILE.NO_HINT` */
export async function loadSmall(
  store: ObjectStore,
  log: LogEngine,
  segment: Segment,
  options: { readonly warnings: WarningList; readonly signal?: AbortSignal },
): Promise<LoadedSmall> {
  const checkpoint = segment.checkpoint && (await readSmallActions(store, log, segment.checkpoint, options.signal))
  let small = replay(emptyState, checkpoint?.actions ?? [])
  const commits = await loadCommits(store, segment.commits, options)
  const compacted = await Promise.all(
    segment.compactions.map(async (file) => {
      return { version: file.from, small: await readCommitActions(store, file, options) }
    }),
  )
  const steps = [...commits, ...compacted].sort((a, b) => a.version - b.version)
  for (const step of steps) small = replay(small, step.small)
  return { small, commits, checkpointFiles: checkpoint?.files ?? [] }
}

/** The small actions of the latest version, for those who need no files. */
export async function loadLatestSmall(
  store: ObjectStore,
  log: LogEngine,
  options: { readonly warnings: WarningList; readonly signal?: AbortSignal },
): Promise<{ readonly version: number; readonly small: SmallState }> {
  const view = await openLog(store, options)
  const context = { ...options, asked: false }
  const { small } = await buildFromLog(store, view, context, (segment) => loadSmall(store, log, segment, options))
  return { version: view.version, small }
}
