/** Rules put together: what bounds can prove of a comparison, rules joined by AND and OR. */
import type { Value } from '../../schema/index.ts'
import { hasBounds } from '../statistics/select-columns.ts'
import type { Preimage, ValueRange } from './invert.ts'
import type { LaidOutColumn } from './rule-column.ts'
import type { Comparison, RuleColumn, SkippingRule } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

export const NEVER: SkippingRule = { kind: 'never' }

export function keep(reason: string): SkippingRule {
  return { kind: 'keep', reason }
}

/** What bounds can prove of a comparison; where a type's bounds prove less, the weaker question is asked. */
export function compareRule({ column, stored }: LaidOutColumn, op: Comparison, value: NonNull): SkippingRule {
  if (stored === 'char') return paddedRule(column, op, String(value))
  if (stored === 'float' && !column.partition) return roundedRule(column, op, value as number)
  return plainRule(column, op, value)
}

function plainRule(column: RuleColumn, op: Comparison, value: NonNull): SkippingRule {
  if (column.partition) return { kind: 'compare', column, op, value }
  if (!hasBounds(column.type)) return { kind: 'isNotNull', column }
  switch (column.type.kind) {
    case 'float':
    case 'double':
      return floatingRule(column, op, value as number)
    case 'string':
    case 'timestamp':
    case 'timestamp_ntz':
      // what was cut may stand for many values, so equal bounds do not mean equal rows
      return op === '!=' ? { kind: 'isNotNull', column } : { kind: 'compare', column, op, value }
    default:
      return { kind: 'compare', column, op, value }
  }
}

function floatingRule(column: RuleColumn, op: Comparison, value: number): SkippingRule {
  if (op === '!=' || Number.isNaN(value)) return { kind: 'isNotNull', column }
  return { kind: 'compare', column, op, value, ...((op === '>' || op === '>=') && { orNaN: true }) }
}

/**
 * The value as stored is a beginning of the value as read, so it is never above it. It can be below a text without
 * being so when filled up only where that text goes on with a character not above the space.
 */
function paddedRule(column: RuleColumn, op: Comparison, text: string): SkippingRule {
  const above = () => plainRule(column, '>=', text.replace(/[\0- ].*$/s, ''))
  switch (op) {
    case '<':
    case '<=':
      return plainRule(column, op, text)
    case '>':
    case '>=':
      return above()
    case '=':
      return combine('and', [above(), plainRule(column, '<=', text)])
    case '!=':
      return { kind: 'isNotNull', column }
  }
}

/** Bounds from the time of a float are its shortest texts, which as doubles are off by up to half of its last digit. */
function roundedRule(column: RuleColumn, op: Comparison, value: number): SkippingRule {
  const slack = Math.abs(value) * 2 ** -23 + 1.5e-45
  switch (op) {
    case '<':
    case '<=':
      return floatingRule(column, '<=', value + slack)
    case '>':
    case '>=':
      return floatingRule(column, '>=', value - slack)
    case '=':
      return combine('and', [floatingRule(column, '>=', value - slack), floatingRule(column, '<=', value + slack)])
    case '!=':
      return { kind: 'isNotNull', column }
  }
}

/** Some row may begin with the text. */
export function prefixRule({ column, stored }: LaidOutColumn, prefix: string): SkippingRule {
  if (column.type.kind !== 'string') return keep(`${column.name.join('.')} is no text`)
  const begins = stored === 'char' ? prefix.replace(/ +$/, '') : prefix
  return begins === '' ? { kind: 'isNotNull', column } : { kind: 'startsWith', column, prefix: begins }
}

/**
 * What the first characters of a text may be compared with: `left(name, 2) = 'ab'`.
 *
 * @param length of the beginning, in characters
 */
export function beginningRule(at: LaidOutColumn, op: Comparison, { length, value }: { length: number; value: string }) {
  const characters = [...value]
  switch (op) {
    case '=':
      if (characters.length > length) return NEVER
      return characters.length === length ? prefixRule(at, value) : compareRule(at, '=', value)
    case '<':
    case '<=':
      return combine('or', [compareRule(at, op, value), prefixRule(at, characters.slice(0, length).join(''))])
    case '>':
    case '>=':
      return compareRule(at, op, value)
    case '!=':
      return { kind: 'isNotNull', column: at.column } satisfies SkippingRule
  }
}

/** Some row may lie where an expression over it takes a value. */
export function preimageRule(at: LaidOutColumn, { ranges, trusted }: Preimage): SkippingRule {
  const inside = ranges.map((range) => rangeRule(at, range))
  if (trusted === undefined) return combine('or', inside)
  const isOpen = (end: 'from' | 'to') => ranges.some((range) => range[end] === undefined)
  const outside = [
    ...(isOpen('from') ? [] : [compareRule(at, '<', trusted.from)]),
    ...(isOpen('to') ? [] : [compareRule(at, '>', trusted.to)]),
  ]
  return combine('or', [...inside, ...outside])
}

function rangeRule(at: LaidOutColumn, { from, to }: ValueRange): SkippingRule {
  if (from === undefined && to === undefined) return { kind: 'isNotNull', column: at.column }
  return combine('and', [
    ...(from === undefined ? [] : [compareRule(at, '>=', from)]),
    ...(to === undefined ? [] : [compareRule(at, '<=', to)]),
  ])
}

export function combine(kind: 'and' | 'or', rules: readonly SkippingRule[]): SkippingRule {
  if (kind === 'and' && rules.some((rule) => rule.kind === 'never')) return NEVER
  const flat = rules.flatMap((rule) => (rule.kind === kind ? rule.rules : [rule]))
  const useful =
    kind === 'or' ? flat.filter((rule) => rule.kind !== 'never') : flat.filter((rule) => rule.kind !== 'keep')
  const kept = flat.find((rule) => rule.kind === 'keep')
  if (kind === 'or' && kept !== undefined) return kept
  if (useful.length === 0) return kind === 'or' ? NEVER : (kept ?? keep('the predicate is always true'))
  if (useful.length === 1) return useful[0]!
  return { kind, rules: kind === 'and' ? useful.map((rule) => withoutNaN(rule, useful)) : useful }
}

/** Where the same column has an upper end too, NaN fulfils not all of it. */
function withoutNaN(rule: SkippingRule, all: readonly SkippingRule[]): SkippingRule {
  if (rule.kind !== 'compare' || !rule.orNaN) return rule
  const name = JSON.stringify(rule.column.path)
  const hasEnd = all.some((other) => {
    return other.kind === 'compare' && !isAbove(other.op) && JSON.stringify(other.column.path) === name
  })
  if (!hasEnd) return rule
  const { orNaN: _, ...bounded } = rule
  return bounded
}

function isAbove(op: Comparison): boolean {
  return op === '>' || op === '>=' || op === '!='
}

/** Equalities on one column, joined by OR, as one list. */
export function asMembership(rule: SkippingRule): SkippingRule {
  if (rule.kind !== 'or') return rule
  const [first] = rule.rules
  if (first?.kind !== 'compare') return rule
  const values: NonNull[] = []
  for (const item of rule.rules) {
    if (item.kind !== 'compare' || item.op !== '=') return rule
    values.push(item.value)
  }
  return { kind: 'in', column: first.column, values }
}
