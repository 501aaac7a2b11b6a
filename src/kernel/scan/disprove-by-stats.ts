/**
 * What statistics prove of a rule: of a file by the log, of a row group by a footer.
 *
 * Source: Delta protocol, "Per-file Statistics"; `delta-protocol`, statistics and skipping.
 */
import { compileEvaluator } from '../../expressions/index.ts'
import type { DataType, Value } from '../../schema/index.ts'
import { compareText } from '../../support/index.ts'
import { compareValues } from '../partition/compare-values.ts'
import type { ParsedStats } from '../statistics/parse-stats.ts'
import { rowWith } from './invert.ts'
import type { Comparison, RuleColumn, SkippingRule } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

/** Why no row of a file can match. */
export type Proof =
  | { readonly kind: 'never' }
  | { readonly kind: 'empty' }
  /** what a part of the predicate says in another way is ruled out */
  | { readonly kind: 'implied'; readonly by: string; readonly proof: Proof }
  /** every alternative is ruled out */
  | { readonly kind: 'each'; readonly proofs: readonly Proof[] }
  | { readonly kind: 'partition'; readonly column: RuleColumn; readonly found: Value; readonly rule: ColumnRule }
  | {
      readonly kind: 'partitionPredicate'
      readonly found: readonly { readonly column: RuleColumn; readonly value: Value }[]
    }
  | { readonly kind: 'nulls'; readonly column: RuleColumn; readonly all: boolean }
  | {
      readonly kind: 'range'
      readonly column: RuleColumn
      readonly min: NonNull | undefined
      readonly max: NonNull | undefined
      readonly rule: ColumnRule
    }

export type ColumnRule = Extract<SkippingRule, { readonly column: RuleColumn }>
type RangeRule = Exclude<ColumnRule, { readonly kind: 'isNull' | 'isNotNull' }>
type InRule = Extract<SkippingRule, { readonly kind: 'in' }>
type CycleRule = Extract<SkippingRule, { readonly kind: 'cycle' }>

/** What is known of some rows: of a file by the log, of a row group by a footer. Paths are physical names. */
export type RowStatistics = Pick<ParsedStats, 'numRecords' | 'nullCount' | 'bound'>

/** Whether some of the rows may make the rule true, whatever their partition is. */
export function rowsMayMatch(rule: SkippingRule, statistics: RowStatistics): boolean {
  switch (rule.kind) {
    case 'never':
      return false
    case 'keep':
    case 'partitionPredicate':
      return true
    case 'and':
      return rule.rules.every((inner) => rowsMayMatch(inner, statistics))
    case 'or':
      return rule.rules.some((inner) => rowsMayMatch(inner, statistics))
    case 'implied':
      return rowsMayMatch(rule.rule, statistics)
    default:
      return rule.column.partition || disproveByStats(rule, statistics) === undefined
  }
}

/** @returns the proof that none of the rows makes the rule true; the rule is not of a partition column */
export function disproveByStats(rule: ColumnRule, stats: RowStatistics): Proof | undefined {
  const { column } = rule
  if (stats.numRecords === 0n) return { kind: 'empty' }
  const nulls = stats.nullCount(column.path)
  const allNull = nulls !== undefined && nulls === stats.numRecords
  if (rule.kind === 'isNull') return nulls === 0n ? { kind: 'nulls', column, all: false } : undefined
  if (allNull) return { kind: 'nulls', column, all: true }
  return isRangeRule(rule) ? disproveByRange(rule, stats) : undefined
}

/** Bounds within one period are as far apart as all the values of the expression are. */
function cycleMayMatch(rule: CycleRule, min: NonNull | undefined, max: NonNull | undefined): boolean {
  if (min === undefined || max === undefined) return true
  const { expression, period, value, op, ordinals } = rule
  const at = cycleEvaluators(rule)
  try {
    const [low, high] = [rowWith(ordinals, min), rowWith(ordinals, max)]
    const [from, to] = [at.period(low), at.period(high)]
    const [a, b] = [at.expression(low), at.expression(high)]
    if (from === null || to === null || a === null || b === null) return true
    if (compareValues(from, to, period.type as DataType) !== 0) return true
    const type = expression.type as DataType
    const order = compareValues(a, b, type)
    if (order === undefined) return true
    return order <= 0 ? comparisonMayMatch(type, op, value, a, b) : comparisonMayMatch(type, op, value, b, a)
  } catch {
    return true
  }
}

