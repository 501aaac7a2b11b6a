/**
 * Predicates over a column, asked of partition columns that are generated from it.
 *
 * Where `day` is `CAST(at AS DATE)`, `at >= …` holds only in partitions from that day on, so files without statistics
 * are dropped too. An instant's day hangs on the zone of whoever wrote it, which no log tells: such bounds are drawn as
 * wide as zones reach. A null partition value drops nothing. Source: Delta protocol, "Generated Columns".
 */
import {
  type BoundExpression,
  bindExpression,
  childrenOf,
  compileEvaluator,
  parseExpression,
} from '../../expressions/index.ts'
import { type DataType, findField, sameType, type Value, valueToText } from '../../schema/index.ts'
import { Decimal } from '../../support/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { rowWith, trustedRange } from './invert.ts'
import { beginningOf, type Monotone, monotone } from './monotone.ts'
import { columnOf } from './rule-column.ts'
import { combine } from './rule-parts.ts'
import type { Comparison, RuleColumn, SkippingRule } from './skipping-rule.ts'

type NonNull = Exclude<Value, null>
type ColumnNode = Extract<BoundExpression, { kind: 'column' }>

const GENERATION = 'delta.generationExpression'
/** No zone is further from another's clock. */
const WIDEST_OFFSET = 18n * 3_600_000_000n

/** A partition column that is generated from one column of the files. */
interface Generated {
  readonly partition: RuleColumn
  readonly source: ColumnNode
  /** physical names of the source, as a key */
  readonly sourceKey: string
  readonly generation: BoundExpression
  /** how the partition column follows its source; undefined where it keeps no order */
  readonly order: Pick<Monotone, 'direction' | 'isEverywhere'> | undefined
  /** whether the value hangs on a zone nobody knows */
  readonly isZoned: boolean
  /** NULL exactly where the source cannot be generated from: not merely where it is NULL */
  readonly evaluate: (value: NonNull) => NonNull | undefined
}

const known = new WeakMap<TableLayout, readonly Generated[]>()

/** The rule with what it means for generated partition columns; the same rule where the table has none. */
export function withGeneratedPartitions(rule: SkippingRule, layout: TableLayout): SkippingRule {
  if (layout.enforcesGeneration !== true) return rule
  const columns = known.get(layout) ?? generatedPartitions(layout)
  known.set(layout, columns)
  return columns.length === 0 ? rule : derive(rule, columns)
}

function derive(rule: SkippingRule, columns: readonly Generated[]): SkippingRule {
  switch (rule.kind) {
    case 'and':
    case 'or':
      return combine(
        rule.kind,
        rule.rules.map((inner) => derive(inner, columns)),
      )
    case 'implied':
      return { ...rule, rule: derive(rule.rule, columns) }
    case 'compare':
    case 'in':
    case 'isNull':
    case 'isNotNull': {
      if (rule.column.partition) return rule
      const key = JSON.stringify(rule.column.path)
      const derived = deriveLeaf(
        rule,
        columns.filter((column) => column.sourceKey === key),
      )
      return derived.length === 0 ? rule : combine('and', [...derived, rule])
    }
    default:
      return rule
  }
}

type DerivedLeaf = Extract<
  SkippingRule,
  { readonly kind: 'compare' | 'in' } | { readonly kind: 'isNull' | 'isNotNull' }
>

function deriveLeaf(rule: DerivedLeaf, columns: readonly Generated[]): SkippingRule[] {
  const name = rule.column.name.join('.')
  const imply = (text: string, rules: readonly (SkippingRule | undefined)[]) =>
    rules
      .filter((found) => found !== undefined)
      .map((found): SkippingRule => ({ kind: 'implied', by: text, rule: found }))
  switch (rule.kind) {
    case 'isNotNull':
      return []
    case 'isNull':
      return imply(`${name} IS NULL`, columns.filter(({ order }) => order !== undefined).map(nullRule))
    case 'in': {
      const each = (column: Generated) => {
        const rules = rule.values.map((value) => compared(column, '=', value))
        return rules.every((found) => found !== undefined) ? combine('or', rules) : undefined
      }
      return imply(`${name} IN (…)`, columns.map(each))
    }
    case 'compare': {
      const { op, value } = rule
      if (rule.orNaN) return []
      const text = `${name} ${op} ${valueToText(value, rule.column.type)}`
      return imply(text, [...columns.map((column) => compared(column, op, value)), ofParts(columns, op, value)])
    }
  }
}

