/** Statistics of leaves of a file that its footer does not prove, from its rows. */
import { type ColumnStatistics, compareValues, type StatisticsLeaf } from '../kernel/index.ts'
import type { Row, Value } from '../schema/index.ts'
import type { Engine, EngineOptions, ScanPlan } from './engine.ts'

/**
 * Reads the columns of the leaves once; of each value only the bounds are kept.
 *
 * @param plan the file; its columns do not count
 * @param leaves of the plan's layout
 * @throws DeltaError the codes of `Engine.scan`
 */
export async function leafStatistics(
  engine: Engine,
  plan: ScanPlan,
  leaves: readonly StatisticsLeaf[],
  options?: EngineOptions,
): Promise<readonly ColumnStatistics[]> {
  const columns = [...new Set(leaves.map(({ ordinals }) => ordinals[0]!))]
  const found = leaves.map((leaf) => ({ leaf, nullCount: 0, min: null as Value, max: null as Value }))
  for await (const batch of engine.scan({ ...plan, columns }, options)) {
    for (const statistics of found) {
      const { leaf } = statistics
      const [top, ...inner] = leaf.ordinals
      for (const value of batch.column(columns.indexOf(top!))) addValue(statistics, memberOf(value, inner))
    }
  }
  return found.map(({ leaf, ...values }) => ({ path: leaf.path, type: leaf.type, ...values }))
}

/** A member of a null struct is null. */
function memberOf(value: Value, ordinals: readonly number[]): Value {
  let member = value
  for (const ordinal of ordinals) {
    if (member === null) return null
    member = (member as Row)[ordinal] ?? null
  }
  return member
}

function addValue(
  statistics: { readonly leaf: StatisticsLeaf; nullCount: number; min: Value; max: Value },
  value: Value,
) {
  const { leaf } = statistics
  if (value === null) statistics.nullCount++
  if (value === null || !leaf.hasBounds) return
  if (statistics.min === null || compareValues(value, statistics.min, leaf.type)! < 0) statistics.min = value
  if (statistics.max === null || compareValues(value, statistics.max, leaf.type)! > 0) statistics.max = value
}