interface CycleEvaluators {
  readonly expression: (row: readonly Value[]) => Value
  readonly period: (row: readonly Value[]) => Value
}

const cycles = new WeakMap<CycleRule, CycleEvaluators>()

function cycleEvaluators(rule: CycleRule): CycleEvaluators {
  const known = cycles.get(rule)
  if (known !== undefined) return known
  const made = { expression: compileEvaluator(rule.expression), period: compileEvaluator(rule.period) }
  cycles.set(rule, made)
  return made
}

function isRangeRule(rule: ColumnRule): rule is RangeRule {
  if (rule.kind === 'compare') return !rule.orNaN
  return rule.kind === 'in' || rule.kind === 'startsWith' || rule.kind === 'cycle'
}

function disproveByRange(rule: RangeRule, stats: RowStatistics): Proof | undefined {
  const { column } = rule
  const min = stats.bound('min', column.path, column.type)
  const max = stats.bound('max', column.path, column.type)
  return rangeMayMatch(rule, min, max) ? undefined : { kind: 'range', column, min, max, rule }
}

function rangeMayMatch(rule: RangeRule, min: NonNull | undefined, max: NonNull | undefined): boolean {
  if (rule.kind === 'startsWith') return prefixMayMatch(rule.prefix, min, max)
  if (rule.kind === 'cycle') return cycleMayMatch(rule, min, max)
  const { type } = rule.column
  if (rule.kind === 'in') return anyWithin(rule, min, max)
  return comparisonMayMatch(type, rule.op, rule.value, min, max)
}

function comparisonMayMatch(
  type: DataType,
  op: Comparison,
  value: NonNull,
  min: NonNull | undefined,
  max: NonNull | undefined,
): boolean {
  const below = min === undefined ? undefined : compareValues(min, value, type)
  const above = max === undefined ? undefined : compareValues(max, value, type)
  switch (op) {
    case '=':
      return !((below !== undefined && below > 0) || (above !== undefined && above < 0))
    case '!=':
      return !(below === 0 && above === 0)
    case '<':
      return !(below !== undefined && below >= 0)
    case '<=':
      return !(below !== undefined && below > 0)
    case '>':
      return !(above !== undefined && above <= 0)
    case '>=':
      return !(above !== undefined && above < 0)
  }
}

function prefixMayMatch(prefix: string, min: NonNull | undefined, max: NonNull | undefined): boolean {
  if (typeof max === 'string' && compareText(max, prefix) < 0) return false
  return !(typeof min === 'string' && compareText(min, prefix) > 0 && !min.startsWith(prefix))
}

/** Values of a list in order, sorted once a list. */
const sorted = new WeakMap<InRule, readonly NonNull[]>()

function inOrder(rule: InRule): readonly NonNull[] {
  const known = sorted.get(rule)
  if (known !== undefined) return known
  const values = [...rule.values].sort((a, b) => compareValues(a, b, rule.column.type) ?? 0)
  sorted.set(rule, values)
  return values
}

/** Whether a value of the list lies between bounds, by halving: a lookup may name many. An absent bound is open. */
export function anyWithin(rule: InRule, min: NonNull | undefined, max: NonNull | undefined): boolean {
  const values = inOrder(rule)
  const { type } = rule.column
  let [low, high] = [0, values.length]
  while (min !== undefined && low < high) {
    const middle = (low + high) >> 1
    if ((compareValues(values[middle]!, min, type) ?? 0) < 0) low = middle + 1
    else high = middle
  }
  const first = values[low]
  return first !== undefined && (max === undefined || (compareValues(first, max, type) ?? 0) <= 0)
}
