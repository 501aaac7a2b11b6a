/** What a plan does to rows that have the columns of the table: columns worked out, numbers given, conditions tried. */
import { deltaError } from '../../errors/index.ts'
import { compileEvaluator } from '../../expressions/index.ts'
import type { Row, Value } from '../../schema/index.ts'
import type { RowCheck, WritePlan } from '../index.ts'

const MAX_LONG = 2n ** 63n - 1n
const MIN_LONG = -(2n ** 63n)

/** The ordinals of the columns that `rowFinisher` fills. */
export function filledOrdinals({ computed = [], numbered = [] }: WritePlan): ReadonlySet<number> {
  return new Set([...computed, ...numbered].map(({ ordinal }) => ordinal))
}

/**
 * A function that fills a row in place and checks it, to be called for each row once, in order.
 *
 * @throws DeltaError when called: `DELTA_NOT_NULL_CONSTRAINT_VIOLATED` for a filled column, the error of a check, a Spark
 * error class of an expression, `ARITHMETIC_OVERFLOW`
 */
export function rowFinisher(plan: WritePlan): (row: Value[]) => void {
  const steps = [...computedSteps(plan), ...numberedSteps(plan), ...requiredSteps(plan), ...checkSteps(plan)]
  return (row) => {
    for (const step of steps) step(row)
  }
}

type Step = (row: Value[]) => void

function computedSteps({ computed = [] }: WritePlan): Step[] {
  return computed.map(({ ordinal, value }) => {
    const evaluate = compileEvaluator(value)
    return (row) => {
      row[ordinal] = evaluate(row)
    }
  })
}

function numberedSteps({ numbered = [] }: WritePlan): Step[] {
  return numbered.map(({ ordinal, start, step }) => {
    let next = start
    return (row) => {
      row[ordinal] ??= requireLong(next)
      next += step
    }
  })
}

function requireLong(number: bigint): bigint {
  if (number <= MAX_LONG && number >= MIN_LONG) return number
  throw deltaError('ARITHMETIC_OVERFLOW', { operation: 'the next identity value', type: 'bigint' })
}

function requiredSteps(plan: WritePlan): Step[] {
  const { fields } = plan.layout.schema
  const required = [...filledOrdinals(plan)].filter((ordinal) => fields[ordinal]!.nullable === false)
  return required.map((ordinal) => (row) => {
    if (row[ordinal] !== null) return
    throw deltaError('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', { column: fields[ordinal]!.name })
  })
}

function checkSteps({ checks = [] }: WritePlan): Step[] {
  return checks.map((check) => {
    const holds = compileEvaluator(check.condition)
    return (row) => {
      if (holds(row) !== true) throw violationOf(check, row)
    }
  })
}

function violationOf({ shown, violation }: RowCheck, row: Row): Error {
  return violation(shown.map((column) => compileEvaluator(column)(row)))
}
