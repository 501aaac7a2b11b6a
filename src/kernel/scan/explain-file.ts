/** Why a file was kept or dropped, in words. */
import { type Value, valueToText } from '../../schema/index.ts'
import { compareText } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { hasBounds } from '../statistics/select-columns.ts'
import type { ColumnRule, Proof } from './disprove-by-stats.ts'
import { disprove, statsOf } from './file-may-match.ts'
import type { RuleColumn, SkippingRule } from './skipping-rule.ts'

export interface FileExplanation {
  readonly kept: boolean
  /** `partition country is FR, not DE`, `order_id 1000–1020 cannot be 1043`, `kept: no statistics for month` … */
  readonly reason: string
}

/** What a rule makes of one file. Proofs name the first ground found, not every one. */
export function explainFile(rule: SkippingRule, file: AddFile): FileExplanation {
  const proof = disprove(rule, file)
  return proof === undefined
    ? { kept: true, reason: `kept: ${keptReason(rule, file)}` }
    : { kept: false, reason: proofText(proof) }
}

function proofText(proof: Proof): string {
  switch (proof.kind) {
    case 'never':
      return 'the predicate is true for no row'
    case 'empty':
      return 'the file has no rows'
    case 'each':
      return [...new Set(proof.proofs.map(proofText))].join('; ')
    case 'implied':
      return impliedText(proof)
    case 'partition':
      return partitionText(proof.column, proof.found, proof.rule)
    case 'partitionPredicate': {
      const values = proof.found.map(({ column, value }) => `${nameOf(column)} is ${valueText(value, column)}`)
      return `partition ${[...new Set(values)].join(', ')}, for which the predicate is not true`
    }
    case 'nulls':
      return `${nameOf(proof.column)} is ${proof.all ? 'always' : 'never'} null here`
    case 'range':
      return `${nameOf(proof.column)} ${rangeText(proof)} ${wantedText(proof.rule, 'cannot')}`
  }
}

/** The bounds of the column once, and the part of the predicate as it is written. */
function impliedText({ by, proof }: Extract<Proof, { kind: 'implied' }>): string {
  const inner = proof.kind === 'each' ? (proof.proofs.find(({ kind }) => kind === 'range') ?? proof) : proof
  switch (inner.kind) {
    case 'range':
      return `${nameOf(inner.column)} ${rangeText(inner)} cannot give ${by}`
    case 'each':
    case 'partition': {
      const partition = inner.kind === 'each' ? inner.proofs.find(({ kind }) => kind === 'partition') : inner
      if (partition?.kind !== 'partition') return proofText(inner)
      const { column, found } = partition
      return `partition ${nameOf(column)} is ${valueText(found, column)}, which does not give ${by}`
    }
    default:
      return proofText(inner)
  }
}

function partitionText(column: RuleColumn, found: Value, rule: ColumnRule): string {
  const is = `partition ${nameOf(column)} is ${valueText(found, column)}`
  return rule.kind === 'compare' && rule.op === '!=' ? is : `${is}, ${wantedText(rule, 'not')}`
}

function rangeText({ column, min, max }: Extract<Proof, { kind: 'range' }>): string {
  if (min !== undefined && max !== undefined) {
    const [low, high] = [valueText(min, column), valueText(max, column)]
    return low === high ? low : `${low}–${high}`
  }
  return min === undefined ? `up to ${valueText(max!, column)}` : `from ${valueText(min, column)}`
}

/** What the rule asks of a column, behind `not` or `cannot be`. */
function wantedText(rule: ColumnRule, negation: 'not' | 'cannot'): string {
  const be = negation === 'cannot' ? 'cannot be' : 'not'
  switch (rule.kind) {
    case 'compare':
      return `${be} ${rule.op === '=' ? '' : `${rule.op === '!=' ? 'other than' : rule.op} `}${valueText(rule.value, rule.column)}`
    case 'in':
      return `${be} ${listText(rule.values.map((value) => valueText(value, rule.column)))}`
    case 'startsWith':
      return negation === 'cannot' ? `cannot begin with ${rule.prefix}` : `and does not begin with ${rule.prefix}`
    case 'cycle':
      return `${be} so`
    case 'isNull':
      return `${be} null`
    case 'isNotNull':
      return `${be} other than null`
  }
}

/** Long lists are cut: the reason is for reading. */
function listText(items: readonly string[]): string {
  return items.length <= 5 ? items.join(' or ') : `${items.slice(0, 5).join(', ')} or ${items.length - 5} more`
}

function keptReason(rule: SkippingRule, file: AddFile): string {
  const grounds = rule.kind === 'and' || rule.kind === 'or' ? rule.rules : [rule]
  const reasons = grounds.map((ground) => groundReason(ground, file)).filter((reason) => reason !== undefined)
  return reasons.length === 0 ? 'may hold a match' : [...new Set(reasons)].join('; ')
}

/** @returns undefined where the file really may hold a match */
function groundReason(rule: SkippingRule, file: AddFile): string | undefined {
  switch (rule.kind) {
    case 'keep':
      return rule.reason
    case 'and':
    case 'or':
      return keptReason(rule, file)
    case 'implied':
      return groundReason(rule.rule, file)
    case 'never':
    case 'partitionPredicate':
      return undefined
    default:
      return rule.column.partition ? undefined : missingReason(rule, file)
  }
}

function missingReason(rule: ColumnRule, file: AddFile): string | undefined {
  const { column } = rule
  const stats = statsOf(file)
  const noStats = `no statistics for ${nameOf(column)}`
  if (rule.kind === 'isNull' || rule.kind === 'isNotNull') {
    return stats.nullCount(column.path) === undefined ? noStats : undefined
  }
  if (!hasBounds(column.type)) return noStats
  const bounds = (['min', 'max'] as const).map((side) => stats.bound(side, column.path, column.type))
  if (bounds.every((bound) => bound === undefined)) return noStats
  return isCutMatch(rule, bounds) ? 'bounds were cut' : undefined
}

const SHORTEST_CUT = 32

/** Whether a text lies between bounds that begin as it does and were cut before they could tell. */
function isCutMatch(rule: ColumnRule, bounds: readonly unknown[]): boolean {
  if (rule.kind !== 'compare' || typeof rule.value !== 'string') return false
  const { value } = rule
  return bounds.some((bound) => {
    if (typeof bound !== 'string' || bound.length < SHORTEST_CUT) return false
    return compareText(bound.slice(0, SHORTEST_CUT - 1), value.slice(0, SHORTEST_CUT - 1)) === 0
  })
}

function nameOf(column: RuleColumn): string {
  return column.name.join('.')
}

function valueText(value: Value, column: RuleColumn): string {
  return value === null ? 'null' : valueToText(value, column.type)
}
