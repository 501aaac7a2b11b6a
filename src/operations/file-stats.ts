/** Statistics of a file that was written elsewhere: from its footer where that proves them, else from its rows. */
import { type FileFooter, leafStatistics } from '../engine/index.ts'
import {
  type AddFile,
  type ColumnStatistics,
  formatStats,
  type StatisticsLeaf,
  type TableLayout,
} from '../kernel/index.ts'
import type { OperationContext } from './context.ts'

export interface StatisticsGround {
  readonly layout: TableLayout
  /** the columns that get statistics */
  readonly leaves: readonly StatisticsLeaf[]
  readonly stringPrefixLength: number
  readonly context: OperationContext
}

/**
 * `add.stats` of a file, exact over all of its rows; those that a deletion vector hides count too.
 *
 * @throws DeltaError the codes of `Engine.scan`
 */
export async function fileStats(file: AddFile, footer: FileFooter, ground: StatisticsGround): Promise<string> {
  const { leaves, stringPrefixLength } = ground
  const known = leaves.map((leaf) => footerStatistics(leaf, footer))
  const unknown = leaves.filter((_, i) => known[i] === undefined)
  const read = unknown.length === 0 ? [] : await rowStatistics(file, unknown, ground)
  return formatStats({
    numRecords: footer.numRecords,
    columns: leaves.map((leaf, i) => known[i] ?? read[unknown.indexOf(leaf)]!),
    stringPrefixLength,
    ...(file.deletionVector !== undefined && { tightBounds: false }),
  })
}

async function rowStatistics(
  { deletionVector: _, ...file }: AddFile,
  leaves: readonly StatisticsLeaf[],
  { layout, context }: StatisticsGround,
): Promise<readonly ColumnStatistics[]> {
  const { store, engine, options } = context
  return await leafStatistics(engine, { store, layout, files: [file], columns: [] }, leaves, options)
}

function footerStatistics(leaf: StatisticsLeaf, footer: FileFooter): ColumnStatistics | undefined {
  const { path, type, hasBounds } = leaf
  const isThere = footer.schema.fields.some(({ name }) => name === path[0])
  const nullCount = isThere ? footer.nullCount(path) : footer.numRecords
  if (nullCount === undefined) return undefined
  if (!hasBounds || nullCount === footer.numRecords) return { path, type, nullCount }
  const min = footer.bound('min', path, type)
  const max = footer.bound('max', path, type)
  return min === undefined || max === undefined ? undefined : { path, type, nullCount, min, max }
}
