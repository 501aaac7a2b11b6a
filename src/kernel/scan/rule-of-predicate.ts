/**
 * Predicates as rules over partition values and statistics.
 *
 * A rule answers "can a row make this TRUE?" for three-valued logic, so a negation is not turned round but asked as
 * "can a row make the rest FALSE?": NULL is neither. What cannot be turned into proof is kept, saying why.
 */
import { type BoundExpression, childrenOf } from '../../expressions/index.ts'
import type { Value } from '../../schema/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { boundText, literalText } from './bound-text.ts'
import { withGeneratedPartitions } from './generated-partitions.ts'
import { preimage } from './invert.ts'
import { likePrefix } from './like-prefix.ts'
import { beginningOf, cyclic, monotone } from './monotone.ts'
import { keepsValues, narrowLiteral } from './narrow-literal.ts'
import { columnOf } from './rule-column.ts'
import {
  asMembership,
  beginningRule,
  combine,
  compareRule,
  keep,
  NEVER,
  prefixRule,
  preimageRule,
} from './rule-parts.ts'
import type { Comparison, RuleColumn, SkippingRule } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

/** The truth value asked for. */
type Wanted = 'true' | 'false'

const NEGATED: Readonly<Record<Comparison, Comparison>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}
const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/**
 * The rule of a predicate bound to the layout's schema: files it drops hold no row for which the predicate is TRUE.
 */
export function skippingRule(predicate: BoundExpression, layout: TableLayout): SkippingRule {
  return withGeneratedPartitions(new RuleBuilder(layout).rule(predicate, 'true'), layout)
}

class RuleBuilder {
  private readonly layout: TableLayout

  constructor(layout: TableLayout) {
    this.layout = layout
  }

  rule(expression: BoundExpression, wanted: Wanted): SkippingRule {
    const rule = this.plainRule(expression, wanted)
    return rule.kind === 'keep' ? (this.partitionPredicate(expression, wanted) ?? rule) : rule
  }

  private plainRule(expression: BoundExpression, wanted: Wanted): SkippingRule {
    switch (expression.kind) {
      case 'literal':
        return expression.value === (wanted === 'true') ? keep('the predicate is always true') : NEVER
      case 'column':
        return this.comparison(expression, wanted === 'true' ? '=' : '!=', true)
      case 'call':
        return this.call(expression.name, expression.args, wanted)
      default:
        return keep(`${expression.kind} says nothing about a file`)
    }
  }

  /** @returns undefined where the expression reads anything but partition columns */
  private partitionPredicate(predicate: BoundExpression, wanted: Wanted): SkippingRule | undefined {
    const columns: { ordinal: number; column: RuleColumn }[] = []
    for (const node of columnNodes(predicate)) {
      const found = columnOf(node, this.layout)
      // a char is filled up when it is read, which the value in the log is not
      if (typeof found === 'string' || !found.column.partition || found.stored === 'char') return undefined
      columns.push({ ordinal: node.ordinals[0]!, column: found.column })
    }
    if (columns.length === 0) return undefined
    return { kind: 'partitionPredicate', predicate, wanted: wanted === 'true', columns }
  }

  private call(name: string, args: readonly BoundExpression[], wanted: Wanted): SkippingRule {
    switch (name) {
      case 'and':
      case 'or':
        return combine(
          (name === 'and') === (wanted === 'true') ? 'and' : 'or',
          args.map((arg) => this.rule(arg, wanted)),
        )
      case 'not':
        return this.rule(args[0]!, wanted === 'true' ? 'false' : 'true')
      case 'isnull':
      case 'isnotnull':
        return this.nullTest(args[0]!, (name === 'isnull') === (wanted === 'true') ? 'isNull' : 'isNotNull')
      case '<=>':
        return this.nullSafeEqual(args[0]!, args[1]!, wanted)
      case 'in':
        return this.membership(args[0]!, args.slice(1), wanted)
      case 'like':
        return this.like(args, wanted)
      case 'startswith':
        return this.startsWith(args[0]!, args[1]!, wanted)
      default:
        return Object.hasOwn(NEGATED, name)
          ? this.compare(args[0]!, name as Comparison, args[1]!, wanted)
          : keep(`statistics say nothing about ${name}`)
    }
  }

  private compare(left: BoundExpression, op: Comparison, right: BoundExpression, wanted: Wanted): SkippingRule {
    const asked = wanted === 'true' ? op : NEGATED[op]
    if (right.kind === 'literal')
      return right.value === null ? NEVER : this.comparison(left, asked, right.value, right.type)
    if (left.kind === 'literal') {
      return left.value === null ? NEVER : this.comparison(right, FLIPPED[asked], left.value, left.type)
    }
    return keep('both sides of a comparison change from row to row')
  }

  /** Some row may have `expression op value`; the column may stand under what keeps its order. */
  private comparison(
    expression: BoundExpression,
    op: Comparison,
    value: NonNull,
    type: BoundExpression['type'] = expression.type,
  ): SkippingRule {
    const found = columnOf(uncast(expression), this.layout)
    if (typeof found === 'string') return this.functionOfColumn(expression, op, value) ?? keep(found)
    const narrowed = narrowLiteral(op, value, type, found.column.type)
    if (narrowed === undefined) {
      const name = found.column.name.join('.')
      return this.functionOfColumn(expression, op, value) ?? keep(`${name} is compared as another type`)
    }
    if (narrowed === 'never') return NEVER
    if (narrowed === 'not-null') return { kind: 'isNotNull', column: found.column }
    return compareRule(found, narrowed.op, narrowed.value)
  }

