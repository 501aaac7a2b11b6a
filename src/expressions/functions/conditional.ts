/** IF, COALESCE and their kin. What can be said as CASE is bound as CASE. */
import { deltaError } from '../../errors/index.ts'
import { booleanType, stringType, voidType } from '../../schema/index.ts'
import { coerce } from '../bind/coercion.ts'
import { anyType, only } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { meetAll } from './comparison.ts'
import { type CallSite, callOf, type FunctionEntry, simple, unexpectedInput } from './entry.ts'

interface Branch {
  readonly when: BoundExpression
  readonly then: BoundExpression
}

/**
 * A bound CASE: results meet in one type, conditions are boolean already.
 *
 * @throws DeltaError `DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE`, `DATATYPE_MISMATCH.DATA_DIFF_TYPES`
 */
export function bindCase(name: string, branches: readonly Branch[], otherwise?: BoundExpression): BoundExpression {
  for (const [i, { when }] of branches.entries()) {
    if (when.type.kind !== 'boolean') throw unexpectedInput(name, i * 2, 'boolean', when.type)
  }
  const results = [...branches.map(({ then }) => then), ...(otherwise === undefined ? [] : [otherwise])]
  const type = meetAll(name, results)
  return {
    kind: 'case',
    branches: branches.map(({ when, then }) => ({ when, then: coerce(then, type) })),
    otherwise: otherwise === undefined ? nothing(type) : coerce(otherwise, type),
    type,
  }
}

function nothing(type: ExpressionType): BoundExpression {
  return { kind: 'literal', value: null, type }
}

function zero(type: ExpressionType): BoundExpression {
  return coerce({ kind: 'literal', value: 0, type: { kind: 'integer' } }, type)
}

/** Set by the table, which knows `=` and `<=>`: they bind their operands. */
export type OperatorBinder = (name: string, args: readonly BoundExpression[], site: CallSite) => BoundExpression

export function conditionalFunctions(operator: OperatorBinder): readonly FunctionEntry[] {
  return [...choices, ...nullFunctions(operator), typeOf, ...raising]
}

const choices: readonly FunctionEntry[] = [
  {
    name: 'if',
    arity: [3, 3],
    bind: ([when, then, otherwise]) =>
      bindCase(
        'if',
        [{ when: when!.type.kind === 'void' ? coerce(when!, booleanType) : when!, then: then! }],
        otherwise!,
      ),
  },
  {
    name: 'coalesce',
    aliases: ['nvl', 'ifnull'],
    arity: [1, Number.POSITIVE_INFINITY],
    bind(args) {
      const type = meetAll('coalesce', args)
      const cast = args.map((arg) => coerce(arg, type))
      return callOf('coalesce', cast, type)
    },
    lazy({ evaluators }) {
      return (row) => {
        for (const evaluator of evaluators) {
          const value = evaluator(row)
          if (value !== null) return value
        }
        return null
      }
    },
  },
]

function nullFunctions(operator: OperatorBinder): readonly FunctionEntry[] {
  return [
    {
      name: 'nvl2',
      arity: [3, 3],
      bind([value, then, otherwise], site) {
        return bindCase('nvl2', [{ when: operator('isnotnull', [value!], site), then: then! }], otherwise!)
      },
    },
    {
      name: 'nullif',
      arity: [2, 2],
      bind([value, other], site) {
        const when = operator('=', [value!, other!], site)
        return bindCase('nullif', [{ when, then: nothing(voidType) }], value!)
      },
    },
    {
      name: 'nullifzero',
      arity: [1, 1],
      bind([value], site) {
        const when = operator('=', [value!, zero({ kind: 'integer' })], site)
        return bindCase('nullifzero', [{ when, then: nothing(voidType) }], value!)
      },
    },
    {
      name: 'zeroifnull',
      arity: [1, 1],
      bind: ([value], site) => operator('coalesce', [value!, zero({ kind: 'integer' })], site),
    },
  ]
}

const typeOf: FunctionEntry = {
  name: 'typeof',
  arity: [1, 1],
  bind: ([value]) => ({ kind: 'literal', value: typeText(value!.type), type: stringType }),
}

const raising: readonly FunctionEntry[] = [
  simple({
    name: 'assert_true',
    takes: [only(booleanType), only(stringType)],
    least: 1,
    gives: voidType,
    lazy: ({ evaluators: [value, message] }) => {
      const evaluate = value!
      return (row) => {
        if (evaluate(row) === true) return null
        throw deltaError('USER_RAISED_EXCEPTION', { text: message?.(row) ?? 'the condition is not true' })
      }
    },
  }),
  simple({
    name: 'raise_error',
    takes: [only(stringType), anyType],
    least: 1,
    gives: voidType,
    lazy: ({ evaluators }) => {
      if (evaluators.length > 1) throw unsupported('raise_error with an error class', 'give the message alone')
      const message = evaluators[0]!
      return (row) => {
        throw deltaError('USER_RAISED_EXCEPTION', { text: message(row) ?? 'NULL' })
      }
    },
  }),
]
