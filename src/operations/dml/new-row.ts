/** The row that an UPDATE makes of another: assigned columns, and generated columns over them. */
import type { RowCheck } from '../../engine/index.ts'
import { type BoundExpression, mapBound } from '../../expressions/index.ts'
import { integerType } from '../../schema/index.ts'
import type { RowRules } from '../rules/index.ts'
import { columnAt } from './expressions.ts'

export interface NewRow {
  /** the value of every column of the table, in order, bound to its schema */
  readonly values: readonly BoundExpression[]
  /** ordinals of the columns that may differ from the old row's */
  readonly changed: ReadonlySet<number>
  /** what every row written must meet */
  readonly checks: readonly RowCheck[]
}

/** @param assigned new values by ordinal of the table's schema */
export function newRow(rules: RowRules, assigned: ReadonlyMap<number, BoundExpression>): NewRow {
  const { layout, generated, checks } = rules
  const values = layout.schema.fields.map((_, ordinal) => assigned.get(ordinal) ?? columnAt(layout, ordinal))
  const given = generated.filter(({ ordinal }) => assigned.has(ordinal))
  const recomputed = generated.filter(({ ordinal }) => !assigned.has(ordinal))
  for (const { ordinal, value } of recomputed) values[ordinal] = over(value, assigned)
  const changed = new Set([...assigned.keys(), ...recomputed.map(({ ordinal }) => ordinal)])
  return { values, changed, checks: [...checks, ...given.map(({ check }) => check)] }
}

/** A value over the old row as one over the new row. */
function over(value: BoundExpression, assigned: ReadonlyMap<number, BoundExpression>): BoundExpression {
  return mapBound(value, (node) => {
    if (node.kind !== 'column') return undefined
    const [top, ...members] = node.ordinals
    const base = assigned.get(top!)
    return base === undefined ? undefined : memberOf(base, members)
  })
}

function memberOf(base: BoundExpression, ordinals: readonly number[]): BoundExpression {
  return ordinals.reduce((at, ordinal): BoundExpression => {
    if (at.type.kind !== 'struct') return at
    const position: BoundExpression = { kind: 'literal', value: ordinal, type: integerType }
    return { kind: 'call', name: 'getfield', args: [at, position], type: at.type.fields[ordinal]!.type }
  }, base)
}
