/** The answer of OPTIMIZE and REORG. */
import { property, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import type { LayoutDone } from './lay-out.ts'
import type { LayoutPlan, OptimizeResult } from './optimize-command.ts'
import { deletionVectorStats, fileSizeMetrics, type OptimizeMetrics } from './optimize-metrics.ts'

export interface ResultParts {
  readonly snapshot: Snapshot
  readonly plan: LayoutPlan
  readonly done: LayoutDone
  readonly context: OperationContext
  readonly startMs: number
  readonly stats?: Pick<OptimizeMetrics, 'zOrderStats' | 'clusteringStats'>
}

export function optimizeResult({ snapshot, plan, done, context, startMs, stats }: ResultParts): OptimizeResult {
  const added = done.bins.flatMap((bin) => bin.added)
  const removed = done.bins.flatMap((bin) => bin.removed)
  const didIt = removed.length > 0
  const metrics: OptimizeMetrics = {
    numFilesAdded: added.length,
    numFilesRemoved: removed.length,
    filesAdded: fileSizeMetrics(added),
    filesRemoved: fileSizeMetrics(removed),
    partitionsOptimized: didIt ? plan.numPartitions : 0,
    zOrderStats: null,
    clusteringStats: null,
    ...stats,
    numBins: didIt ? plan.numBins : 0,
    // one that found nothing to do counts as well
    numBatches: Math.max(plan.numBatches, 1),
    totalConsideredFiles: plan.numConsidered,
    totalFilesSkipped: plan.numConsidered - removed.length,
    preserveInsertionOrder: false,
    numFilesSkippedToReduceWriteAmplification: 0,
    numBytesSkippedToReduceWriteAmplification: 0,
    startTimeMs: startMs,
    endTimeMs: context.clock.now(),
    totalClusterParallelism: 1,
    totalScheduledTasks: 0,
    autoCompactParallelismStats: null,
    deletionVectorStats: deletionVectorStats(removed),
    ...columnCounts(snapshot),
  }
  return { versions: done.versions, plan, metrics }
}

/** Columns at the top level, and how many of them the limit of `delta.dataSkippingNumIndexedCols` takes in. */
function columnCounts({ schema, configuration }: Snapshot) {
  const numTableColumns = schema.fields.length
  const limit = property(configuration, 'dataSkippingNumIndexedCols')
  return { numTableColumns, numTableColumnsWithStats: limit < 0 ? numTableColumns : Math.min(limit, numTableColumns) }
}
