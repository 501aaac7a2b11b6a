/** Comparisons, IN, and the choice of the greatest or least. */
import { deltaError } from '../../errors/index.ts'
import { booleanType, doubleType, floatType, type Value } from '../../schema/index.ts'
import { meetOperands } from '../bind/binary.ts'
import { coerce, commonType, isOrderable, widerType, widerTypeWithoutText } from '../bind/coercion.ts'
import { oneOf, only } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { comparator, equality, setKey } from '../evaluate/compare.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { type CallShape, callOf, type Evaluator, type FunctionEntry, type NotNull, simple } from './entry.ts'

export function refuseUnordered(name: string, type: ExpressionType): void {
  if (!isOrderable(type)) throw deltaError('DATATYPE_MISMATCH.INVALID_ORDERING_TYPE', { name, type: typeText(type) })
}

function bindComparison(name: string): FunctionEntry['bind'] {
  return ([left, right]) => {
    const rule = { name, expected: 'values with an order', accepts: () => true, nothing: booleanType }
    const met = meetOperands(left!, right!, rule)
    refuseUnordered(name, met.type)
    return callOf(name, [met.left, met.right], booleanType)
  }
}

function comparison(name: string, aliases: readonly string[], test: (order: number) => boolean): FunctionEntry {
  return {
    name,
    aliases,
    arity: [2, 2],
    bind: bindComparison(name),
    strict({ types }) {
      const compare = comparator(types[0]!)
      return (a, b) => test(compare(a, b))
    },
  }
}

function equalityEntry(name: string, aliases: readonly string[], negated: boolean): FunctionEntry {
  return {
    name,
    aliases,
    arity: [2, 2],
    bind: bindComparison(name),
    strict({ types }) {
      const equal = equality(types[0]!)
      return negated ? (a, b) => !equal(a, b) : equal
    },
  }
}

/** Most literals before a list is looked up in a set instead of compared one by one. */
const SCAN_LIMIT = 4

function lookUp(shape: CallShape): Evaluator {
  const [value, ...items] = shape.evaluators as [Evaluator, ...Evaluator[]]
  const key = setKey(shape.types[0]!)
  const literals = shape.args.slice(1).every((arg) => arg.kind === 'literal')
  if (key === undefined || !literals || items.length <= SCAN_LIMIT) return scanItems(shape, value, items)
  const values = items.map((item) => item([]))
  const known = new Set(values.filter((item): item is NotNull => item !== null).map(key))
  const missing: Value = values.includes(null) ? null : false
  return (row) => {
    const wanted = value(row)
    if (wanted === null) return null
    return known.has(key(wanted)) ? true : missing
  }
}

function scanItems({ types }: CallShape, value: Evaluator, items: readonly Evaluator[]): Evaluator {
  const equal = equality(types[0]!)
  return (row) => {
    const wanted = value(row)
    if (wanted === null) return null
    let unknown = false
    for (const item of items) {
      const candidate = item(row)
      if (candidate === null) unknown = true
      else if (equal(wanted, candidate)) return true
    }
    return unknown ? null : false
  }
}

function extreme(name: 'greatest' | 'least', sign: 1 | -1): FunctionEntry {
  return {
    name,
    arity: [2, Number.POSITIVE_INFINITY],
    bind(args) {
      const type = meetAll(name, args, widerTypeWithoutText)
      refuseUnordered(name, type)
      return callOf(
        name,
        args.map((arg) => coerce(arg, type)),
        type,
      )
    },
    lazy({ evaluators, type }) {
      if (type.kind === 'void') return () => null
      const compare = comparator(type)
      return (row) => {
        let best: Value = null
        for (const evaluator of evaluators) {
          const value = evaluator(row)
          if (value !== null && (best === null || compare(value, best) * sign > 0)) best = value
        }
        return best
      }
    },
  }
}

/** The type all arguments meet in. */
export function meetAll(name: string, args: readonly BoundExpression[], meet = widerType): ExpressionType {
  const types = args.map((arg) => arg.type)
  const type = commonType(types, meet)
  if (type === undefined) throw deltaError('DATATYPE_MISMATCH.DATA_DIFF_TYPES', { name, types: types.map(typeText) })
  return type
}

export const comparisonFunctions: readonly FunctionEntry[] = [
  equalityEntry('=', ['=='], false),
  equalityEntry('!=', ['<>'], true),
  comparison('<', [], (order) => order < 0),
  comparison('<=', [], (order) => order <= 0),
  comparison('>', [], (order) => order > 0),
  comparison('>=', [], (order) => order >= 0),
  {
    name: '<=>',
    aliases: ['equal_null'],
    arity: [2, 2],
    bind: bindComparison('<=>'),
    lazy({ types, evaluators: [left, right] }) {
      const [a, b] = [left!, right!]
      if (types[0]!.kind === 'void') return () => true
      const equal = equality(types[0]!)
      return (row) => {
        const x = a(row)
        const y = b(row)
        return x === null || y === null ? x === y : equal(x, y)
      }
    },
  },
  {
    name: 'in',
    arity: [2, Number.POSITIVE_INFINITY],
    bind(args) {
      const type = meetAll('IN', args)
      refuseUnordered('IN', type)
      return callOf(
        'in',
        args.map((arg) => coerce(arg, type)),
        booleanType,
      )
    },
    lazy: (shape) => (shape.types[0]!.kind === 'void' ? () => null : lookUp(shape)),
  },
  extreme('greatest', 1),
  extreme('least', -1),
  simple({
    name: 'isnan',
    takes: [oneOf(only(doubleType), only(floatType))],
    gives: booleanType,
    lazy({ evaluators: [value] }) {
      const evaluate = value!
      return (row) => Number.isNaN(evaluate(row))
    },
  }),
  {
    name: 'nanvl',
    arity: [2, 2],
    bind(args, site) {
      const bound = simple({
        name: 'nanvl',
        takes: [oneOf(only(doubleType), only(floatType))],
        gives: doubleType,
      }).bind(args, site) as Extract<BoundExpression, { kind: 'call' }>
      const type = bound.args.every((arg) => arg.type.kind === 'float') ? floatType : doubleType
      return callOf(
        'nanvl',
        bound.args.map((arg) => coerce(arg, type)),
        type,
      )
    },
    lazy({ evaluators: [value, other] }) {
      const [a, b] = [value!, other!]
      return (row) => {
        const first = a(row)
        return Number.isNaN(first) ? b(row) : first
      }
    },
  },
]
