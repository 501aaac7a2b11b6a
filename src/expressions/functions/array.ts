/** Functions on arrays. */
import { deltaError } from '../../errors/index.ts'
import {
  type ArrayType,
  arrayType,
  booleanType,
  type DataType,
  integerType,
  longType,
  stringType,
  type Value,
  voidType,
} from '../../schema/index.ts'
import { coerce, tightestType, widerType } from '../bind/coercion.ts'
import { anyArray, oneOf, only, strictly } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { comparator, equality } from '../evaluate/compare.ts'
import { type BoundExpression, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { valueSet, withoutNegativeZero } from './collection-values.ts'
import { meetAll, refuseUnordered } from './comparison.ts'
import {
  type CallShape,
  callOf,
  castArgument,
  castArguments,
  type FunctionEntry,
  type NotNull,
  simple,
} from './entry.ts'

type Items = readonly Value[]

const whole = only(integerType)
const text = only(stringType)
const LONGEST = 10_000_000

function elementOf(type: { kind: string }): DataType {
  return (type as ArrayType).element
}

/** A type that can stand inside an array. */
export function asDataType(type: BoundExpression['type'], name: string): DataType {
  if (isInterval(type)) throw unsupported(`${name} of intervals`, 'keep the number of days or seconds')
  return type
}

/** `name(array, element)`: the two meet in the type of the element. */
function bindWithElement(name: string, gives: (array: DataType) => DataType): FunctionEntry['bind'] {
  return ([array, element], site) => {
    const arg = castArgument(array!, anyArray, site.name, 0)
    if (array!.type.kind === 'void') {
      throw deltaError('DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE', {
        name,
        position: 1,
        expected: 'an array',
        actual: 'void',
      })
    }
    const common = tightestType(elementOf(arg.type), element!.type)
    if (common === undefined) {
      throw deltaError('DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES', {
        name,
        left: typeText(arg.type),
        right: typeText(element!.type),
      })
    }
    const item = asDataType(common, name)
    const type = arrayType(item)
    return callOf(name, [coerce(arg, type), coerce(element!, item)], gives(type))
  }
}

/** `name(array, array)`: both meet in one type. */
function bindPair(name: string, gives: (array: DataType) => DataType): FunctionEntry['bind'] {
  return (args, site) => {
    const cast = castArguments(args, [anyArray], site.name)
    const type = tightestType(cast[0]!.type, cast[1]!.type) ?? widerType(cast[0]!.type, cast[1]!.type)
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

function slice(items: Items, start: number, length: number): Items {
  if (start === 0) throw deltaError('INVALID_PARAMETER_VALUE.START')
  if (length < 0) throw deltaError('INVALID_PARAMETER_VALUE.LENGTH', { name: 'slice', length })
  const from = start > 0 ? start - 1 : items.length + start
  return from < 0 || from >= items.length ? [] : items.slice(from, from + length)
}

function insert(items: Items, position: number, element: Value): Items {
  if (position === 0) throw deltaError('INVALID_INDEX_OF_ZERO')
  if (position < 0) throw unsupported('array_insert from the end', 'count from 1')
  if (position > LONGEST) throw unsupported(`an array of ${position} elements`, 'ask for a shorter one')
  const missing = Math.max(0, position - 1 - items.length)
  const filled = [...items, ...Array.from({ length: missing }, () => null)]
  return [...filled.slice(0, position - 1), element, ...filled.slice(position - 1)]
}

function sequence(start: bigint, stop: bigint, step: bigint): bigint[] {
  if (step === 0n ? start !== stop : step > 0n ? start > stop : start < stop) {
    throw unsupported(`sequence(${start}, ${stop}, ${step})`, 'give a step that leads from the first to the last')
  }
  const length = step === 0n ? 1n : (stop - start) / step + 1n
  if (length > BigInt(LONGEST)) throw unsupported(`an array of ${length} elements`, 'ask for a shorter one')
  return Array.from({ length: Number(length) }, (_, i) => start + BigInt(i) * step)
}

const sequenceEntry: FunctionEntry = {
  name: 'sequence',
  arity: [2, 3],
  bind(args, site) {
    if (args.some((arg) => !['byte', 'short', 'integer', 'long'].includes(arg.type.kind))) {
      throw unsupported(`sequence of ${args.map((arg) => typeText(arg.type)).join(', ')}`, 'use whole numbers')
    }
    const type = meetAll(site.name, args) as DataType
    return callOf(
      'sequence',
      args.map((arg) => coerce(arg, type)),
      arrayType(type, false),
    )
  },
  strict({ types }) {
    const long = types[0]!.kind === 'long'
    return (start, stop, step?: NotNull) => {
      const [from, to] = [BigInt(start as number | bigint), BigInt(stop as number | bigint)]
      const by = step === undefined ? (from <= to ? 1n : -1n) : BigInt(step as number | bigint)
      const values = sequence(from, to, by)
      return long ? values : values.map(Number)
    }
  },
}

function elementAt(name: string, missing: (index: number, size: number) => Value): FunctionEntry['strict'] {
  return ({ types }) => {
    if (types[0]!.kind === 'map') {
      const equal = equality(types[1]!)
      return (map, key) =>
        (map as readonly { key: Value; value: Value }[]).find((entry) => equal(entry.key as NotNull, key))?.value ??
        null
    }
    return (array, index) => {
      const items = array as Items
      const at = index as number
      if (at === 0) throw deltaError('INVALID_INDEX_OF_ZERO', { name })
      return Math.abs(at) > items.length ? missing(at, items.length) : items.at(at > 0 ? at - 1 : at)!
    }
  }
}

function bindElementAt(name: string): FunctionEntry['bind'] {
  return ([base, index], site) => {
    if (base!.type.kind === 'map') {
      const { key, value } = base!.type
      return callOf(name, [base!, castArgument(index!, only(key), site.name, 1)], value)
    }
    const array = castArgument(base!, anyArray, site.name, 0)
    const at = castArgument(index!, oneOf(strictly(integerType), only(integerType)), site.name, 1)
    return callOf(name, [array, at], elementOf(array.type))
  }
}

const join: FunctionEntry = simple({
  name: 'array_join',
  takes: [only(arrayType(stringType)), text, text],
  least: 2,
  gives: stringType,
  strict: () => (array, separator, forNull?: NotNull) => {
    const items = (array as Items).map((item) => item ?? (forNull as string | undefined) ?? null)
    return items.filter((item) => item !== null).join(separator as string)
  },
})

export const arrayFunctions: readonly FunctionEntry[] = [
  {
    name: 'array',
    arity: [0, Number.POSITIVE_INFINITY],
    bind(args) {
      const type = args.length === 0 ? voidType : asDataType(meetAll('array', args), 'an array')
      return callOf(
        'array',
        args.map((arg) => coerce(arg, type)),
        arrayType(type),
      )
    },
    lazy:
      ({ evaluators }) =>
      (row) =>
        evaluators.map((evaluator) => evaluator(row)),
  },
  simple({
    name: 'size',
    aliases: ['cardinality'],
    takes: [oneOf(anyArray, { ...anyArray, text: 'a map', accepts: (type) => type.kind === 'map' })],
    gives: integerType,
    strict: () => (value) => (value as Items).length,
  }),
  simple({
    name: 'array_size',
    takes: [anyArray],
    gives: integerType,
    strict: () => (value) => (value as Items).length,
  }),
  {
    name: 'array_contains',
    arity: [2, 2],
    bind: bindWithElement('array_contains', () => booleanType),
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
  ...(['array_append', 'array_prepend'] as const).map(
    (name): FunctionEntry => ({
      name,
      arity: [2, 2],
      bind: bindWithElement(name, (type) => type),
      lazy({ evaluators: [array, element] }) {
        return (row) => {
          const items = array!(row)
          if (items === null) return null
          const item = element!(row)
          return name === 'array_append' ? [...(items as Items), item] : [item, ...(items as Items)]
        }
      },
    }),
  ),
  {
    name: 'array_insert',
    arity: [3, 3],
    bind([array, position, element], site) {
      const pair = bindWithElement('array_insert', (type) => type)([array!, element!], site)
      const [items, item] = (pair as Extract<BoundExpression, { kind: 'call' }>).args
      return callOf('array_insert', [items!, castArgument(position!, whole, site.name, 1), item!], pair.type)
    },
    lazy({ evaluators: [array, position, element] }) {
      return (row) => {
        const [items, at] = [array!(row), position!(row)]
        return items === null || at === null ? null : insert(items as Items, at as number, element!(row))
      }
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
  join,
  {
    name: 'array_repeat',
    arity: [2, 2],
    bind([element, count], site) {
      const type = asDataType(element!.type, 'an array')
      return callOf('array_repeat', [element!, castArgument(count!, whole, site.name, 1)], arrayType(type))
    },
    lazy({ evaluators: [element, count] }) {
      return (row) => {
        const length = count!(row)
        if (length === null) return null
        if ((length as number) > LONGEST) throw unsupported(`an array of ${length} elements`, 'ask for a shorter one')
        const item = element!(row)
        return Array.from({ length: Math.max(0, length as number) }, () => item)
      }
    },
  },
  simple({
    name: 'array_compact',
    takes: [anyArray],
    gives: ([type]) => type!,
    strict: () => (array) => (array as Items).filter((item) => item !== null),
  }),
  simple({
    name: 'slice',
    takes: [anyArray, whole, whole],
    gives: ([type]) => type!,
    strict: () => (array, start, length) => slice(array as Items, start as number, length as number),
  }),
  simple({
    name: 'flatten',
    takes: [
      {
        text: 'an array of arrays',
        nothing: arrayType(arrayType(voidType)),
        accepts: (type) => type.kind === 'array' && type.element.kind === 'array',
        castFrom: () => undefined,
      },
    ],
    gives: ([type]) => elementOf(type!),
    strict: () => (array) => {
      const inner = array as readonly (Items | null)[]
      return inner.includes(null) ? null : (inner as readonly Items[]).flat(1)
    },
  }),
  sequenceEntry,
  {
    name: 'element_at',
    arity: [2, 2],
    bind: bindElementAt('element_at'),
    strict: elementAt('element_at', (index, size) => {
      throw deltaError('INVALID_ARRAY_INDEX_IN_ELEMENT_AT', { index, size })
    })!,
  },
  {
    name: 'try_element_at',
    arity: [2, 2],
    bind: bindElementAt('try_element_at'),
    strict: elementAt('try_element_at', () => null)!,
  },
  simple({
    name: 'get',
    takes: [anyArray, whole],
    gives: ([type]) => elementOf(type!),
    strict: () => (array, index) => ((index as number) < 0 ? null : ((array as Items)[index as number] ?? null)),
  }),
  {
    name: 'reverse',
    arity: [1, 1],
    bind([value], site) {
      const arg = castArgument(value!, oneOf(anyArray, text), site.name, 0)
      return callOf('reverse', [arg], arg.type)
    },
    strict: ({ type }) =>
      type.kind === 'array'
        ? (array) => [...(array as Items)].reverse()
        : (value) =>
            Array.from(value as string)
              .reverse()
              .join(''),
  },
]
