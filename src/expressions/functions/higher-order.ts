/** Functions that take a lambda: `transform(a, x -> x + 1)`. */
import { deltaError } from '../../errors/index.ts'
import {
  type ArrayType,
  arrayType,
  booleanType,
  type DataType,
  integerType,
  type MapEntry,
  type MapType,
  mapType,
  type Row,
  type Value,
} from '../../schema/index.ts'
import { coerce, equalTypes } from '../bind/coercion.ts'
import { anyArray, anyMap } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import type { BoundExpression } from '../expression.ts'
import { asDataType } from './array.ts'
import { makeMap } from './collection-values.ts'
import { type CallShape, type CallSite, callOf, castArgument, type Evaluator, type FunctionEntry } from './entry.ts'

type Items = readonly Value[]
type Entries = readonly MapEntry[]
type Body = (row: Row, ...params: Value[]) => Value

/** A lambda over the elements of an array, with or without their index. */
function elementLambda(site: CallSite, element: DataType): BoundExpression {
  return site.lambda(1, site.lambdaArity(1) === 2 ? [element, integerType] : [element])
}

/** A lambda whose result must be boolean. */
function predicate(name: string, lambda: BoundExpression): BoundExpression {
  if (lambda.type.kind === 'boolean') return lambda
  if (lambda.type.kind === 'void' && lambda.kind === 'lambda') {
    return { ...lambda, body: coerce(lambda.body, booleanType), type: booleanType }
  }
  throw deltaError('DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE', {
    name,
    position: 2,
    expected: 'a lambda that gives boolean',
    actual: typeText(lambda.type),
  })
}

function overArray(
  name: string,
  bindLambda: (site: CallSite, element: DataType) => BoundExpression,
  gives: (array: ArrayType, lambda: BoundExpression) => DataType,
  run: (items: Items, test: (item: Value, index: number) => Value) => Value,
  aliases: readonly string[] = [],
): FunctionEntry {
  return {
    name,
    aliases,
    arity: [2, 2],
    bind([array], site) {
      const arg = castArgument(array!, anyArray, site.name, 0)
      const type = arg.type as ArrayType
      const lambda = bindLambda(site, type.element)
      return callOf(name, [arg, lambda], gives(type, lambda))
    },
    lazy({ evaluators: [array], lambda }) {
      const body = lambda(1)
      return (row) => {
        const items = array!(row)
        return items === null ? null : run(items as Items, (item, index) => body(row, item, index))
      }
    },
  }
}

function exists(items: Items, test: (item: Value, index: number) => Value, decisive: boolean): Value {
  let unknown = false
  for (const [i, item] of items.entries()) {
    const result = test(item, i)
    if (result === decisive) return decisive
    if (result === null) unknown = true
  }
  return unknown ? null : !decisive
}

const single = (site: CallSite, element: DataType): BoundExpression => predicate(site.name, site.lambda(1, [element]))

const aggregate: FunctionEntry = {
  name: 'aggregate',
  aliases: ['reduce'],
  arity: [3, 4],
  bind([array, zero, _merge, finish], site) {
    const arg = castArgument(array!, anyArray, site.name, 0)
    const merge = site.lambda(2, [zero!.type, (arg.type as ArrayType).element])
    if (!equalTypes(merge.type, zero!.type)) {
      throw deltaError('DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE', {
        name: site.name,
        position: 3,
        expected: `a lambda that gives ${typeText(zero!.type)}`,
        actual: typeText(merge.type),
      })
    }
    const last = finish === undefined ? [] : [site.lambda(3, [zero!.type])]
    return callOf('aggregate', [arg, zero!, merge, ...last], last[0]?.type ?? zero!.type)
  },
  lazy({ args, evaluators: [array, zero], lambda }) {
    const merge = lambda(2)
    const finish: Body | undefined = args.length === 4 ? lambda(3) : undefined
    return (row) => {
      const items = array!(row)
      if (items === null) return null
      let total = zero!(row)
      for (const item of items as Items) total = merge(row, total, item)
      return finish === undefined ? total : finish(row, total)
    }
  },
}

const zipWith: FunctionEntry = {
  name: 'zip_with',
  arity: [3, 3],
  bind([left, right], site) {
    const [a, b] = [castArgument(left!, anyArray, site.name, 0), castArgument(right!, anyArray, site.name, 1)]
    const lambda = site.lambda(2, [(a.type as ArrayType).element, (b.type as ArrayType).element])
    return callOf('zip_with', [a, b, lambda], arrayType(asDataType(lambda.type, 'an array')))
  },
  lazy({ evaluators: [left, right], lambda }) {
    const body = lambda(2)
    return (row) => {
      const [a, b] = [left!(row), right!(row)] as [Items | null, Items | null]
      if (a === null || b === null) return null
      return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => body(row, a[i] ?? null, b[i] ?? null))
    }
  },
}

function overMap(
  name: string,
  gives: (map: MapType, lambda: BoundExpression) => DataType,
  make: (entries: Entries, shape: CallShape, body: (entry: MapEntry) => Value) => Value,
): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    bind([map], site) {
      const arg = castArgument(map!, anyMap, site.name, 0)
      const type = arg.type as MapType
      const lambda = site.lambda(1, [type.key, type.value])
      const checked = name === 'map_filter' ? predicate(name, lambda) : lambda
      return callOf(name, [arg, checked], gives(type, checked))
    },
    lazy(shape): Evaluator {
      const [map] = shape.evaluators
      const body = shape.lambda(1)
      return (row) => {
        const entries = map!(row)
        if (entries === null) return null
        return make(entries as Entries, shape, (entry) => body(row, entry.key, entry.value))
      }
    },
  }
}

export const higherOrderFunctions: readonly FunctionEntry[] = [
  overArray(
    'transform',
    elementLambda,
    (_array, lambda) => arrayType(asDataType(lambda.type, 'an array')),
    (items, map) => items.map(map),
  ),
  overArray(
    'filter',
    (site, element) => predicate(site.name, elementLambda(site, element)),
    (array) => array,
    (items, test) => items.filter((item, i) => test(item, i) === true),
  ),
  overArray(
    'exists',
    single,
    () => booleanType,
    (items, test) => exists(items, test, true),
  ),
  overArray(
    'forall',
    single,
    () => booleanType,
    (items, test) => exists(items, test, false),
  ),
  aggregate,
  zipWith,
  overMap(
    'map_filter',
    (map) => map,
    (entries, _shape, test) => entries.filter((entry) => test(entry) === true),
  ),
  overMap(
    'transform_values',
    (map, lambda) => mapType(map.key, asDataType(lambda.type, 'a map')),
    (entries, _shape, value) => entries.map((entry) => ({ key: entry.key, value: value(entry) })),
  ),
  overMap(
    'transform_keys',
    (map, lambda) => mapType(asDataType(lambda.type, 'a map'), map.value),
    (entries, { type }, key) =>
      makeMap(
        entries.map((entry) => ({ key: key(entry), value: entry.value })),
        (type as MapType).key,
      ),
  ),
]
