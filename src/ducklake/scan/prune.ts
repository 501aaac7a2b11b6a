/**
 * Which data files a predicate can match, asked of the catalog's statistics and partition values.
 *
 * The rule is the one Delta tables are skipped by. A bound whose text is not of the column's type keeps the file, and so
 * does a file without statistics.
 */
import { literalSql } from '../../engine/duckdb/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { type Comparison, type RuleColumn, type SkippingRule, skippingRule } from '../../kernel/index.ts'
import { type StructType, stringType } from '../../schema/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { LakeColumn } from '../snapshot/columns.ts'
import { leafType } from '../snapshot/types.ts'

/** Only types whose texts in the catalog, once cast, compare as the values do that a predicate sees. */
const PRUNABLE =
  /^(?:u?int(?:8|16|32|64)|float(?:32|64)|decimal\(.*\)|date|timestamp|timestamp_s|timestamp_ms|timestamptz|varchar|boolean)$/

/**
 * @param schema of the columns, which the filter is bound to
 * @returns SQL over the file's row `f` that is TRUE for every file with a matching row
 */
export function pruneSql(
  catalog: Catalog,
  filter: BoundExpression,
  { columns, schema }: { readonly columns: readonly LakeColumn[]; readonly schema: StructType },
): string {
  const layout = { schema, partitionColumns: [], columnMapping: 'none' } as const
  return new Pruner(catalog, columns).keep(skippingRule(filter, layout))
}

class Pruner {
  private readonly catalog: Catalog
  private readonly columns: readonly LakeColumn[]

  constructor(catalog: Catalog, columns: readonly LakeColumn[]) {
    this.catalog = catalog
    this.columns = columns
  }

  keep(rule: SkippingRule): string {
    switch (rule.kind) {
      case 'never':
        return 'false'
      case 'implied':
        return this.keep(rule.rule)
      case 'and':
      case 'or':
        return this.join(rule.rules, rule.kind)
      case 'compare':
      case 'in':
      case 'startsWith':
      case 'isNull':
      case 'isNotNull':
        return this.keepLeaf(rule)
      default:
        return 'true'
    }
  }

  private join(rules: readonly SkippingRule[], kind: 'and' | 'or'): string {
    if (rules.length === 0) return kind === 'and' ? 'true' : 'false'
    return `(${rules.map((rule) => this.keep(rule)).join(kind === 'and' ? ' AND ' : ' OR ')})`
  }

  private keepLeaf(rule: Extract<SkippingRule, { column: RuleColumn }>): string {
    const column = this.find(rule.column.path)
    if (column === undefined) return 'true'
    if (rule.kind === 'isNull') return this.unless(column, 's.null_count = 0')
    const nulls = 's.value_count = 0'
    const type = leafType(column.type)
    if (type === undefined || !PRUNABLE.test(column.type)) return this.unless(column, nulls)
    const low = `TRY_CAST(s.min_value AS ${type.sql})`
    const high = `TRY_CAST(s.max_value AS ${type.sql})`
    const excluded = this.excluded(rule, low, high)
    const byStats = this.unless(column, excluded === undefined ? nulls : `(${nulls} OR ${excluded})`)
    const partition = `TRY_CAST(p.partition_value AS ${type.sql})`
    const other = this.excluded(rule, partition, partition)
    return other === undefined ? byStats : `(${byStats} AND ${this.unlessPartition(column, other)})`
  }

  /** SQL: no value between two bounds fulfils the rule. */
  private excluded(rule: SkippingRule, low: string, high: string): string | undefined {
    if (rule.kind === 'compare') {
      return rule.orNaN ? undefined : outside(rule.op, { low, high }, literalSql(rule.value, rule.column.type))
    }
    if (rule.kind === 'in') {
      if (rule.values.length === 0) return 'true'
      return rule.values.map((value) => outside('=', { low, high }, literalSql(value, rule.column.type))).join(' AND ')
    }
    if (rule.kind !== 'startsWith') return undefined
    const prefix = literalSql(rule.prefix, stringType)
    return `(${high} < ${prefix} OR (${low} > ${prefix} AND NOT starts_with(${low}, ${prefix})))`
  }

  private find(path: readonly string[]): LakeColumn | undefined {
    let found: LakeColumn | undefined
    for (const name of path) found = (found?.children ?? this.columns).find((column) => column.name === name)
    return found
  }

  private unless(column: LakeColumn, excluded: string): string {
    return `NOT EXISTS (SELECT 1 FROM ${this.catalog.view('file_column_stats')} s
      WHERE s.data_file_id = f.data_file_id AND s.column_id = ${column.id} AND ${excluded})`
  }

  /** All rows of a file have the one value of an identity key. */
  private unlessPartition(column: LakeColumn, excluded: string): string {
    return `NOT EXISTS (SELECT 1 FROM ${this.catalog.view('file_partition_value')} p
      JOIN ${this.catalog.view('partition_column')} k
        ON k.partition_id = f.partition_id AND k.partition_key_index = p.partition_key_index
      WHERE p.data_file_id = f.data_file_id AND k.column_id = ${column.id} AND k.transform = 'identity' AND ${excluded})`
  }
}

function outside(op: Comparison, { low, high }: { low: string; high: string }, value: string): string {
  switch (op) {
    case '=':
      return `(${low} > ${value} OR ${high} < ${value})`
    case '<':
      return `${low} >= ${value}`
    case '<=':
      return `${low} > ${value}`
    case '>':
      return `${high} <= ${value}`
    case '>=':
      return `${high} < ${value}`
    default:
      return `(${low} = ${value} AND ${high} = ${value})`
  }
}
