/**
 * Predicates as rules over partition values and statistics.
 *
 * A rule answers "can a row make this TRUE?" for three-valued logic, so a negation is not turned round but asked as
 * "can a row make the rest FALSE?": NULL is neither. What cannot be turned into proof is kept, saying why.
 */
import { type BoundExpression, childrenOf } from '../../expressions/index.ts'
import type { DataType, StructField, StructType, Value } from '../../schema/index.ts'
import { physicalName } from '../column-mapping/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { hasBounds } from '../statistics/select-columns.ts'
import { likePrefix } from './like-prefix.ts'
import { keepsValues, narrowLiteral } from './narrow-literal.ts'
import type { Comparison, RuleColumn, SkippingRule } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>

/** The truth value asked for. */
type Wanted = 'true' | 'false'

const NEVER: SkippingRule = { kind: 'never' }
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
  return new RuleBuilder(layout).rule(predicate, 'true')
}

function keep(reason: string): SkippingRule {
  return { kind: 'keep', reason }
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
    const columns = columnNodes(predicate).map((node) => ({ ordinal: node.ordinals[0]!, column: this.column(node) }))
    const isPartition = (item: (typeof columns)[number]): item is { ordinal: number; column: RuleColumn } =>
      typeof item.column !== 'string' && item.column.partition
    if (columns.length === 0 || !columns.every(isPartition)) return undefined
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

  /** Some row may have `expression op value`; the column may stand under casts that keep its order. */
  private comparison(
    expression: BoundExpression,
    op: Comparison,
    value: NonNull,
    type: BoundExpression['type'] = expression.type,
  ): SkippingRule {
    const column = this.column(uncast(expression))
    if (typeof column === 'string') return keep(column)
    const narrowed = narrowLiteral(op, value, type, column.type)
    if (narrowed === undefined) return keep(`${column.name.join('.')} is compared as another type`)
    if (narrowed === 'never') return NEVER
    if (narrowed === 'not-null') return { kind: 'isNotNull', column }
    return compareRule(column, narrowed.op, narrowed.value)
  }

  private nullTest(expression: BoundExpression, kind: 'isNull' | 'isNotNull'): SkippingRule {
    if (expression.kind === 'literal')
      return (expression.value === null) === (kind === 'isNull') ? keep('the test always holds') : NEVER
    const column = this.column(uncast(expression), { anyType: true })
    return typeof column === 'string' ? keep(column) : { kind, column }
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
    return this.prefixRule(expression!, prefix)
  }

  private startsWith(expression: BoundExpression, prefix: BoundExpression, wanted: Wanted): SkippingRule {
    if (prefix.kind !== 'literal') return keep('a prefix changes from row to row')
    if (prefix.value === null) return NEVER
    if (wanted === 'false' || typeof prefix.value !== 'string') return this.unprefixed(expression)
    return this.prefixRule(expression, prefix.value)
  }

  /** Bounds say nothing about texts that do not begin so; a partition value does. */
  private unprefixed(expression: BoundExpression): SkippingRule {
    const rule = this.nullTest(expression, 'isNotNull')
    const partition = rule.kind === 'isNotNull' && rule.column.partition
    return partition ? keep('the beginning of a partition value is compared') : rule
  }

  private prefixRule(expression: BoundExpression, prefix: string): SkippingRule {
    const column = this.column(expression)
    if (typeof column === 'string') return keep(column)
    if (column.type.kind !== 'string') return keep(`${column.name.join('.')} is no text`)
    return prefix === '' ? { kind: 'isNotNull', column } : { kind: 'startsWith', column, prefix }
  }

  /** The column an expression is, or why it is none that files can be judged by. */
  private column(expression: BoundExpression, { anyType = false } = {}): RuleColumn | string {
    if (expression.kind !== 'column')
      return `${expression.kind === 'call' ? expression.name : expression.kind} hides the column`
    if (this.layout.hidden?.has(expression.ordinals[0]!)) return `${expression.path.join('.')} is not in the statistics`
    const fields = fieldsAt(this.layout.schema, expression.ordinals)
    const leaf = fields.at(-1)
    if (leaf === undefined) return `${expression.path.join('.')} is not a column of the table`
    const name = fields.map((field) => field.name)
    const problem = anyType ? nullTestProblem(leaf) : comparisonProblem(leaf)
    if (problem !== undefined) return `${name.join('.')} ${problem}`
    return {
      path: fields.map((field) => physicalName(field, this.layout)),
      name,
      type: leaf.type,
      partition: fields.length === 1 && this.layout.partitionColumns.includes(leaf.name),
    }
  }
}

