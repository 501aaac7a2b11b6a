/**
 * Whether a file can hold a row that a rule asks for: kept unless its partition values or statistics prove otherwise.
 *
 * Source: Delta protocol, "Per-file Statistics"; `delta-protocol`, statistics and skipping.
 */
import { compileEvaluator } from '../../expressions/index.ts'
import type { DataType, Value } from '../../schema/index.ts'
import { compareText } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { compareValues } from '../partition/compare-values.ts'
import { parsePartitionValue } from '../partition/partition-value.ts'
import { type ParsedStats, parseStats } from '../statistics/parse-stats.ts'
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

/** Files whose statistics were asked for, with what they say, for as long as somebody holds the file. */
const parsed = new WeakMap<AddFile, ParsedStats>()

export function statsOf(file: AddFile): ParsedStats {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const stats = parseStats(file.stats)
  parsed.set(file, stats)
  return stats
}

/** Whether some row of the file may make the rule true. Statistics are parsed once a file. */
export function fileMayMatch(rule: SkippingRule, file: AddFile): boolean {
  return disprove(rule, file) === undefined
}

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

/** @returns the proof that no row of the file makes the rule true, or undefined when there is none */
export function disprove(rule: SkippingRule, file: AddFile): Proof | undefined {
  switch (rule.kind) {
    case 'keep':
      return undefined
    case 'never':
      return { kind: 'never' }
    case 'and':
      return firstProof(rule.rules, file)
    case 'or':
      return proofOfEach(rule.rules, file)
    case 'implied': {
      const proof = disprove(rule.rule, file)
      return proof && { kind: 'implied', by: rule.by, proof }
    }
    case 'partitionPredicate':
      return disproveByPredicate(rule, file)
    default:
      return rule.column.partition ? disproveByPartition(rule, file) : disproveByStats(rule, statsOf(file))
  }
}

function firstProof(rules: readonly SkippingRule[], file: AddFile): Proof | undefined {
  for (const rule of rules) {
    const proof = disprove(rule, file)
    if (proof !== undefined) return proof
  }
  return undefined
}

function proofOfEach(rules: readonly SkippingRule[], file: AddFile): Proof | undefined {
  const proofs: Proof[] = []
  for (const rule of rules) {
    const proof = disprove(rule, file)
    if (proof === undefined) return undefined
    proofs.push(proof)
  }
  return { kind: 'each', proofs }
}

function disproveByPartition(rule: ColumnRule, file: AddFile): Proof | undefined {
  const { column } = rule
  let found: Value
  try {
    found = parsePartitionValue(file.partitionValues.get(column.path[0]!), column.type)
  } catch {
    return undefined
  }
  return partitionMatches(rule, found) === false ? { kind: 'partition', column, found, rule } : undefined
}

type PartitionPredicate = Extract<SkippingRule, { readonly kind: 'partitionPredicate' }>

/** Predicates over partition columns, compiled once a rule. */
const compiled = new WeakMap<PartitionPredicate, (row: readonly Value[]) => Value>()

function disproveByPredicate(rule: PartitionPredicate, file: AddFile): Proof | undefined {
  try {
    const found = rule.columns.map(({ column }) => ({
      column,
      value: parsePartitionValue(file.partitionValues.get(column.path[0]!), column.type),
    }))
    const row: Value[] = []
    for (const [i, { ordinal }] of rule.columns.entries()) row[ordinal] = found[i]!.value
    return evaluatorOf(rule)(row) === rule.wanted ? undefined : { kind: 'partitionPredicate', found }
  } catch {
    // a value that cannot be read, or an expression that fails for it: whoever reads the rows reports it
    return undefined
  }
}

function evaluatorOf(rule: PartitionPredicate): (row: readonly Value[]) => Value {
  const known = compiled.get(rule)
  if (known !== undefined) return known
  const evaluator = compileEvaluator(rule.predicate)
  compiled.set(rule, evaluator)
  return evaluator
}

/** @returns undefined where the values cannot be compared */
function partitionMatches(rule: ColumnRule, found: Value): boolean | undefined {
  if (rule.kind === 'isNull') return found === null
  if (found === null) return false
  switch (rule.kind) {
    case 'isNotNull':
      return true
    case 'startsWith':
      return typeof found === 'string' ? found.startsWith(rule.prefix) : undefined
    case 'in':
      return anyWithin(rule, found, found)
    case 'compare':
      return holds(found, rule.op, rule.value, rule.column)
    case 'cycle':
      return undefined
  }
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
function anyWithin(rule: InRule, min: NonNull | undefined, max: NonNull | undefined): boolean {
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

function holds(left: NonNull, op: Comparison, right: NonNull, column: RuleColumn): boolean | undefined {
  const order = compareValues(left, right, column.type)
  if (order === undefined) return undefined
  switch (op) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

function disproveByStats(rule: ColumnRule, stats: RowStatistics): Proof | undefined {
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

/** The part of a rule that partition values alone can answer; everything else is kept. */
export function partitionRule(rule: SkippingRule): SkippingRule {
  switch (rule.kind) {
    case 'keep':
    case 'never':
    case 'partitionPredicate':
      return rule
    case 'and':
    case 'or':
      return { kind: rule.kind, rules: rule.rules.map(partitionRule) }
    case 'implied':
      return { ...rule, rule: partitionRule(rule.rule) }
    default:
      return rule.column.partition ? rule : { kind: 'keep', reason: `${rule.column.name.join('.')} is in the files` }
  }
}
