/** Arrays and maps taken side by side. */
import { deltaError } from '../../errors/index.ts'
import {
  type ArrayType,
  arrayType,
  field,
  type MapEntry,
  type MapType,
  mapType,
  structType,
  type Value,
} from '../../schema/index.ts'
import { equalTypes } from '../bind/coercion.ts'
import { anyArray, anyMap } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { equality } from '../evaluate/compare.ts'
import type { BoundExpression } from '../expression.ts'
import { asDataType } from './array.ts'
import { callOf, castArgument, castArguments, type FunctionEntry, type NotNull } from './entry.ts'

type Items = readonly Value[]
type Entries = readonly MapEntry[]

/** The name a column brings to its member; other expressions have their place. */
function memberName(arg: BoundExpression, index: number): string {
  return arg.kind === 'column' ? arg.path.at(-1)! : String(index)
}

/** Members of one struct an index; a shorter array is filled up with NULL. */
const arraysZip: FunctionEntry = {
  name: 'arrays_zip',
  arity: [1, Number.POSITIVE_INFINITY],
  bind(given, site) {
    const args = castArguments(given, [anyArray], site.name)
    const fields = args.map((arg, i) => field(memberName(given[i]!, i), (arg.type as ArrayType).element))
    return callOf('arrays_zip', args, arrayType(structType(fields), false))
  },
  lazy({ evaluators }) {
    return (row) => {
      const arrays = evaluators.map((evaluator) => evaluator(row) as Items | null)
      if (!arrays.every((array) => array !== null)) return null
      const length = arrays.reduce((most, array) => Math.max(most, array.length), 0)
      return Array.from({ length }, (_, i) => arrays.map((array) => array[i] ?? null))
    }
  },
}

/** Every key of either map, those of the first before; a value that is missing is NULL. */
const mapZipWith: FunctionEntry = {
  name: 'map_zip_with',
  arity: [3, 3],
  bind([left, right], site) {
    const [a, b] = [castArgument(left!, anyMap, site.name, 0), castArgument(right!, anyMap, site.name, 1)]
    const [one, other] = [a.type as MapType, b.type as MapType]
    if (!equalTypes(one.key, other.key)) {
      throw deltaError('DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES', {
        name: site.name,
        left: typeText(one.key),
        right: typeText(other.key),
      })
    }
    const lambda = site.lambda(2, [one.key, one.value, other.value])
    return callOf('map_zip_with', [a, b, lambda], mapType(one.key, asDataType(lambda.type, 'a map')))
  },
  lazy({ evaluators: [left, right], types, lambda }) {
    const body = lambda(2)
    const same = equality((types[0] as MapType).key)
    return (row) => {
      const [a, b] = [left!(row), right!(row)] as [Entries | null, Entries | null]
      if (a === null || b === null) return null
      const find = (entries: Entries, key: Value) => entries.find((entry) => same(entry.key as NotNull, key as NotNull))
      const keys = [...a.map(({ key }) => key), ...b.map(({ key }) => key).filter((key) => !find(a, key))]
      return keys.map((key) => ({
        key,
        value: body(row, key, find(a, key)?.value ?? null, find(b, key)?.value ?? null),
      }))
    }
  },
}

export const zipFunctions: readonly FunctionEntry[] = [arraysZip, mapZipWith]
