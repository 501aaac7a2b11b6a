/**
 * VACUUM: deletes files that no version within the retention needs.
 *
 * A file goes when it is old by its own storage time, lies below the table's root outside of hidden folders, and is named
 * by no version that was current at some time since the cutoff. Nothing of the log is touched. What others commit while it
 * runs is looked at before each page of deletions. Source: the reference's VACUUM.
 */
import { causeText } from '../../errors/index.ts'
import { beginTransaction, readCommit, type Snapshot } from '../../kernel/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { VacuumCommand, VacuumResult } from '../upkeep-command.ts'
import { type CandidateSource, listedFiles } from './candidates.ts'
import { hiddenKeys } from './hidden-names.ts'
import { inventoryFiles } from './inventory.ts'
import { type KeptFiles, keptFiles } from './kept-files.ts'
import { loggedRemovals, writeLastVacuum } from './logged-removals.ts'
import { type Retention, retentionOf } from './retention.ts'
import { Spool } from './spool.ts'
import { tellOfVacuum } from './vacuum-commits.ts'

/** Keys held between counting and deleting; what is behind them is listed again. */
const MAX_HELD = 100_000
/** Deletions under way at once. */
const PARALLEL = 16

/**
 * @throws DeltaError `DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT`, `DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE`,
 * `DELTA_CANNOT_VACUUM_LITE`, `DELTA_INVALID_INVENTORY_SCHEMA`, `DELTA_TABLE_NOT_FOUND`,
 * `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, a `LAKE_STORAGE_…` code: what was not deleted then is for the next run
 */
export async function executeVacuum(command: VacuumCommand, context: OperationContext): Promise<VacuumResult> {
  return await context.withSnapshot(undefined, async (snapshot) => {
    // whoever cannot write by the protocol of a table does not know all of its files
    beginTransaction(snapshot, { operation: 'VACUUM START' })
    const retention = retentionOf(command, snapshot, context)
    const kept = await keptFiles(snapshot, retention.cutoffMs, context)
    const source = await sourceOf(command, snapshot, retention, context)
    const work = new Vacuum({ source, kept, retention, context, version: snapshot.version })
    await work.count()
    return command.dryRun === true ? work.result(null) : await work.run(command)
  })
}

async function sourceOf(
  { type = 'full', inventory }: VacuumCommand,
  snapshot: Snapshot,
  { cutoffMs }: Retention,
  context: OperationContext,
): Promise<CandidateSource> {
  const isHidden = hiddenKeys(snapshot)
  if (inventory !== undefined) return await inventoryFiles(inventory, context, isHidden)
  return type === 'lite' ? await loggedRemovals(snapshot, cutoffMs, context) : listedFiles(context, isHidden)
}

interface VacuumTask {
  readonly source: CandidateSource
  readonly kept: KeptFiles
  readonly retention: Retention
  readonly context: OperationContext
  /** the newest version that `kept` knows of */
  readonly version: number
}

class Vacuum {
  private readonly task: VacuumTask
  private readonly spool: Spool
  private readonly folders: string[] = []
  private seenVersion: number
  private deleted = 0

  constructor(task: VacuumTask) {
    this.task = task
    this.seenVersion = task.version
    this.spool = new Spool(task.source.resumes ? MAX_HELD : Number.POSITIVE_INFINITY)
  }

  /** Finds out what is to go. */
  async count(): Promise<void> {
    for await (const page of this.expired()) for (const { key, size } of page.files) this.spool.add(key, size)
  }

  /** Candidates that may go, in pages. */
  private async *expired(after?: string) {
    const { source, kept, retention, context } = this.task
    for await (const page of source.candidates(after)) {
      throwIfAborted(context.options.signal, 'VACUUM')
      const old = page.filter(({ key, modifiedMs }) => modifiedMs < retention.cutoffMs && !kept.has(key))
      if (after === undefined) this.folders.push(...old.filter(({ isFolder }) => isFolder).map(({ key }) => key))
      yield { files: old.filter(({ isFolder }) => isFolder !== true) }
    }
  }

  async run(command: VacuumCommand): Promise<VacuumResult> {
    const { context, retention, version } = this.task
    await tellOfVacuum(context, {
      operation: 'VACUUM START',
      operationParameters: retention.parameters,
      metrics: { numFilesToDelete: this.numFiles, sizeOfDataToDelete: this.spool.sizeInBytes },
    })
    try {
      await this.deleteAll()
    } catch (error) {
      await this.end('FAILED').catch((second) =>
        context.warn(`the end of VACUUM is not in the log: ${causeText(second)}`),
      )
      throw error
    }
    await writeLastVacuum(command, { cutoffMs: retention.cutoffMs, version }, context)
    return this.result(await this.end('COMPLETED'))
  }

  private async end(status: 'COMPLETED' | 'FAILED'): Promise<number> {
    return await tellOfVacuum(this.task.context, {
      operation: 'VACUUM END',
      operationParameters: { status },
      metrics: { numDeletedFiles: this.deleted, numVacuumedDirectories: this.task.source.numFolders() },
    })
  }

  private async deleteAll(): Promise<void> {
    const { store, options } = this.task.context
    for await (const page of this.pages()) {
      throwIfAborted(options.signal, 'VACUUM')
      await this.lookAtNewCommits()
      const keys = page.filter((key) => !this.task.kept.has(key))
      await mapParallel(keys, PARALLEL, (key) => store.delete(key, options.signal && { signal: options.signal }))
      this.deleted += keys.length
      options.onProgress?.({ rows: 0, bytes: 0, files: this.deleted })
    }
    for (const key of this.folders) if (await store.deleteEmptyFolder?.(key)) this.deleted++
  }

  /** A version that somebody restored or added meanwhile keeps its files. */
  private async lookAtNewCommits(): Promise<void> {
    const { context, kept } = this.task
    const { signal } = context.options
    await context.withSnapshot(undefined, async ({ version: newest, store }) => {
      while (this.seenVersion < newest) {
        const { actions } = await readCommit(store, ++this.seenVersion, signal && { signal })
        kept.addCommit(actions)
      }
    })
  }

  private async *pages(): AsyncGenerator<readonly string[]> {
    yield* this.spool.held()
    if (!this.spool.isFull) return
    for await (const { files } of this.expired(this.spool.overflow)) yield files.map(({ key }) => key)
  }

  private async *allKeys(): AsyncGenerator<readonly string[]> {
    yield* this.pages()
    if (this.folders.length > 0) yield this.folders
  }

  private get numFiles(): number {
    return this.spool.numFiles + this.folders.length
  }

  result(version: number | null): VacuumResult {
    return {
      version,
      numFilesToDelete: this.numFiles,
      sizeOfDataToDelete: this.spool.sizeInBytes,
      numDeletedFiles: this.deleted,
      numVacuumedDirectories: this.task.source.numFolders(),
      files: () => (version === null ? this.allKeys() : nothing()),
    }
  }
}

async function* nothing(): AsyncGenerator<never> {}
