/** Arrays as sets and in order: what is in them, what is common, what is least. */
import { deltaError } from '../../errors/index.ts'
import { booleanType, type DataType, longType, type Value } from '../../schema/index.ts'
import { coerce, tightestType, widerType } from '../bind/coercion.ts'
import { anyArray, only } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { comparator, equality } from '../evaluate/compare.ts'
import { unsupported } from '../unsupported.ts'
import { bindWithElement, elementOf, type Items } from './array.ts'
import { valueSet, withoutNegativeZero } from './collection-values.ts'
import { refuseUnordered } from './comparison.ts'
import {
  type CallShape,
  callOf,
  castArgument,
  castArguments,
  type FunctionEntry,
  type NotNull,
  simple,
} from './entry.ts'

/** `name(array, array)`: both meet in one type. */
function bindPair(name: string, gives: (array: DataType) => DataType): FunctionEntry['bind'] {
  return (args, site) => {
    const isPair = args.every(({ type }) => type.kind === 'array' || type.kind === 'void')
    const cast = isPair ? castArguments(args, [anyArray], site.name) : args
    const type = !isPair
      ? undefined
      : (tightestType(cast[0]!.type, cast[1]!.type) ?? widerType(cast[0]!.type, cast[1]!.type))
    if (type === undefined) {
      const [left, right] = cast.map((arg) => typeText(arg.type))
      throw deltaError('DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES', { name, left, right })
    }
    return callOf(
      name,
      cast.map((arg) => coerce(arg, type)),
      gives(type as DataType),
    )
  }
}

/** Spark's sets of arrays treat -0 in ways that differ by version. */
function refuseNegativeZero(...arrays: readonly Items[]): void {
  if (arrays.some((items) => items.some((item) => Object.is(item, -0)))) {
    throw unsupported('-0.0 in a set operation on arrays', 'add 0.0 to the elements')
  }
}

function setOperation(name: string, combine: (left: Items, right: Items, type: DataType) => Items): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    bind: bindPair(name, (type) => type),
    strict({ type }) {
      const element = elementOf(type)
      return (left, right) => {
        refuseNegativeZero(left as Items, right as Items)
        return combine(left as Items, right as Items, element)
      }
    },
  }
}

function distinct(items: Items, type: DataType): Items {
  const seen = valueSet(type)
  return items.map(withoutNegativeZero).filter((item) => seen.add(item))
}

function within(items: Items, type: DataType): (value: Value) => boolean {
  const set = valueSet(type)
  for (const item of items) set.add(item)
  return (value) => set.has(value)
}

const bindContains: FunctionEntry['bind'] = (args, site) => {
  if (args[1]!.type.kind === 'void') throw deltaError('DATATYPE_MISMATCH.NULL_TYPE', { name: site.name })
  return bindWithElement('array_contains', () => booleanType)(args, site)
}

function contains({ types }: CallShape): (array: NotNull, element: NotNull) => Value {
  const equal = equality(types[1]!)
  return (array, element) => {
    let unknown = false
    for (const item of array as Items) {
      if (item === null) unknown = true
      else if (equal(item, element)) return true
    }
    return unknown ? null : false
  }
}

function overlap({ types }: CallShape): (left: NotNull, right: NotNull) => Value {
  const element = elementOf(types[0]!)
  return (left, right) => {
    const [a, b] = [left as Items, right as Items]
    const known = within(
      b.filter((item) => item !== null),
      element,
    )
    if (a.some((item) => item !== null && known(item))) return true
    const unknown = (a.includes(null) && b.length > 0) || (b.includes(null) && a.length > 0)
    return unknown ? null : false
  }
}

function sortItems(items: Items, type: DataType, descending: boolean, nullsFirst: boolean): Items {
  const compare = comparator(type)
  const present = items.filter((item): item is NotNull => item !== null).sort(compare)
  if (descending) present.reverse()
  const nulls: Value[] = items.filter((item) => item === null)
  return nullsFirst ? [...nulls, ...present] : [...present, ...nulls]
}

function bindSort(name: string): FunctionEntry['bind'] {
  return (args, site) => {
    if (site.lambdaArity(1) !== undefined)
      throw unsupported(`${name} with a comparison of its own`, 'sort by the natural order')
    const [array, ascending] = castArguments(args, [anyArray, only(booleanType)], site.name)
    refuseUnordered(name, array!.type)
    return callOf(name, ascending === undefined ? [array!] : [array!, ascending], array!.type)
  }
}

function extreme(name: string, sign: number): FunctionEntry {
  return {
    name,
    arity: [1, 1],
    bind([array], site) {
      const arg = castArgument(array!, anyArray, site.name, 0)
      refuseUnordered(name, arg.type)
      return callOf(name, [arg], elementOf(arg.type))
    },
    strict({ type }) {
      if (type.kind === 'void') return () => null
      const compare = comparator(type)
      return (array) => {
        let best: Value = null
        for (const item of array as Items) {
          if (item !== null && (best === null || compare(item, best) * sign > 0)) best = item
        }
        return best
      }
    },
  }
}

export const arraySearchFunctions: readonly FunctionEntry[] = [
  {
    name: 'array_contains',
    arity: [2, 2],
    bind: bindContains,
    strict: contains,
  },
  {
    name: 'array_position',
    arity: [2, 2],
    bind: bindWithElement('array_position', () => longType),
    strict({ types }) {
      const equal = equality(types[1]!)
      return (array, element) => BigInt((array as Items).findIndex((item) => item !== null && equal(item, element)) + 1)
    },
  },
  {
    name: 'array_remove',
    arity: [2, 2],
    bind: bindWithElement('array_remove', (type) => type),
    strict({ types }) {
      const equal = equality(types[1]!)
      return (array, element) => (array as Items).filter((item) => item === null || !equal(item, element))
    },
  },
  simple({
    name: 'array_distinct',
    takes: [anyArray],
    gives: ([type]) => type!,
    strict:
      ({ type }) =>
      (array) =>
        distinct(array as Items, elementOf(type)),
  }),
  setOperation('array_union', (left, right, type) => distinct([...left, ...right], type)),
  setOperation('array_intersect', (left, right, type) => distinct(left.filter(within(right, type)), type)),
  setOperation('array_except', (left, right, type) => {
    const known = within(right, type)
    return distinct(
      left.filter((item) => !known(item)),
      type,
    )
  }),
  { name: 'arrays_overlap', arity: [2, 2], bind: bindPair('arrays_overlap', () => booleanType), strict: overlap },
  {
    name: 'sort_array',
    arity: [1, 2],
    bind: bindSort('sort_array'),
    strict:
      ({ type }) =>
      (array, ascending: NotNull = true) =>
        sortItems(array as Items, elementOf(type), ascending !== true, ascending === true),
  },
  {
    name: 'array_sort',
    arity: [1, 2],
    bind: bindSort('array_sort'),
    strict:
      ({ type }) =>
      (array) =>
        sortItems(array as Items, elementOf(type), false, false),
  },
  extreme('array_max', 1),
  extreme('array_min', -1),
]