/** NULL comes of NULL where order is kept. */
function nullRule({ partition }: Generated): SkippingRule {
  return { kind: 'isNull', column: partition }
}

/** What `source op value` says of the partition column. */
function compared(column: Generated, op: Comparison, value: NonNull): SkippingRule | undefined {
  if (op === '=' && !column.isZoned) {
    const generated = column.evaluate(value)
    return generated === undefined ? undefined : orNull(column.partition, '=', generated)
  }
  if (column.order === undefined || op === '!=') return undefined
  if (op === '=') {
    const ends = [compared(column, '>=', value), compared(column, '<=', value)]
    return ends.every((end) => end !== undefined) ? combine('and', ends) : undefined
  }
  const { isEverywhere, direction } = column.order
  const end = endOf(column, op, value)
  const side = isAbove(op) === (direction === 1) ? '>=' : '<='
  if (end === undefined) return undefined
  const inOrder = orNull(column.partition, side, end)
  if (isEverywhere) return inOrder
  const outside = outsideRule(column, op, value)
  return outside && combine('or', [inOrder, outside])
}

function isAbove(op: Comparison): boolean {
  return op === '>' || op === '>='
}

/** The value of the partition column at the end of `source op value`, as far out as zones can move it. */
function endOf(column: Generated, op: Comparison, value: NonNull): NonNull | undefined {
  const sign = isAbove(op) ? 1n : -1n
  const nearest = op === '<' || op === '>' ? nextTo(value, column.source.type as DataType, sign) : value
  if (!column.isZoned) return column.evaluate(nearest)
  const generated = column.evaluate((nearest as bigint) - sign * WIDEST_OFFSET)
  if (generated === undefined || column.partition.type.kind !== 'timestamp') return generated
  return (generated as bigint) - sign * WIDEST_OFFSET
}

/** The value beside another; the same where values lie too close to count. */
function nextTo(value: NonNull, type: DataType, sign: 1n | -1n): NonNull {
  switch (type.kind) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'date':
      return (value as number) + Number(sign)
    case 'long':
    case 'timestamp':
    case 'timestamp_ntz':
      return (value as bigint) + sign
    case 'decimal':
      return new Decimal((value as Decimal).unscaled + sign, type.scale)
    default:
      return value
  }
}

/** Rows where the generation cannot be trusted to keep order; undefined where the value itself is one of them. */
function outsideRule(column: Generated, op: Comparison, value: NonNull): SkippingRule | undefined {
  const type = column.source.type as DataType
  const range = trustedRange(type)
  if (range === undefined || value < range.from || value > range.to) return undefined
  const source: RuleColumn = {
    path: JSON.parse(column.sourceKey) as string[],
    name: column.source.path,
    type,
    partition: false,
  }
  return isAbove(op)
    ? { kind: 'compare', column: source, op: '>', value: range.to }
    : { kind: 'compare', column: source, op: '<', value: range.from }
}

function orNull(column: RuleColumn, op: Comparison, value: NonNull): SkippingRule {
  return combine('or', [
    { kind: 'compare', column, op, value },
    { kind: 'isNull', column },
  ])
}

/** Parts of a date that are in order only one below the other. */
const PARTS = ['year', 'month', 'day', 'hour'] as const

