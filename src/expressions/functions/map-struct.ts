/** Maps and structs: made, taken apart, joined. */
import { deltaError } from '../../errors/index.ts'
import {
  arrayType,
  booleanType,
  type DataType,
  field,
  type MapEntry,
  type MapType,
  mapType,
  type Row,
  stringType,
  structType,
  type Value,
  voidType,
} from '../../schema/index.ts'
import { coerce } from '../bind/coercion.ts'
import { anyMap, strictly } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { equality } from '../evaluate/compare.ts'
import { asDataType, castKey } from './array.ts'
import { makeMap } from './collection-values.ts'
import { meetAll } from './comparison.ts'
import {
  callOf,
  castArgument,
  castArguments,
  type FunctionEntry,
  type NotNull,
  simple,
  unexpectedInput,
} from './entry.ts'
import { javaSplit } from './string-search.ts'

type Entries = readonly MapEntry[]

function wrongCount(name: string, expected: string, actual: number): Error {
  return deltaError('WRONG_NUM_ARGS.WITHOUT_SUGGESTION', { name, expected, actual })
}

function checkKey(type: DataType): DataType {
  if (type.kind === 'map' || type.kind === 'variant')
    throw deltaError('DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE', { type: type.kind })
  return type
}

const mapEntry: FunctionEntry = {
  name: 'map',
  arity: [0, Number.POSITIVE_INFINITY],
  bind(args) {
    if (args.length % 2 !== 0) throw wrongCount('map', 'an even number of', args.length)
    const keys = args.filter((_, i) => i % 2 === 0)
    const values = args.filter((_, i) => i % 2 === 1)
    const key = checkKey(keys.length === 0 ? voidType : asDataType(meetAll('map', keys), 'a map'))
    const value = values.length === 0 ? voidType : asDataType(meetAll('map', values), 'a map')
    const cast = args.map((arg, i) => coerce(arg, i % 2 === 0 ? key : value))
    return callOf('map', cast, mapType(key, value))
  },
  lazy({ evaluators, type }) {
    const { key } = type as MapType
    return (row) => {
      const entries: MapEntry[] = []
      for (let i = 0; i < evaluators.length; i += 2)
        entries.push({ key: evaluators[i]!(row), value: evaluators[i + 1]!(row) })
      return makeMap(entries, key)
    }
  },
}

const namedStruct: FunctionEntry = {
  name: 'named_struct',
  arity: [0, Number.POSITIVE_INFINITY],
  bind(args) {
    if (args.length % 2 !== 0) throw wrongCount('named_struct', 'an even number of', args.length)
    const fields = []
    for (let i = 0; i < args.length; i += 2) {
      const name = args[i]!
      if (name.kind !== 'literal' || name.type.kind !== 'string' || name.value === null) {
        throw deltaError('DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING')
      }
      fields.push(field(name.value as string, asDataType(args[i + 1]!.type, 'a struct')))
    }
    return callOf('named_struct', args, structType(fields))
  },
  lazy({ evaluators }) {
    const values = evaluators.filter((_, i) => i % 2 === 1)
    return (row) => values.map((evaluator) => evaluator(row))
  },
}

function partOfMap(name: string, gives: (type: MapType) => DataType, read: (entry: MapEntry) => Value): FunctionEntry {
  return simple({
    name,
    takes: [anyMap],
    gives: ([type]) => gives(type as MapType),
    strict: () => (map) => (map as Entries).map(read),
  })
}

function entriesType(type: MapType): DataType {
  return arrayType(structType([field('key', type.key, false), field('value', type.value)]), false)
}

