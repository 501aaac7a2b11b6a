/**
 * Writes files of a table anew, in one commit or several: what OPTIMIZE, REORG and compaction behind a write share.
 *
 * No commit changes a row, so that each stands beside appends of others (snapshot isolation). One whose files another
 * commit removed or marked fails; any other conflict is met by committing the same files on the newer version. Batches
 * that are committed stay when a later one fails, and the next run goes on behind them.
 */
import { assert } from '../../errors/index.ts'
import {
  type AddFile,
  type CommitOutcome,
  deletionVectorId,
  movedRowsTags,
  property,
  requireCommitted,
  type Snapshot,
  scanPages,
  type Transaction,
  type TransactionOptions,
} from '../../kernel/index.ts'
import { printSchema } from '../../schema/index.ts'
import { printJson } from '../../support/index.ts'
import { beginChange, tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { filesOfPartitions, type RowCondition } from '../dml/condition.ts'
import { PendingFiles } from '../dml/pending-files.ts'
import { type Bin, batchesOf, groupByPartition, packBins } from './bins.ts'
import type { LayoutPlan } from './optimize-command.ts'
import { commitMetrics } from './optimize-metrics.ts'
import { type RewrittenBin, rewriteBin, SummedProgress } from './rewrite.ts'
import type { LayoutStrategy, Sizes } from './strategy.ts'

export interface LayoutTask {
  readonly snapshot: Snapshot
  /** reads partition columns only; absent: the whole table */
  readonly condition: RowCondition | undefined
  readonly strategy: LayoutStrategy
  readonly sizes: Sizes
  readonly commit: TransactionOptions
  readonly context: OperationContext
}

/** What is to be done, before anything is done. */
export interface PlannedLayout {
  readonly batches: readonly (readonly Bin[])[]
  /** files that the strategy chose, before it packed them */
  readonly chosen: readonly AddFile[]
  readonly plan: LayoutPlan
}

export interface LayoutDone {
  readonly versions: readonly number[]
  readonly bins: readonly RewrittenBin[]
}

/** Chooses files and groups them; nothing is written. */
export async function planLayout(task: LayoutTask): Promise<PlannedLayout> {
  const { snapshot, condition, strategy, sizes, context } = task
  const { signal } = context.options
  let numConsidered = 0
  const chosen: AddFile[] = []
  for await (const page of scanPages(snapshot, condition?.filter, signal && { signal })) {
    const files = condition === undefined ? page : filesOfPartitions(page, condition, snapshot.layout)
    numConsidered += files.length
    for (const file of await strategy.choose(files)) chosen.push(file)
  }
  const bins = packBins(groupByPartition(chosen, snapshot.layout), strategy)
  const batches = batchesOf(bins, sizes.batchSize)
  return { batches, chosen, plan: summary(bins, batches.length, numConsidered) }
}

function summary(bins: readonly Bin[], numBatches: number, numConsidered: number): LayoutPlan {
  return {
    numFiles: bins.reduce((sum, { files }) => sum + files.length, 0),
    numBytes: bins.reduce((sum, { size }) => sum + size, 0),
    numBins: bins.length,
    numPartitions: new Set(bins.map(({ partition }) => partition)).size,
    numBatches,
    numConsidered,
  }
}

/**
 * Carries a plan out.
 *
 * @throws DeltaError `DELTA_CONCURRENT_DELETE_READ.…` and other conflict codes, the codes of `Engine.write`,
 * `LAKE_COMMIT_UNKNOWN`, `LAKE_CANCELLED`: what was committed before stays
 */
export async function layOut({ batches }: PlannedLayout, task: LayoutTask): Promise<LayoutDone> {
  const progress = new SummedProgress(task.context.options.onProgress)
  const versions: number[] = []
  const done: RewrittenBin[] = []
  for (const batch of batches) {
    const { version, bins } = await layOutBatch(batch, { task, progress, firstBin: done.length })
    versions.push(version)
    done.push(...bins)
  }
  return { versions, bins: done }
}

interface BatchRun {
  readonly task: LayoutTask
  readonly progress: SummedProgress
  /** the number of the first bin */
  readonly firstBin: number
}

async function layOutBatch(batch: readonly Bin[], { task, progress, firstBin }: BatchRun) {
  const { snapshot, strategy, sizes } = task
  const context = { ...task.context, options: { ...task.context.options, onProgress: progress.update } }
  // told of before rows are moved: a table that cannot be written to is refused first
  const begun = begin(snapshot, task)
  const pending = new PendingFiles(context)
  return await pending.orDiscard(async () => {
    const bins: RewrittenBin[] = []
    for (const bin of batch) {
      const rewrite = { snapshot, strategy, maxFileSize: sizes.maxFileSize, pending, context }
      bins.push(await rewriteBin(bin, firstBin + bins.length, rewrite))
      progress.next()
    }
    const outcome = await commitBehind(complete(begun, bins), bins, task)
    return { version: requireCommitted(outcome), bins }
  })
}

function begin(snapshot: Snapshot, { commit, context }: LayoutTask): Transaction {
  const tags = movedRowsTags(snapshot.layout)
  return beginChange(snapshot, context, { ...commit, ...(tags && { tags }) })
}

function complete(transaction: Transaction, bins: readonly RewrittenBin[]): Transaction {
  const removed = bins.flatMap((bin) => bin.removed)
  assert(removed.length > 0, 'a batch replaces files')
  return transaction
    .reads({ kind: 'keep', reason: 'files are written anew' }, removed)
    .removeFiles(removed, { dataChange: false })
    .addFiles(bins.flatMap((bin) => bin.added))
    .setMetrics(
      commitMetrics(
        bins.flatMap((bin) => bin.written),
        removed,
      ),
    )
}

const MAX_RETRIES = 20

/** Commits, and again on a newer version where every file read is still as it was and files are written as before. */
async function commitBehind(
  transaction: Transaction,
  bins: readonly RewrittenBin[],
  task: LayoutTask,
  retries = 0,
): Promise<CommitOutcome> {
  const { context, snapshot } = task
  const outcome = await tryCommit(transaction, context)
  if (outcome.kind !== 'conflict' || retries === MAX_RETRIES) return outcome
  return await context.withSnapshot(undefined, async (newer) => {
    const removed = bins.flatMap((bin) => bin.removed)
    if (writingOf(newer) !== writingOf(snapshot) || !(await areLive(removed, newer))) return outcome
    return await commitBehind(complete(begin(newer, task), bins), bins, task, retries + 1)
  })
}

/** What files that were written for one version must agree with in another, as one text. */
function writingOf({ layout, partitionColumns, configuration }: Snapshot): string {
  return printJson({
    schema: printSchema(layout.schema),
    partitionColumns,
    columnMapping: layout.columnMapping,
    rowTracking: layout.rowTracking === undefined ? null : Object.values(layout.rowTracking),
    marksRows: property(configuration, 'enableDeletionVectors'),
  })
}

/** Whether files are in a version with the deleted rows that they were read with. */
async function areLive(files: readonly AddFile[], { files: index }: Snapshot): Promise<boolean> {
  for (const file of files) {
    const live = await index.find(file.path)
    if (live === undefined) return false
    if (deletionVectorId(live.deletionVector) !== deletionVectorId(file.deletionVector)) return false
  }
  return true
}