/** What `source op value` says of a year, a month of it, a day of that … in partition columns of their own. */
function ofParts(columns: readonly Generated[], op: Comparison, value: NonNull): SkippingRule | undefined {
  const parts: Generated[] = []
  for (const name of PARTS) {
    const part = columns.find(({ generation }) => generation.kind === 'call' && generation.name === name)
    if (part === undefined) break
    parts.push(part)
  }
  if (parts.length < 2 || op === '!=') return undefined
  if (op === '=') {
    const ends = [ofParts(columns, '>=', value), ofParts(columns, '<=', value)]
    return ends.every((end) => end !== undefined) ? combine('and', ends) : undefined
  }
  const ends = parts.map((part) => endOf(part, op, value))
  if (!ends.every((end) => end !== undefined)) return undefined
  return inOrderOf(parts, ends, isAbove(op) ? '>' : '<')
}

function inOrderOf(parts: readonly Generated[], ends: readonly NonNull[], beyond: '<' | '>'): SkippingRule {
  const [part, ...rest] = parts
  const [end, ...restEnds] = ends
  if (rest.length === 0) return orNull(part!.partition, `${beyond}=`, end!)
  return combine('or', [
    orNull(part!.partition, beyond, end!),
    combine('and', [orNull(part!.partition, '=', end!), inOrderOf(rest, restEnds, beyond)]),
  ])
}

function generatedPartitions(layout: TableLayout): readonly Generated[] {
  return layout.partitionColumns.flatMap((name) => {
    const field = findField(layout.schema, name)
    const text = field?.metadata[GENERATION]
    if (field === undefined || typeof text !== 'string') return []
    try {
      return generatedPartition(text, columnNode(layout, name), layout)
    } catch {
      // an expression this package does not know says nothing
      return []
    }
  })
}

function columnNode({ schema }: TableLayout, name: string): ColumnNode {
  const field = findField(schema, name)!
  return { kind: 'column', ordinals: [schema.fields.indexOf(field)], path: [field.name], type: field.type }
}

function generatedPartition(text: string, node: ColumnNode, layout: TableLayout): Generated[] {
  const bound = bindExpression(parseExpression(text), layout.schema)
  const type = node.type as DataType
  const isSame = sameType(bound.type as DataType, type)
  const generation: BoundExpression = isSame ? bound : { kind: 'cast', child: bound, type, safe: false }
  const partition = columnOf(node, layout)
  const nodes = columnNodes(generation)
  const [source] = nodes
  if (source === undefined || nodes.length > 1 || typeof partition === 'string') return []
  const at = columnOf(source, layout)
  if (typeof at === 'string' || at.column.partition || at.stored !== undefined || partition.stored !== undefined)
    return []
  const order = orderOf(generation)
  const run = compileEvaluator(generation)
  const evaluate = (value: NonNull): NonNull | undefined => {
    try {
      return run(rowWith(source.ordinals, value)) ?? undefined
    } catch {
      return undefined
    }
  }
  const isZoned = source.type.kind === 'timestamp' && readsClock(generation)
  const sourceKey = JSON.stringify(at.column.path)
  return [{ partition: partition.column, source, sourceKey, generation, order, isZoned, evaluate }]
}

function orderOf(generation: BoundExpression): Generated['order'] {
  if (generation.kind === 'column' || beginningOf(generation) !== undefined) return { direction: 1, isEverywhere: true }
  return monotone(generation)
}

function columnNodes(node: BoundExpression): ColumnNode[] {
  return node.kind === 'column' ? [node] : childrenOf(node).flatMap(columnNodes)
}

/** Functions of an instant that are the same in every zone. */
const ZONELESS: ReadonlySet<string> = new Set([
  ...['unix_seconds', 'unix_millis', 'unix_micros', 'unix_timestamp', 'to_unix_timestamp'],
  ...['+', '-', '*', '/', 'div', 'floor', 'ceil', 'round', 'negative'],
])

function readsClock(node: BoundExpression): boolean {
  if (node.kind === 'column' || node.kind === 'literal') return false
  const isZoneless =
    node.kind === 'call' ? ZONELESS.has(node.name) : node.kind === 'cast' && !CLOCKS.has(node.type.kind)
  return !isZoneless || childrenOf(node).some(readsClock)
}

const CLOCKS: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamp_ntz', 'string'])