const mapFromArrays: FunctionEntry = {
  name: 'map_from_arrays',
  arity: [2, 2],
  bind([keys, values]) {
    if (keys!.type.kind !== 'array') throw unexpectedInput('map_from_arrays', 0, 'an array', keys!.type)
    if (values!.type.kind !== 'array') throw unexpectedInput('map_from_arrays', 1, 'an array', values!.type)
    return callOf('map_from_arrays', [keys!, values!], mapType(checkKey(keys!.type.element), values!.type.element))
  },
  strict({ type }) {
    const { key } = type as MapType
    return (keys, values) => {
      const [names, items] = [keys as readonly Value[], values as readonly Value[]]
      if (names.length !== items.length) throw deltaError('_LEGACY_ERROR_TEMP_2128')
      return makeMap(
        names.map((name, i) => ({ key: name, value: items[i]! })),
        key,
      )
    }
  },
}

const mapFromEntries: FunctionEntry = {
  name: 'map_from_entries',
  arity: [1, 1],
  bind([entries]) {
    const { type } = entries!
    if (type.kind !== 'array' || type.element.kind !== 'struct' || type.element.fields.length !== 2) {
      throw unexpectedInput('map_from_entries', 0, 'an array of pairs', type)
    }
    const [key, value] = type.element.fields
    return callOf('map_from_entries', [entries!], mapType(checkKey(key!.type), value!.type))
  },
  strict({ type }) {
    const { key } = type as MapType
    return (entries) => {
      const rows = entries as readonly (Row | null)[]
      if (rows.includes(null)) return null
      return makeMap(
        (rows as readonly Row[]).map((row) => ({ key: row[0]!, value: row[1]! })),
        key,
      )
    }
  },
}

const mapConcat: FunctionEntry = {
  name: 'map_concat',
  arity: [0, Number.POSITIVE_INFINITY],
  bind(args, site) {
    if (args.length === 0) return callOf('map', [], mapType(stringType, stringType))
    if (args.some(({ type }) => type.kind !== 'map' && type.kind !== 'void')) {
      const types = args.map((arg) => typeText(arg.type)).join(', ')
      throw deltaError('DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES', { name: site.name, types })
    }
    const maps = castArguments(args, [anyMap], site.name)
    const type = meetAll('map_concat', maps)
    return callOf(
      'map_concat',
      maps.map((map) => coerce(map, type)),
      type,
    )
  },
  strict({ type }) {
    const { key } = type as MapType
    return (...maps) => makeMap((maps as Entries[]).flat(1), key)
  },
}

export const mapStructFunctions: readonly FunctionEntry[] = [
  mapEntry,
  namedStruct,
  mapFromArrays,
  mapFromEntries,
  mapConcat,
  partOfMap(
    'map_keys',
    (type) => arrayType(type.key, false),
    (entry) => entry.key,
  ),
  partOfMap(
    'map_values',
    (type) => arrayType(type.value),
    (entry) => entry.value,
  ),
  partOfMap('map_entries', entriesType, (entry) => [entry.key, entry.value]),
  {
    name: 'map_contains_key',
    arity: [2, 2],
    bind([map, key], site) {
      if (map!.type.kind !== 'map' && map!.type.kind !== 'void') {
        const [left, right] = [typeText(map!.type), typeText(key!.type)]
        throw deltaError('DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES', { name: site.name, left, right })
      }
      const arg = castArgument(map!, anyMap, site.name, 0)
      return callOf('map_contains_key', [arg, castKey(key!, arg.type as MapType, site.name)], booleanType)
    },
    strict({ types }) {
      const equal = equality(types[1]!)
      return (map, key) => (map as Entries).some((entry) => equal(entry.key as NotNull, key))
    },
  },
  simple({
    name: 'str_to_map',
    takes: [strictly(stringType), strictly(stringType), strictly(stringType)],
    least: 1,
    gives: mapType(stringType, stringType),
    strict:
      () =>
      (value, pairs: NotNull = ',', pair: NotNull = ':') =>
        makeMap(
          javaSplit(value as string, pairs as string, -1).map((part) => {
            const [key, ...rest] = javaSplit(part, pair as string, 2)
            return { key: key!, value: rest[0] ?? null }
          }),
          stringType,
        ),
  }),
]
