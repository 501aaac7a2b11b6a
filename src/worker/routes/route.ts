/** A route, ready to run: where records come from and go to, and what they become on the way. */
import type { NamedExpression } from '../../engine/index.ts'
import { causeText, isDeltaError } from '../../errors/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { booleanType, type StructType } from '../../schema/index.ts'
import type { Fault, Place } from '../config/setting.ts'
import { type StructRecord, tableSchemaOf } from '../records/record-type.ts'
import { columnsOfRecord } from './route-columns.ts'
import { type RouteState, takeStep } from './steps.ts'

export interface Route {
  readonly id: string
  readonly source: string
  readonly destination: string
  /** what the source yields */
  readonly input: StructRecord
  /** the columns expressions are bound to */
  readonly inputSchema: StructType
  /** what the destination gets */
  readonly output: StructRecord
  readonly outputSchema: StructType
  /** only records for which it is true go on */
  readonly filter: BoundExpression | undefined
  /** the fields of the output, bound to the input's columns */
  readonly select: readonly NamedExpression[]
  /** whether the output is the input as it is */
  readonly isIdentity: boolean
}

export interface RouteDeclaration {
  readonly id: string
  readonly source: string
  readonly destination: string
  readonly input: StructRecord
  readonly steps: readonly unknown[]
}

/** Takes all steps; each that cannot be taken is a fault, and the ones behind it are not tried. */
export function compileRoute(declaration: RouteDeclaration, place: Place, faults: Fault[]): Route | undefined {
  let state: RouteState = { columns: columnsOfRecord(declaration.input), filters: [] }
  for (const [index, step] of declaration.steps.entries()) {
    try {
      state = takeStep(state, step)
    } catch (error) {
      if (isDeltaError(error, 'LAKE_INTERNAL')) throw error
      faults.push(place.fault('WORKER_CONFIG_STEP', `steps[${index}]`, { step: index + 1, reason: causeText(error) }))
      return undefined
    }
  }
  const { id, source, destination, input } = declaration
  const output: StructRecord = { kind: 'struct', fields: state.columns.map(({ name, type }) => ({ name, type })) }
  return {
    id,
    source,
    destination,
    input,
    inputSchema: tableSchemaOf(input),
    output,
    outputSchema: tableSchemaOf(output),
    filter: allOf(state.filters),
    select: state.columns.map(({ name, expression }) => ({ name, expression })),
    isIdentity: declaration.steps.length === 0,
  }
}

function allOf(conditions: readonly BoundExpression[]): BoundExpression | undefined {
  return conditions.reduce<BoundExpression | undefined>(
    (all, condition) =>
      all === undefined ? condition : { kind: 'call', name: 'and', args: [all, condition], type: booleanType },
    undefined,
  )
}
