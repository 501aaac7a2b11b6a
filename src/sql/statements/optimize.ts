/** OPTIMIZE and REORG … APPLY (PURGE): one row, the path and what was done, with the reference's columns. */
import { deltaError } from '../../errors/index.ts'
import type { OptimizeMetrics, OptimizeResult } from '../../operations/index.ts'
import {
  booleanType,
  type DataType,
  doubleType,
  field,
  longType,
  stringType,
  structType,
  type Value,
} from '../../schema/index.ts'
import { rowsResult, type SqlResult } from '../result.ts'
import type { Execute } from './statement-context.ts'
import { printedPath } from './table-path.ts'

/** @throws DeltaError what `DeltaTable.optimize` throws */
export const executeOptimize: Execute<'optimize'> = async (statement, context) => {
  const { full, where, zorderBy } = statement
  const location = context.locate(statement.table)
  const result = await context.backend.execute(
    {
      kind: 'optimize',
      table: { location },
      full,
      zorderBy,
      ...(where !== undefined && { where: context.atTime(where) }),
      ...context.settings.layoutSizes,
      ...context.settings.commit,
    },
    context.options,
  )
  return metricsRow(location, result)
}

/** @throws DeltaError what `DeltaTable.purge` throws; `LAKE_STATEMENT_UNSUPPORTED` for other forms of REORG */
export const executeReorg: Execute<'reorg'> = async ({ table, where, apply }, context) => {
  if (apply.kind !== 'purge') {
    throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: 'REORG TABLE … APPLY (UPGRADE UNIFORM …)' })
  }
  const location = context.locate(table)
  const result = await context.backend.execute(
    {
      kind: 'reorg',
      table: { location },
      ...(where !== undefined && { where: context.atTime(where) }),
      ...context.settings.layoutSizes,
      ...context.settings.commit,
    },
    context.options,
  )
  return metricsRow(location, result)
}

type Fields = readonly (readonly [name: string, type: DataType, nullable?: boolean])[]

function required(fields: Fields) {
  return structType(fields.map(([name, type, nullable = false]) => field(name, type, nullable)))
}

const sizes = required([
  ['min', longType, true],
  ['max', longType, true],
  ['avg', doubleType],
  ['totalFiles', longType],
  ['totalSize', longType],
])
const counted = (name: string) =>
  required([
    [name, longType],
    ['size', longType],
  ])
const zOrder = required([
  ['strategyName', stringType, true],
  ['inputCubeFiles', counted('num'), true],
  ['inputOtherFiles', counted('num'), true],
  ['inputNumCubes', longType],
  ['mergedFiles', counted('num'), true],
  ['numOutputCubes', longType],
  ['mergedNumCubes', longType, true],
])
const clustering = required([
  ['inputZCubeFiles', counted('numFiles'), true],
  ['inputOtherFiles', counted('numFiles'), true],
  ['inputNumZCubes', longType],
  ['mergedFiles', counted('numFiles'), true],
  ['numOutputZCubes', longType],
])
const parallelism = required([
  ['maxClusterActiveParallelism', longType, true],
  ['minClusterActiveParallelism', longType, true],
  ['maxSessionActiveParallelism', longType, true],
  ['minSessionActiveParallelism', longType, true],
])
const vectors = required([
  ['numDeletionVectorsRemoved', longType],
  ['numDeletionVectorRowsRemoved', longType],
])

const METRICS = required([
  ['numFilesAdded', longType],
  ['numFilesRemoved', longType],
  ['filesAdded', sizes, true],
  ['filesRemoved', sizes, true],
  ['partitionsOptimized', longType],
  ['zOrderStats', zOrder, true],
  ['clusteringStats', clustering, true],
  ['numBins', longType],
  ['numBatches', longType],
  ['totalConsideredFiles', longType],
  ['totalFilesSkipped', longType],
  ['preserveInsertionOrder', booleanType],
  ['numFilesSkippedToReduceWriteAmplification', longType],
  ['numBytesSkippedToReduceWriteAmplification', longType],
  ['startTimeMs', longType],
  ['endTimeMs', longType],
  ['totalClusterParallelism', longType],
  ['totalScheduledTasks', longType],
  ['autoCompactParallelismStats', parallelism, true],
  ['deletionVectorStats', vectors, true],
  ['numTableColumns', longType],
  ['numTableColumnsWithStats', longType],
])

const ROW = structType([field('path', stringType), field('metrics', METRICS)])

function metricsRow(location: string, { metrics }: OptimizeResult): SqlResult {
  return rowsResult(ROW, [[printedPath(location), metricValue(metrics, METRICS)]])
}

type Metric = OptimizeMetrics | { readonly [name: string]: unknown } | number | string | boolean | null

/** A metric as the value of its type: whole numbers are longs. */
function metricValue(metric: Metric, type: DataType): Value {
  if (metric === null) return null
  if (type.kind === 'struct') {
    const members = new Map(Object.entries(metric as { readonly [name: string]: Metric }))
    return type.fields.map(({ name, type: member }) => metricValue(members.get(name) ?? null, member))
  }
  return type.kind === 'long' ? BigInt(metric as number) : (metric as Value)
}
