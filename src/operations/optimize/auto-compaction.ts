/**
 * Compaction behind a write, for tables that ask for it by `delta.autoOptimize.autoCompact`.
 *
 * Only partitions that the write touched are looked at, and only those with many small files are packed, in a commit of
 * its own after the write's. It never fails the write: what goes wrong is told of as a warning. Source: the reference's
 * automatic compaction.
 */
import { causeText } from '../../errors/index.ts'
import { type AddFile, findProperty, partitionKey, readCommit, type Snapshot } from '../../kernel/index.ts'
import type { OperationContext } from '../context.ts'
import { tableTargetSize } from '../write/write-plan.ts'
import { groupByPartition, partitionColumns } from './bins.ts'
import { layOut, planLayout } from './lay-out.ts'
import { compaction, type LayoutStrategy } from './strategy.ts'

const MIB = 1024 * 1024
/** Small files of a partition from which on they are packed. */
const MANY_FILES = 50
const MAX_FILE_BYTES = 128 * MIB

/**
 * Packs small files of the partitions that a commit wrote to, where the table asks for it.
 *
 * @param version of the commit
 */
export async function compactBehind(version: number, context: OperationContext): Promise<void> {
  try {
    await context.withSnapshot(undefined, async (snapshot) => {
      if (asksForIt(snapshot)) await compactTouched(snapshot, version, context)
    })
  } catch (error) {
    context.warn(`the compaction after version ${version} was not done: ${causeText(error)}`)
  }
}

function asksForIt({ configuration }: Snapshot): boolean {
  const wish = findProperty(configuration, 'autoOptimize.autoCompact') ?? findProperty(configuration, 'autoOptimize')
  return wish !== undefined && /^(true|auto)$/i.test(wish.trim())
}

async function compactTouched(snapshot: Snapshot, version: number, context: OperationContext): Promise<void> {
  const touched = await touchedPartitions(snapshot, version, context)
  if (touched.size === 0) return
  const maxFileSize = Math.min(tableTargetSize(snapshot.configuration) ?? MAX_FILE_BYTES, MAX_FILE_BYTES)
  const sizes = {
    minFileSize: Math.ceil(maxFileSize / 2),
    maxFileSize,
    maxDeletedRowsRatio: 1,
    batchSize: Number.POSITIVE_INFINITY,
  }
  const task = {
    snapshot,
    condition: undefined,
    strategy: onlyWhereMany(compaction(sizes), touched, snapshot),
    sizes,
    commit: {
      operation: 'OPTIMIZE',
      operationParameters: { predicate: '[]', zOrderBy: '[]', clusterBy: '[]', auto: true },
    },
    context,
  }
  const planned = await planLayout(task)
  await layOut(planned, task)
}

/** The partitions that a commit added rows to; none where it added none. */
async function touchedPartitions(
  { layout }: Snapshot,
  version: number,
  { store, options }: OperationContext,
): Promise<ReadonlySet<string>> {
  const { signal } = options
  const { actions } = await readCommit(store, version, signal && { signal })
  const added = actions.flatMap((action) => ('add' in action && action.add.dataChange ? [action.add] : []))
  return new Set(groupByPartition(added, layout).keys())
}

/** Packs partitions that were touched and have many small files; the others stay. */
function onlyWhereMany(strategy: LayoutStrategy, touched: ReadonlySet<string>, { layout }: Snapshot): LayoutStrategy {
  const columns = partitionColumns(layout)
  // files that are sorted with others stay sorted
  const isTouched = ({ partitionValues, clusteringProvider }: AddFile) =>
    clusteringProvider === undefined && touched.has(partitionKey(partitionValues, columns))
  return {
    ...strategy,
    choose: async (files) => await strategy.choose(files.filter(isTouched)),
    prepare: (files) => (files.length >= MANY_FILES ? strategy.prepare(files) : []),
    takesAlone: () => false,
  }
}