  /** @returns undefined where nothing is known of what the expression does to its column */
  private functionOfColumn(expression: BoundExpression, op: Comparison, literal: NonNull): SkippingRule | undefined {
    const rule =
      this.preimage(expression, op, literal) ??
      this.beginning(expression, op, literal) ??
      this.cycle(expression, op, literal)
    if (rule === undefined || rule.kind === 'never') return rule
    return { kind: 'implied', by: `${boundText(expression)} ${op} ${literalText(literal, expression.type)}`, rule }
  }

  private preimage(expression: BoundExpression, op: Comparison, literal: NonNull): SkippingRule | undefined {
    const source = monotone(expression)
    const at = source && columnOf(source.column, this.layout)
    if (source === undefined || typeof at !== 'object') return undefined
    const found = preimage({ expression, op, literal }, source)
    return found && preimageRule(at, found)
  }

  private cycle(expression: BoundExpression, op: Comparison, value: NonNull): SkippingRule | undefined {
    const source = cyclic(expression)
    const at = source && columnOf(source.column, this.layout)
    // of a partition column the whole predicate is evaluated
    if (source === undefined || typeof at !== 'object' || at.column.partition) return undefined
    const { ordinals } = source.column
    return { kind: 'cycle', column: at.column, ordinals, expression, period: source.period, op, value }
  }

  private beginning(expression: BoundExpression, op: Comparison, literal: NonNull): SkippingRule | undefined {
    const begins = beginningOf(expression)
    const at = begins && columnOf(begins.column, this.layout)
    // of a partition column the whole predicate is evaluated, which is more exact
    if (begins === undefined || typeof at !== 'object' || at.column.partition || typeof literal !== 'string') {
      return undefined
    }
    return beginningRule(at, op, { length: begins.length, value: literal })
  }

  private nullTest(expression: BoundExpression, kind: 'isNull' | 'isNotNull'): SkippingRule {
    if (expression.kind === 'literal')
      return (expression.value === null) === (kind === 'isNull') ? keep('the test always holds') : NEVER
    const found = columnOf(uncast(expression), this.layout)
    if (typeof found === 'string') {
      // NULL comes of NULL in each of them, though of other values too
      const source = kind === 'isNotNull' ? monotone(expression) : undefined
      return source === undefined ? keep(found) : this.nullTest(source.column, kind)
    }
    const { column } = found
    if (column.type.kind === 'struct') return keep(`${column.name.join('.')} is a struct, which has no null count`)
    return { kind, column }
  }

  private nullSafeEqual(left: BoundExpression, right: BoundExpression, wanted: Wanted): SkippingRule {
    const [expression, literal] = left.kind === 'literal' ? [right, left] : [left, right]
    if (literal.kind !== 'literal') return keep('both sides of a comparison change from row to row')
    if (literal.value === null) return this.nullTest(expression, wanted === 'true' ? 'isNull' : 'isNotNull')
    if (wanted === 'true') return this.comparison(expression, '=', literal.value, literal.type)
    return combine('or', [
      this.nullTest(expression, 'isNull'),
      this.comparison(expression, '!=', literal.value, literal.type),
    ])
  }

  private membership(expression: BoundExpression, items: readonly BoundExpression[], wanted: Wanted): SkippingRule {
    const op = wanted === 'true' ? '=' : '!='
    const rules: SkippingRule[] = []
    for (const item of items) {
      if (item.kind !== 'literal') return keep('a list is compared with values that change from row to row')
      if (item.value !== null) rules.push(this.comparison(expression, op, item.value, item.type))
      else if (wanted === 'false') return NEVER
    }
    return wanted === 'true' ? asMembership(combine('or', rules)) : combine('and', rules)
  }

  private like(args: readonly BoundExpression[], wanted: Wanted): SkippingRule {
    const [expression, pattern, escaping] = args
    if (pattern?.kind !== 'literal' || (escaping !== undefined && escaping.kind !== 'literal')) {
      return keep('a pattern changes from row to row')
    }
    if (pattern.value === null) return NEVER
    const escapeText = escaping === undefined ? '\\' : String(escaping.value)
    const { prefix, rest } = likePrefix(String(pattern.value), escapeText)
    if (rest === '') return this.comparison(expression!, wanted === 'true' ? '=' : '!=', prefix, pattern.type)
    if (wanted === 'false') return this.unprefixed(expression!)
    return this.prefixed(expression!, prefix)
  }

  private startsWith(expression: BoundExpression, prefix: BoundExpression, wanted: Wanted): SkippingRule {
    if (prefix.kind !== 'literal') return keep('a prefix changes from row to row')
    if (prefix.value === null) return NEVER
    if (wanted === 'false' || typeof prefix.value !== 'string') return this.unprefixed(expression)
    return this.prefixed(expression, prefix.value)
  }

  /** Bounds say nothing about texts that do not begin so; a partition value does. */
  private unprefixed(expression: BoundExpression): SkippingRule {
    const rule = this.nullTest(expression, 'isNotNull')
    const partition = rule.kind === 'isNotNull' && rule.column.partition
    return partition ? keep('the beginning of a partition value is compared') : rule
  }

  private prefixed(expression: BoundExpression, prefix: string): SkippingRule {
    const found = columnOf(expression, this.layout)
    return typeof found === 'string' ? keep(found) : prefixRule(found, prefix)
  }
}

/** The columns an expression reads, each time it reads them. */
function columnNodes(node: BoundExpression): Extract<BoundExpression, { kind: 'column' }>[] {
  return node.kind === 'column' ? [node] : childrenOf(node).flatMap(columnNodes)
}

/** The expression below casts that keep each value and their order. */
function uncast(expression: BoundExpression): BoundExpression {
  if (expression.kind !== 'cast' || expression.timeZone !== undefined) return expression
  if (!keepsValues(expression.child.type, expression.type)) return expression
  return uncast(expression.child)
}
