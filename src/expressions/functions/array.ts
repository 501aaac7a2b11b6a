/** Functions on arrays. */
import { deltaError } from '../../errors/index.ts'
import {
  type ArrayType,
  arrayType,
  type DataType,
  integerType,
  type MapType,
  stringType,
  type Value,
  voidType,
} from '../../schema/index.ts'
import { coerce, equalTypes, tightestType } from '../bind/coercion.ts'
import { anyArray, type Expected, oneOf, only, strictly } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { equality } from '../evaluate/compare.ts'
import { type BoundExpression, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'
import { meetAll } from './comparison.ts'
import { callOf, castArgument, type FunctionEntry, type NotNull, simple } from './entry.ts'

export type Items = readonly Value[]

const whole = only(integerType)

const text = only(stringType)

const LONGEST = 10_000_000

export function elementOf(type: { kind: string }): DataType {
  return (type as ArrayType).element
}

/** A type that can stand inside an array. */
export function asDataType(type: BoundExpression['type'], name: string): DataType {
  if (isInterval(type)) throw unsupported(`${name} of intervals`, 'keep the number of days or seconds')
  return type
}

function differs(name: string, array: BoundExpression, element: BoundExpression): Error {
  const [left, right] = [typeText(array.type), typeText(element.type)]
  return deltaError('DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES', { name, left, right })
}

/** `name(array, element)`: the two meet in the type of the element. */
export function bindWithElement(name: string, gives: (array: DataType) => DataType): FunctionEntry['bind'] {
  return ([array, element], site) => {
    if (array!.type.kind !== 'array' && array!.type.kind !== 'void') throw differs(name, array!, element!)
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
    if (common === undefined) throw differs(name, arg, element!)
    const item = asDataType(common, name)
    const type = arrayType(item)
    return callOf(name, [coerce(arg, type), coerce(element!, item)], gives(type))
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

/**
 * A key as the type of a map's keys, where the two meet in that type without a loss.
 *
 * @throws DeltaError `DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES`
 */
export function castKey(key: BoundExpression, map: MapType, name: string): BoundExpression {
  const common = tightestType(map.key, key.type)
  if (common !== undefined && equalTypes(common, map.key)) return coerce(key, map.key)
  if (common !== undefined) throw unsupported(`${name} by a key that is wider than those of the map`, 'cast the key')
  throw deltaError('DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES', {
    name,
    left: typeText(map),
    right: typeText(key.type),
  })
}

/** Spark takes an index as an int, and casts what fits into one. */
const narrowIndex: Expected = {
  ...strictly(integerType),
  castFrom: (type) => (type.kind === 'byte' || type.kind === 'short' ? integerType : undefined),
}

function bindElementAt(name: string): FunctionEntry['bind'] {
  return ([base, index], site) => {
    if (base!.type.kind === 'map') {
      return callOf(name, [base!, castKey(index!, base!.type, name)], base!.type.value)
    }
    const array = castArgument(base!, anyArray, site.name, 0)
    const at = castArgument(index!, narrowIndex, site.name, 1)
    return callOf(name, [array, at], elementOf(array.type))
  }
}

const join: FunctionEntry = simple({
  name: 'array_join',
  takes: [only(arrayType(stringType)), strictly(stringType), strictly(stringType)],
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
      return callOf('array_insert', [items!, castArgument(position!, narrowIndex, site.name, 1), item!], pair.type)
    },
    lazy({ evaluators: [array, position, element] }) {
      return (row) => {
        const [items, at] = [array!(row), position!(row)]
        return items === null || at === null ? null : insert(items as Items, at as number, element!(row))
      }
    },
  },
  join,
  {
    name: 'array_repeat',
    arity: [2, 2],
    bind([element, count], site) {
      const type = asDataType(element!.type, 'an array')
      return callOf('array_repeat', [element!, castArgument(count!, narrowIndex, site.name, 1)], arrayType(type))
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
