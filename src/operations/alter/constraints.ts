/** ALTER TABLE ADD and DROP CONSTRAINT. A CHECK constraint must be TRUE for every row: false and NULL break it. */
import { deltaError } from '../../errors/index.ts'
import { type BoundExpression, bindExpression, type Expression, parseExpression } from '../../expressions/index.ts'
import { planScan, type Snapshot } from '../../kernel/index.ts'
import { booleanType, formatType } from '../../schema/index.ts'
import type { OperationContext } from '../context.ts'
import { atTime, type CheckConstraint, checkConstraints } from '../rules/index.ts'
import type { PlanAction } from './plan.ts'

const CONSTRAINT_PREFIX = 'delta.constraints.'

/**
 * @throws DeltaError `DELTA_CONSTRAINT_ALREADY_EXISTS`, `DELTA_NON_BOOLEAN_CHECK_CONSTRAINT`,
 * `DELTA_NEW_CHECK_CONSTRAINT_VIOLATION` with the number of rows, those of `parseExpression` and `bindExpression`
 */
export const planAddConstraint: PlanAction<'add constraint'> = async ({ name, expression }, snapshot, context) => {
  const known = findConstraint(snapshot, name)
  if (known !== undefined) {
    throw deltaError('DELTA_CONSTRAINT_ALREADY_EXISTS', { name, expression: known.sql })
  }
  await checkRows(name, expression, snapshot, context)
  return {
    operation: 'ADD CONSTRAINT',
    operationParameters: { name, expr: expression },
    change: { set: new Map([[`${CONSTRAINT_PREFIX}${name.toLowerCase()}`, expression]]) },
    readsTable: true,
  }
}

/** @throws DeltaError `DELTA_CONSTRAINT_DOES_NOT_EXIST` */
export const planDropConstraint: PlanAction<'drop constraint'> = ({ name, ifExists }, snapshot) => {
  const known = findConstraint(snapshot, name)
  if (known === undefined && !ifExists) {
    throw deltaError('DELTA_CONSTRAINT_DOES_NOT_EXIST', { path: snapshot.store.location, name })
  }
  return {
    operation: 'DROP CONSTRAINT',
    operationParameters: { name, ...(known && { expr: known.sql }), existed: String(known !== undefined) },
    change: { unset: known === undefined ? [] : [`${CONSTRAINT_PREFIX}${known.name}`] },
  }
}

function findConstraint({ configuration }: Snapshot, name: string): CheckConstraint | undefined {
  const lower = name.toLowerCase()
  return checkConstraints(configuration).find((constraint) => constraint.name.toLowerCase() === lower)
}

async function checkRows(name: string, text: string, snapshot: Snapshot, context: OperationContext): Promise<void> {
  const filter = violation(name, text, snapshot, context.clock.now())
  const { store, layout } = snapshot
  const { engine, options } = context
  const files = await planScan(snapshot, filter, options.signal ? { signal: options.signal } : {})
  const count = files.length === 0 ? 0 : await engine.count({ store, layout, files, columns: [], filter }, options)
  if (count > 0) {
    throw deltaError('DELTA_NEW_CHECK_CONSTRAINT_VIOLATION', { count, path: store.location, expression: text })
  }
}

/** The condition of rows that break a constraint. */
function violation(name: string, text: string, { schema }: Snapshot, nowMs: number): BoundExpression {
  const expression = atTime(parseExpression(text), nowMs)
  const { type } = bindExpression(expression, schema)
  if (type.kind !== 'boolean') {
    const found = 'text' in type ? type.text : formatType(type)
    throw deltaError('DELTA_NON_BOOLEAN_CHECK_CONSTRAINT', { name, type: found, expression: text })
  }
  const { span } = expression
  const never: Expression = { kind: 'literal', value: false, type: booleanType, span }
  const holds: Expression = { kind: 'call', name: 'coalesce', args: [expression, never], span }
  return bindExpression({ kind: 'call', name: 'not', args: [holds], span }, schema)
}
