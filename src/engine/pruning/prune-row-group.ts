/**
 * Whether a row group can hold a row that a filter keeps, by the null counts and bounds in its footer.
 *
 * The filter is asked as the rule that files are skipped by, so both know the same functions and the same traps.
 */
import type { BoundExpression } from '../../expressions/index.ts'
import { rowsMayMatch, type SkippingRule, skippingRule, type TableLayout } from '../../kernel/index.ts'
import { groupStatistics, type ParquetReader, type RowGroup } from '../../parquet/index.ts'

interface KnownRule {
  readonly layout: TableLayout
  readonly rule: SkippingRule
}

/** The rule of a filter, made once a scan. */
const rules = new WeakMap<BoundExpression, KnownRule>()

function ruleOf(filter: BoundExpression, layout: TableLayout): SkippingRule {
  const known = rules.get(filter)
  if (known?.layout === layout) return known.rule
  const rule = skippingRule(filter, layout)
  rules.set(filter, { layout, rule })
  return rule
}

/**
 * Partition columns, and all columns of a table that maps them by id, keep the row group: files call these otherwise.
 *
 * @returns false only on proof
 */
export function mayMatch(
  filter: BoundExpression,
  reader: ParquetReader,
  group: RowGroup,
  layout: TableLayout,
): boolean {
  if (layout.columnMapping === 'id') return true
  return rowsMayMatch(ruleOf(filter, layout), groupStatistics(reader, group))
}
