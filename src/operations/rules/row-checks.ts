/**
 * The conditions that every row of a table must meet: CHECK constraints, invariants, declared lengths.
 *
 * A condition that is NULL is broken, as in the reference. NOT NULL is no such condition: the layout says it.
 * Source: Delta protocol, "CHECK Constraints", "Column Invariants", "Generated Columns".
 */
import type { RowCheck } from '../../engine/index.ts'
import { causeText, type DeltaError, deltaError } from '../../errors/index.ts'
import {
  type BoundExpression,
  bindExpression,
  bindScopedCondition,
  childrenOf,
  parseExpression,
} from '../../expressions/index.ts'
import type { DataType, StructField, StructType, Value } from '../../schema/index.ts'
import { compareText, isJsonObject, parseJson } from '../../support/index.ts'
import { columnPathText } from '../values/index.ts'
import { callExpression, columnExpression } from './build-expression.ts'
import { atTime, type BindPlace } from './column-values.ts'
import { type DeclaredLength, declaredLengths } from './declared-lengths.ts'
import { shownExpression, shownText } from './shown-value.ts'

const CONSTRAINT = 'delta.constraints.'

/** A condition under a name. */
interface NamedCondition {
  readonly name: string
  /** as SQL text, for messages */
  readonly text: string
  readonly condition: BoundExpression
}

/**
 * What is asked of every row, in the order the reference tries it.
 *
 * @throws DeltaError `LAKE_CONSTRAINT_UNSUPPORTED` for a condition that this package cannot evaluate exactly,
 * `LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED`, `DELTA_INVALID_INVARIANT`
 */
export function tableChecks(configuration: ReadonlyMap<string, string>, place: BindPlace): RowCheck[] {
  const { schema } = place
  return [
    ...checkConstraints(configuration).map(({ name, sql }) => checkOf(bindCondition(name, sql, place))),
    ...invariants(schema, []).map((sql) => checkOf(bindCondition(`EXPRESSION(${sql})`, sql, place))),
    ...requiredMembers(schema, []).map((path) => memberCheck(path, schema)),
    ...declaredLengths(schema).map((length) => lengthCheck(length, schema)),
  ]
}

/** Members that are NOT NULL inside of structs that may be null: as in the reference, such a struct is none of a row's. */
function requiredMembers(type: StructType, around: readonly string[], mayBeNull = false): readonly string[][] {
  return type.fields.flatMap(({ name, type: inner, nullable }) => {
    const path = [...around, name]
    const own = !nullable && mayBeNull ? [path] : []
    return inner.kind === 'struct' ? [...own, ...requiredMembers(inner, path, mayBeNull || nullable)] : own
  })
}

function memberCheck(path: readonly string[], schema: StructType): RowCheck {
  const column = columnPathText(path)
  return {
    condition: bindExpression(callExpression('isnotnull', columnExpression(path)), schema),
    shown: [],
    violation: () => deltaError('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', { column }),
  }
}

/** A CHECK constraint of a table's properties. */
export interface CheckConstraint {
  readonly name: string
  readonly sql: string
}

/** The CHECK constraints of a table, by its properties' order. */
export function checkConstraints(configuration: ReadonlyMap<string, string>): readonly CheckConstraint[] {
  return [...configuration].flatMap(([key, sql]) =>
    key.toLowerCase().startsWith(CONSTRAINT) ? [{ name: key.slice(CONSTRAINT.length), sql }] : [],
  )
}

/** The check that a value given for a generated column is the one it generates. */
export function generatedCheck(field: StructField, generation: string, { schema, nowMs }: BindPlace): RowCheck {
  const expression = callExpression('<=>', columnExpression([field.name]), parseExpression(generation))
  return checkOf({
    name: 'Generated Column',
    text: shownExpression(expression),
    condition: orRefuse('Generated Column', generation, () => bindExpression(atTime(expression, nowMs), schema)),
  })
}

function bindCondition(name: string, sql: string, { schema, nowMs }: BindPlace): NamedCondition {
  return orRefuse(name, sql, () => ({
    name,
    text: shownExpression(parseExpression(sql)),
    condition: bindScopedCondition(atTime(parseExpression(sql), nowMs), [{ schema }]),
  }))
}

function orRefuse<T>(name: string, sql: string, bind: () => T): T {
  try {
    return bind()
  } catch (cause) {
    throw deltaError('LAKE_CONSTRAINT_UNSUPPORTED', { name, sql, cause: causeText(cause) }, { cause })
  }
}

function checkOf({ name, text, condition }: NamedCondition): RowCheck {
  return shownCheck(condition, (values, row) =>
    deltaError('DELTA_VIOLATE_CONSTRAINT_WITH_VALUES', { constraint: name, expression: text, values, row }),
  )
}

/**
 * A check whose error tells the values of the columns that its condition reads.
 *
 * @param violation is given them as one text, and by column
 */
export function shownCheck(
  condition: BoundExpression,
  violation: (values: string, row: Readonly<Record<string, string>>) => DeltaError,
): RowCheck {
  const shown = columnsIn(condition)
  return {
    condition,
    shown,
    violation: (values) => {
      const pairs = shown.map(({ path, type }, i) => [path.join('.'), shownText(values[i] ?? null, type)] as const)
      return violation(pairs.map(([column, value]) => `${column} : ${value}`).join(', '), Object.fromEntries(pairs))
    },
  }
}

function columnsIn(node: BoundExpression): RowCheck['shown'] {
  const found = new Map<string, RowCheck['shown'][number]>()
  const collect = (at: BoundExpression): void => {
    if (at.kind === 'column') found.set(at.ordinals.join('.'), at)
    else for (const child of childrenOf(at)) collect(child)
  }
  collect(node)
  return [...found.values()].sort((a, b) => compareText(a.path.join('.'), b.path.join('.')))
}

function lengthCheck({ path, declared, condition }: DeclaredLength, schema: StructType): RowCheck {
  const bound = bindExpression(condition, schema)
  const [column] = columnsIn(bound) as [RowCheck['shown'][number]]
  const shown = columnsIn(bindExpression(columnExpression(path), schema))
  return {
    condition: bound,
    shown,
    violation: ([value = null]: readonly Value[]) =>
      deltaError('DELTA_EXCEED_CHAR_VARCHAR_LIMIT', {
        place: 'a row',
        value: JSON.stringify(shownText(value, shown[0]?.type ?? column.type)),
        column: columnPathText(path),
        type: declared,
      }),
  }
}

/** The SQL of every invariant, `{"expression":{"expression":"x > 3"}}` in the metadata of a field. */
function invariants(type: DataType, path: readonly string[]): string[] {
  if (type.kind === 'array') return invariants(type.element, [...path, 'element'])
  if (type.kind === 'map') {
    return [...invariants(type.key, [...path, 'key']), ...invariants(type.value, [...path, 'value'])]
  }
  if (type.kind !== 'struct') return []
  return type.fields.flatMap((field) => {
    const at = [...path, field.name]
    const own = field.metadata['delta.invariants']
    const below = invariants(field.type, at)
    return own === undefined || own === null ? below : [invariantSql(own, at), ...below]
  })
}

function invariantSql(value: unknown, path: readonly string[]): string {
  const parsed = typeof value === 'string' ? tryParse(value) : undefined
  const outer = isJsonObject(parsed) ? parsed.expression : undefined
  const sql = isJsonObject(outer) ? outer.expression : undefined
  if (typeof sql === 'string') return sql
  throw deltaError('DELTA_INVALID_INVARIANT', { column: columnPathText(path), value: String(value) })
}

function tryParse(text: string) {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
