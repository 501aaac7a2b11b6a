/**
 * OPTIMIZE: small files become larger ones, and rows are sorted where that is asked for.
 *
 * Source: `delta-protocol`, maintenance; recorded statements of the reference.
 */
import { deltaError } from '../../errors/index.ts'
import { printExpression } from '../../expressions/index.ts'
import { type Snapshot, supportsFeature } from '../../kernel/index.ts'
import { clusteringPaths } from '../clustering.ts'
import type { ExpressionInput } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { columnPathText, dottedName } from '../values/index.ts'
import { clustering, clusteringStats } from './clustering-strategy.ts'
import { curveColumns, zOrderColumns } from './curve-columns.ts'
import { type LayoutTask, layOut, planLayout } from './lay-out.ts'
import type { OptimizeCommand, OptimizeResult } from './optimize-command.ts'
import { bytesOf, type OptimizeMetrics } from './optimize-metrics.ts'
import { partitionCondition } from './partition-condition.ts'
import { optimizeResult } from './result.ts'
import { sizesOf } from './sizes.ts'
import { compaction, type LayoutStrategy, type Sizes, zOrdering } from './strategy.ts'

/**
 * @throws DeltaError `DELTA_NON_PARTITION_COLUMN_REFERENCE`, `DELTA_ZORDERING_ON_PARTITION_COLUMN`,
 * `DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST`, `DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS`, `DELTA_CLUSTERING_WITH_ZORDER_BY`,
 * `DELTA_CLUSTERING_WITH_PARTITION_PREDICATE`, `DELTA_OPTIMIZE_FULL_NOT_SUPPORTED`, `DELTA_TABLE_NOT_FOUND`,
 * `LAKE_INVALID_OPTION`, `DELTA_CONCURRENT_DELETE_READ.…` and other conflict codes, the codes of `Engine.write`
 */
export async function executeOptimize(command: OptimizeCommand, context: OperationContext): Promise<OptimizeResult> {
  return await context.withSnapshot(undefined, (snapshot) => optimizeTable(snapshot, command, context))
}

async function optimizeTable(
  snapshot: Snapshot,
  command: OptimizeCommand,
  context: OperationContext,
): Promise<OptimizeResult> {
  const startMs = context.clock.now()
  const { where, zorderBy = [], full = false, planOnly = false, userMetadata } = command
  const clusterBy = clusteringPaths(snapshot)
  refuseForClustering(snapshot, { where, zorderBy, full, clusterBy, location: context.location })
  const condition =
    where === undefined ? undefined : partitionCondition(where, snapshot, { operation: 'OPTIMIZE', context })
  const sizes = sizesOf(command, snapshot.configuration)
  const zOrder = zOrderColumns(zorderBy, snapshot)
  const task: LayoutTask = {
    snapshot,
    condition,
    strategy: strategyOf({ snapshot, zorderBy: zOrder, clusterBy, full, sizes }),
    sizes,
    commit: {
      operation: 'OPTIMIZE',
      operationParameters: {
        ...(clusterBy.length > 0 && { isFull: full }),
        predicate: JSON.stringify(condition === undefined ? [] : [condition.text]),
        zOrderBy: JSON.stringify(zOrder.map(dottedName)),
        clusterBy: JSON.stringify(clusterBy.map(dottedName)),
        auto: false,
      },
      ...(userMetadata !== undefined && { userMetadata }),
    },
    context,
  }
  const planned = await planLayout(task)
  const done = planOnly ? { versions: [], bins: [] } : await layOut(planned, task)
  const shape = { ...planned, clusterBy, sorts: zOrder.length > 0 }
  return optimizeResult({ snapshot, plan: planned.plan, done, context, startMs, stats: curveStats(shape) })
}

interface CurveInput extends Pick<Awaited<ReturnType<typeof planLayout>>, 'batches' | 'chosen'> {
  readonly clusterBy: readonly (readonly string[])[]
  readonly sorts: boolean
}

/** What the row tells of the files that were sorted. */
function curveStats({
  batches,
  chosen,
  clusterBy,
  sorts,
}: CurveInput): Pick<OptimizeMetrics, 'zOrderStats' | 'clusteringStats'> {
  const bins = batches.flat()
  const merged = bins.flatMap(({ files }) => files)
  if (clusterBy.length > 0) return { zOrderStats: null, clusteringStats: clusteringStats(chosen, bins) }
  if (!sorts) return { zOrderStats: null, clusteringStats: null }
  const none = { num: 0, size: 0 }
  const all = { num: merged.length, size: bytesOf(merged) }
  return {
    zOrderStats: {
      strategyName: 'all',
      inputCubeFiles: none,
      inputOtherFiles: all,
      inputNumCubes: 0,
      mergedFiles: all,
      numOutputCubes: bins.length,
      mergedNumCubes: null,
    },
    clusteringStats: null,
  }
}

interface Layout {
  readonly snapshot: Snapshot
  readonly zorderBy: readonly (readonly string[])[]
  readonly clusterBy: readonly (readonly string[])[]
  readonly full: boolean
  readonly sizes: Sizes
}

function strategyOf({ snapshot, zorderBy, clusterBy, full, sizes }: Layout): LayoutStrategy {
  const { layout } = snapshot
  if (clusterBy.length > 0) return clustering({ columns: curveColumns(clusterBy, layout), clusterBy, full })
  return zorderBy.length > 0 ? zOrdering(curveColumns(zorderBy, layout)) : compaction(sizes)
}

interface Wishes extends Pick<Layout, 'zorderBy' | 'clusterBy' | 'full'> {
  readonly where: ExpressionInput | undefined
  readonly location: string
}

/** A table keeps to its clustering columns, once it has the feature: also when it has none of them at the moment. */
function refuseForClustering({ protocol }: Snapshot, { where, zorderBy, full, clusterBy, location }: Wishes): void {
  if (supportsFeature(protocol, 'clustering')) {
    if (zorderBy.length > 0) {
      throw deltaError('DELTA_CLUSTERING_WITH_ZORDER_BY', { columns: zorderBy.map(columnPathText).join(', ') })
    }
    if (where !== undefined) {
      const predicate = typeof where === 'string' ? where : printExpression(where)
      throw deltaError('DELTA_CLUSTERING_WITH_PARTITION_PREDICATE', { predicate })
    }
  }
  if (full && clusterBy.length === 0) throw deltaError('DELTA_OPTIMIZE_FULL_NOT_SUPPORTED', { path: location })
}
