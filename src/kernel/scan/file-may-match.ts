/**
 * Whether a file can hold a row that a rule asks for: kept unless its partition values or statistics prove otherwise.
 *
 * Source: Delta protocol, "Per-file Statistics"; `delta-protocol`, statistics and skipping.
 */
import { compileEvaluator } from '../../expressions/index.ts'
import type { Value } from '../../schema/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { compareValues } from '../partition/compare-values.ts'
import { parsePartitionValue } from '../partition/partition-value.ts'
import { type ParsedStats, parseStats } from '../statistics/parse-stats.ts'
import { anyWithin, type ColumnRule, disproveByStats, type Proof } from './disprove-by-stats.ts'
import type { Comparison, RuleColumn, SkippingRule } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

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
