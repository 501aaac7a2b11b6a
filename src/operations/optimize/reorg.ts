/**
 * REORG … APPLY (PURGE): what the table has no more leaves its files.
 *
 * Files with deleted rows and files with columns that were dropped are written anew; no row changes. The versions before
 * still need the old files. Source: `delta-protocol`, maintenance; recorded statements of the reference.
 */
import { deltaError } from '../../errors/index.ts'
import { printExpression } from '../../expressions/index.ts'
import { type Snapshot, supportsFeature } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { type LayoutTask, layOut, planLayout } from './lay-out.ts'
import type { OptimizeResult, ReorgCommand } from './optimize-command.ts'
import { partitionCondition } from './partition-condition.ts'
import { optimizeResult } from './result.ts'
import { sizesOf } from './sizes.ts'
import { type StaleReason, staleFiles } from './stale-files.ts'
import { purging } from './strategy.ts'

/**
 * @throws DeltaError `DELTA_NON_PARTITION_COLUMN_REFERENCE`, `DELTA_CLUSTERING_WITH_PARTITION_PREDICATE`,
 * `DELTA_TABLE_NOT_FOUND`, `LAKE_INVALID_OPTION`, `DELTA_CONCURRENT_DELETE_READ.…` and other conflict codes, the codes of
 * `Engine.readSchemas` and `Engine.write`
 */
export async function executeReorg(command: ReorgCommand, context: OperationContext): Promise<OptimizeResult> {
  return await purgeFiles({ ...command, reasons: ['deleted rows', 'dropped columns'] }, context)
}

export type Purge = Omit<ReorgCommand, 'kind' | 'table'> & {
  /** files are written anew that one of these holds for */
  readonly reasons: readonly StaleReason[]
}

/**
 * Writes files anew for reasons that a caller chooses, in commits that tell of a REORG; none where no file is to be.
 *
 * @throws DeltaError as `executeReorg`
 */
export async function purgeFiles(purge: Purge, context: OperationContext): Promise<OptimizeResult> {
  return await context.withSnapshot(undefined, (snapshot) => purgeSnapshot(snapshot, purge, context))
}

async function purgeSnapshot(snapshot: Snapshot, purge: Purge, context: OperationContext): Promise<OptimizeResult> {
  const startMs = context.clock.now()
  const { where, planOnly = false, userMetadata, reasons } = purge
  if (where !== undefined && supportsFeature(snapshot.protocol, 'clustering')) {
    const predicate = typeof where === 'string' ? where : printExpression(where)
    throw deltaError('DELTA_CLUSTERING_WITH_PARTITION_PREDICATE', { predicate })
  }
  const condition =
    where === undefined ? undefined : partitionCondition(where, snapshot, { operation: 'REORG', context })
  const sizes = sizesOf(purge, snapshot.configuration)
  const wanted = new Set(reasons)
  const task: LayoutTask = {
    snapshot,
    condition,
    strategy: purging((files) => staleFiles(files, wanted, { layout: snapshot.layout, context }), sizes),
    sizes,
    commit: {
      operation: 'REORG',
      operationParameters: {
        predicate: JSON.stringify(condition === undefined ? [] : [condition.text]),
        applyPurge: true,
      },
      ...(userMetadata !== undefined && { userMetadata }),
    },
    context,
  }
  const planned = await planLayout(task)
  const done = planOnly ? { versions: [], bins: [] } : await layOut(planned, task)
  return optimizeResult({ snapshot, plan: planned.plan, done, context, startMs })
}
