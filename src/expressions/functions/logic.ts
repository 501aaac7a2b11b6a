/** AND, OR, NOT and the tests for NULL, in three-valued logic. */
import { booleanType } from '../../schema/index.ts'
import { meetOperands } from '../bind/binary.ts'
import { anyType, only, strictly } from '../bind/expected.ts'
import { callOf, castArgument, type FunctionEntry, simple } from './entry.ts'

function connective(name: 'and' | 'or'): FunctionEntry {
  const decisive = name === 'or'
  return {
    name,
    arity: [2, 2],
    bind([left, right]) {
      const rule = {
        name: name.toUpperCase(),
        expected: 'boolean',
        accepts: (type: { kind: string }) => type.kind === 'boolean',
        nothing: booleanType,
      }
      const met = meetOperands(left!, right!, rule)
      return callOf(name, [met.left, met.right], booleanType)
    },
    lazy({ evaluators: [left, right] }) {
      const [a, b] = [left!, right!]
      return (row) => {
        const first = a(row)
        if (first === decisive) return decisive
        const second = b(row)
        if (second === decisive) return decisive
        return first === null || second === null ? null : !decisive
      }
    },
  }
}

export const logicFunctions: readonly FunctionEntry[] = [
  connective('and'),
  connective('or'),
  simple({
    name: 'not',
    aliases: ['!'],
    takes: [only(booleanType)],
    gives: booleanType,
    strict: () => (value) => value !== true,
  }),
  simple({
    name: 'isnull',
    takes: [anyType],
    gives: booleanType,
    lazy: ({ evaluators: [value] }) => {
      const evaluate = value!
      return (row) => evaluate(row) === null
    },
  }),
  simple({
    name: 'isnotnull',
    takes: [anyType],
    gives: booleanType,
    lazy: ({ evaluators: [value] }) => {
      const evaluate = value!
      return (row) => evaluate(row) !== null
    },
  }),
  {
    name: 'isunknown',
    arity: [1, 1],
    bind([value], site) {
      return callOf('isnull', [castArgument(value!, strictly(booleanType), site.name, 0)], booleanType)
    },
  },
]
