/** A route, ready to run: where records come from and go to, and what they become on the way. */
import type { NamedExpression, UnknownFieldsRule } from '../../engine/index.ts'
import { causeText, isDeltaError } from '../../errors/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import { booleanType, type StructType } from '../../schema/index.ts'
import type { Fault, Place } from '../config/setting.ts'
import { type StructRecord, tableSchemaOf } from '../records/record-type.ts'
import { columnsOfRecord } from './route-columns.ts'
import { keepsFields, type RouteState, readStep } from './steps.ts'

export interface Route {
  readonly id: string
  readonly source: string
  readonly destination: string
  /** what the source yields */
  readonly input: StructRecord
  /** what becomes of fields that the input does not have */
  readonly unknownFields: UnknownFieldsRule
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
  /** undefined where the source is not known */
  readonly input: StructRecord | undefined
  readonly unknownFields?: UnknownFieldsRule | undefined
  readonly steps: readonly unknown[]
}

/**
 * Takes all steps; each that cannot be taken is a fault.
 *
 * Behind a step whose fields are not known, only the form of the others is looked at.
 */
export function compileRoute(declaration: RouteDeclaration, place: Place, faults: Fault[]): Route | undefined {
  const { id, source, destination, input, unknownFields = 'ignore', steps } = declaration
  const before = faults.length
  let state: RouteState | undefined = input && { columns: columnsOfRecord(input), filters: [] }
  for (const [index, json] of steps.entries()) {
    try {
      const step = readStep(json)
      if (state !== undefined) state = step(state)
    } catch (error) {
      if (isDeltaError(error, 'LAKE_INTERNAL')) throw error
      faults.push(place.fault('WORKER_CONFIG_STEP', `steps[${index}]`, { step: index + 1, reason: causeText(error) }))
      if (!keepsFields(json)) state = undefined
    }
  }
  if (state === undefined || input === undefined || faults.length > before) return undefined
  const output: StructRecord = { kind: 'struct', fields: state.columns.map(({ name, type }) => ({ name, type })) }
  return {
    id,
    source,
    destination,
    input,
    unknownFields,
    inputSchema: tableSchemaOf(input),
    output,
    outputSchema: tableSchemaOf(output),
    filter: allOf(state.filters),
    select: state.columns.map(({ name, expression }) => ({ name, expression })),
    isIdentity: steps.length === 0,
  }
}

function allOf(conditions: readonly BoundExpression[]): BoundExpression | undefined {
  return conditions.reduce<BoundExpression | undefined>(
    (all, condition) =>
      all === undefined ? condition : { kind: 'call', name: 'and', args: [all, condition], type: booleanType },
    undefined,
  )
}
