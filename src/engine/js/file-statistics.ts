/** Statistics of a file while its rows are written: exact bounds, and how many rows have a null. */
import {
  type ColumnStatistics,
  compareValues,
  formatStats,
  type StatisticsLeaf,
  statisticsLeaves,
} from '../../kernel/index.ts'
import type { Row, Value } from '../../schema/index.ts'
import type { WritePlan } from '../index.ts'

interface LeafStatistics {
  readonly leaf: StatisticsLeaf
  nullCount: number
  min: Value
  max: Value
}

export class FileStatistics {
  private readonly plan: WritePlan
  private readonly leaves: readonly LeafStatistics[]
  numRecords = 0

  constructor(plan: WritePlan) {
    this.plan = plan
    this.leaves = statisticsLeaves(plan.layout, plan.statistics).map((leaf) => ({
      leaf,
      nullCount: 0,
      min: null,
      max: null,
    }))
  }

  /** @param row of the table's schema */
  add(row: Row): void {
    this.numRecords++
    for (const statistics of this.leaves) addValue(statistics, valueAt(row, statistics.leaf.ordinals))
  }

  /** JSON text for `add.stats`. */
  format(): string {
    const { tightBounds, statistics } = this.plan
    return formatStats({
      numRecords: this.numRecords,
      columns: this.leaves.map(toColumn),
      stringPrefixLength: statistics.stringPrefixLength,
      ...(tightBounds !== undefined && { tightBounds }),
    })
  }
}

function toColumn({ leaf, nullCount, min, max }: LeafStatistics): ColumnStatistics {
  return { path: leaf.path, type: leaf.type, nullCount, min, max }
}

/** A member of a null struct is null. */
function valueAt(row: Row, ordinals: readonly number[]): Value {
  let value: Value = row
  for (const ordinal of ordinals) {
    if (value === null) return null
    value = (value as Row)[ordinal] ?? null
  }
  return value
}

function addValue(statistics: LeafStatistics, value: Value): void {
  const { leaf } = statistics
  if (value === null) statistics.nullCount++
  if (value === null || !leaf.hasBounds) return
  if (statistics.min === null || compareValues(value, statistics.min, leaf.type)! < 0) statistics.min = value
  if (statistics.max === null || compareValues(value, statistics.max, leaf.type)! > 0) statistics.max = value
}
