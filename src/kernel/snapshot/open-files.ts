/**
 * Builds the index of a snapshot's live files when it is first asked for.
 *
 * It starts from the checkpoint the snapshot was loaded from. Where that one turns out to be damaged, or is gone by then,
 * the log is listed again and the same version is built from what is left.
 */
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import {
  type CompactionFile,
  fileActionsOf,
  type LoadedCommit,
  openLog,
  readCommitActions,
  type Segment,
  type WarningList,
} from '../log/index.ts'
import { CheckpointFault, withCheckpointFault } from './checkpoint-reader.ts'
import type { FileActions, FileIndex, LogEngine } from './file-index.ts'
import type { HeldFiles } from './held-files.ts'
import { buildFromLog, type LoadedSmall, loadSmall } from './load-small.ts'

type Loaded = Pick<LoadedSmall, 'commits' | 'checkpointFiles'>

export interface FileSource {
  readonly store: ObjectStore
  readonly log: LogEngine
  readonly segment: Segment
  /** what the load read, until the index has it */
  readonly loaded: Loaded
  readonly held: HeldFiles
  /** physical names */
  readonly partitionColumns: readonly string[]
  readonly warnings: WarningList
  /** whether somebody asked for this very version */
  readonly asked: boolean
}

export class FileOpener {
  private readonly source: Omit<FileSource, 'loaded'>
  private loaded: Loaded | undefined

  constructor({ loaded, ...source }: FileSource) {
    this.source = source
    this.loaded = loaded
  }

  /**
   * @param later commits behind the version of the source, ascending, without a gap
   * @throws what `loadSnapshot` throws for the log
   */
  async open(later: readonly FileActions[], signal: AbortSignal | undefined): Promise<FileIndex> {
    const { segment, held } = this.source
    if (this.loaded === undefined) return await this.openElsewhere(later, signal)
    held.use(signal)
    try {
      const index = await this.openIndex(held.store, segment, this.loaded, { later, signal })
      held.release()
      this.loaded = undefined
      return index
    } catch (error) {
      if (!(error instanceof CheckpointFault) && !isVanished(error)) throw error
      return await this.openElsewhere(later, signal)
    } finally {
      held.use(undefined)
    }
  }

  private async openElsewhere(later: readonly FileActions[], signal: AbortSignal | undefined): Promise<FileIndex> {
    const { store, log, segment, warnings, asked } = this.source
    const call = { warnings, asked, ...(signal && { signal }) }
    const view = await openLog(store, { ...call, version: segment.version })
    return await buildFromLog(store, view, call, async (other) => {
      return await this.openIndex(store, other, await loadSmall(store, log, other, call), { later, signal })
    })
  }

  /** @throws CheckpointFault */
  private async openIndex(
    store: ObjectStore,
    segment: Segment,
    { commits, checkpointFiles }: Loaded,
    { later, signal }: { readonly later: readonly FileActions[]; readonly signal: AbortSignal | undefined },
  ): Promise<FileIndex> {
    const { log, partitionColumns, warnings } = this.source
    const call = { warnings, ...(signal && { signal }) }
    const stream = new CommitStream(this.source.store, { segment, commits, later }, call)
    const open = () =>
      log.openFileIndex({
        store,
        version: segment.version + later.length,
        checkpoint: checkpointFiles,
        commits: stream,
        partitionColumns,
        ...(signal && { signal }),
      })
    if (segment.checkpoint === undefined) return await open()
    return await withCheckpointFault(segment.checkpoint, open).catch((error: unknown) => {
      throw stream.fault ?? error
    })
  }
}

/** Whether a file that a listing named was gone when it was read. */
export function isVanished(error: unknown): boolean {
  return isDeltaError(error, 'FAILED_READ_FILE.NO_HINT') && isDeltaError(error.cause, 'LAKE_OBJECT_NOT_FOUND')
}

interface Commits {
  readonly segment: Segment
  readonly commits: readonly LoadedCommit[]
  readonly later: readonly FileActions[]
}

/**
 * The file actions of a segment's commits and of those behind it, ascending and without a gap.
 *
 * A compacted file stands where the first commit that is gone stood, so that the commits that are there have the last
 * word.
 */
class CommitStream implements AsyncIterable<FileActions> {
  /** what went wrong in a commit, to tell it from damage in a checkpoint */
  fault: unknown
  private readonly store: ObjectStore
  private readonly source: Commits
  private readonly options: { readonly warnings: WarningList; readonly signal?: AbortSignal }

  constructor(store: ObjectStore, source: Commits, options: CommitStream['options']) {
    this.store = store
    this.source = source
    this.options = options
  }

  async *[Symbol.asyncIterator](): AsyncIterator<FileActions> {
    const { segment, commits, later } = this.source
    const byVersion = new Map(commits.map((commit) => [commit.version, commit]))
    const compacted = new Map(segment.compactions.map((file) => [file.from, file]))
    const first = (segment.checkpoint?.version ?? -1) + 1
    for (let version = first; version <= segment.version; version++) {
      throwIfAborted(this.options.signal, `replaying version ${version}`)
      const commit = byVersion.get(version)
      const compaction = compacted.get(version)
      if (commit !== undefined) yield await this.guarded(() => commit.fileActions())
      else if (compaction !== undefined) yield await this.guarded(() => this.compactedActions(compaction))
      else yield { version, adds: [], removes: [] }
    }
    yield* later
  }

  private async compactedActions(file: CompactionFile): Promise<FileActions> {
    return fileActionsOf(file.from, await readCommitActions(this.store, file, this.options))
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.fault = error
      throw error
    }
  }
}