/** The columns an expression reads, each time it reads them. */
function columnNodes(node: BoundExpression): Extract<BoundExpression, { kind: 'column' }>[] {
  return node.kind === 'column' ? [node] : childrenOf(node).flatMap(columnNodes)
}

function fieldsAt(schema: StructType, ordinals: readonly number[]): StructField[] {
  const fields: StructField[] = []
  let type: DataType = schema
  for (const ordinal of ordinals) {
    const field: StructField | undefined = type.kind === 'struct' ? type.fields[ordinal] : undefined
    if (field === undefined) return []
    fields.push(field)
    type = field.type
  }
  return fields
}

function nullTestProblem(field: StructField): string | undefined {
  return field.type.kind === 'struct' ? 'is a struct, which has no null count' : undefined
}

function comparisonProblem(field: StructField): string | undefined {
  const charType = field.metadata.__CHAR_VARCHAR_TYPE_STRING
  if (typeof charType === 'string' && /^char\(/i.test(charType)) return 'is padded, and its bounds are not'
  if (field.type.kind === 'double' && field.metadata['delta.typeChanges'] !== undefined) {
    return 'was a float once, and bounds of that time are texts of a float'
  }
  return undefined
}

/** The expression below casts that keep each value and their order. */
function uncast(expression: BoundExpression): BoundExpression {
  if (expression.kind !== 'cast' || !keepsValues(expression.child.type, expression.type)) return expression
  return uncast(expression.child)
}

/** What bounds can prove of a comparison; where a type's bounds prove less, the weaker question is asked. */
function compareRule(column: RuleColumn, op: Comparison, value: NonNull): SkippingRule {
  const proven = column.partition || (hasBounds(column.type) && boundsProve(column.type, op, value))
  return proven ? { kind: 'compare', column, op, value } : { kind: 'isNotNull', column }
}

/**
 * NaN is above every number, and some writers leave it out of a maximum; a cut text or timestamp may stand for many
 * values, so equal bounds do not mean equal rows.
 */
function boundsProve(type: DataType, op: Comparison, value: NonNull): boolean {
  if (type.kind === 'float' || type.kind === 'double') {
    return op !== '>' && op !== '>=' && op !== '!=' && !Number.isNaN(value as number)
  }
  return op !== '!=' || !(type.kind === 'string' || type.kind === 'timestamp' || type.kind === 'timestamp_ntz')
}

function combine(kind: 'and' | 'or', rules: readonly SkippingRule[]): SkippingRule {
  if (kind === 'and' && rules.some((rule) => rule.kind === 'never')) return NEVER
  const flat = rules.flatMap((rule) => (rule.kind === kind ? rule.rules : [rule]))
  const useful =
    kind === 'or' ? flat.filter((rule) => rule.kind !== 'never') : flat.filter((rule) => rule.kind !== 'keep')
  const kept = flat.find((rule) => rule.kind === 'keep')
  if (kind === 'or' && kept !== undefined) return kept
  if (useful.length === 0) return kind === 'or' ? NEVER : (kept ?? keep('the predicate is always true'))
  return useful.length === 1 ? useful[0]! : { kind, rules: useful }
}

/** Equalities on one column, joined by OR, as one list. */
function asMembership(rule: SkippingRule): SkippingRule {
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
