/** Fields of structs, elements of arrays, values of maps: `a.b`, `a[0]`, `m['k']`. */
import { deltaError } from '../../errors/index.ts'
import {
  type DataType,
  foldCase,
  integerType,
  type MapEntry,
  type Row,
  stringType,
  type Value,
} from '../../schema/index.ts'
import { coerce, isIntegralType } from '../bind/coercion.ts'
import { only } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import { equality } from '../evaluate/compare.ts'
import type { BoundExpression } from '../expression.ts'
import { callOf, castArgument, type FunctionEntry, unexpectedInput } from './entry.ts'

/** The ordinal of a field by name, regardless of case. */
function ordinalOf(base: BoundExpression, name: string): { ordinal: number; type: DataType; name: string } {
  if (base.type.kind !== 'struct') {
    throw deltaError('INVALID_EXTRACT_BASE_FIELD_TYPE', {
      base: `the value before .${name}`,
      type: typeText(base.type),
    })
  }
  const { fields } = base.type
  const matches = fields.flatMap((f, i) => (foldCase(f.name) === foldCase(name) ? [i] : []))
  if (matches.length > 1) throw deltaError('AMBIGUOUS_REFERENCE_TO_FIELDS', { name, count: matches.length })
  const [ordinal] = matches
  if (ordinal === undefined) throw deltaError('FIELD_NOT_FOUND', { name, fields: fields.map((f) => f.name) })
  return { ordinal, type: fields[ordinal]!.type, name: fields[ordinal]!.name }
}

function bindField(base: BoundExpression, name: string): BoundExpression {
  if (base.type.kind === 'array' && base.type.element.kind === 'struct') return bindFieldOfArray(base, name)
  if (base.type.kind === 'map') return bindItem(base, { kind: 'literal', value: name, type: stringType })
  const { ordinal, type, name: spelled } = ordinalOf(base, name)
  if (base.kind === 'column') {
    return { kind: 'column', ordinals: [...base.ordinals, ordinal], path: [...base.path, spelled], type }
  }
  const position: BoundExpression = { kind: 'literal', value: ordinal, type: integerType }
  return callOf('getfield', [base, position], type)
}

/** `array_of_structs.field`: the field of each element. */
function bindFieldOfArray(base: BoundExpression, name: string): BoundExpression {
  const element = (base.type as { element: DataType }).element
  const { ordinal, type } = ordinalOf({ kind: 'literal', value: null, type: element }, name)
  const position: BoundExpression = { kind: 'literal', value: ordinal, type: integerType }
  return callOf('getfields', [base, position], { kind: 'array', element: type, containsNull: true })
}

function bindItem(base: BoundExpression, index: BoundExpression): BoundExpression {
  if (base.type.kind === 'map') {
    const { key, value } = base.type
    return callOf('getvalue', [base, castArgument(index, only(key), 'the key of a map', 0)], value)
  }
  if (base.type.kind === 'array') {
    const at = index.type.kind === 'void' ? coerce(index, integerType) : index
    if (!isIntegralType(at.type)) throw unexpectedInput('the index of an array', 1, 'a whole number', at.type)
    return callOf('getitem', [base, at], base.type.element)
  }
  if (base.type.kind === 'struct' && index.kind === 'literal' && typeof index.value === 'string') {
    return bindField(base, index.value)
  }
  throw deltaError('INVALID_EXTRACT_BASE_FIELD_TYPE', { base: 'the value before [ ]', type: typeText(base.type) })
}

const internal = (name: string, rest: Pick<FunctionEntry, 'strict' | 'lazy'>): FunctionEntry => ({
  name,
  arity: [2, 2],
  bind: ([base]) => {
    throw unexpectedInput(name, 0, 'the operator it stands for', base!.type)
  },
  ...rest,
})

export const accessFunctions: readonly FunctionEntry[] = [
  {
    name: 'getfield',
    arity: [2, 2],
    bind: ([base, name]) => bindField(base!, name!.kind === 'literal' ? String(name!.value) : ''),
    strict: () => (struct, ordinal) => (struct as Row)[ordinal as number] ?? null,
  },
  internal('getfields', {
    strict: () => (array, ordinal) =>
      (array as readonly Value[]).map((item) => (item === null ? null : ((item as Row)[ordinal as number] ?? null))),
  }),
  {
    name: 'getitem',
    arity: [2, 2],
    bind: ([base, index]) => bindItem(base!, index!),
    strict: () => (array, index) => {
      const items = array as readonly Value[]
      const at = Number(index)
      if (at < 0 || at >= items.length) throw deltaError('INVALID_ARRAY_INDEX', { index, size: items.length })
      return items[at]!
    },
  },
  internal('getvalue', {
    strict: ({ types }) => {
      const equal = equality(types[1]!)
      return (map, key) => {
        const entry = (map as readonly MapEntry[]).find((candidate) => equal(candidate.key as never, key))
        return entry?.value ?? null
      }
    },
  }),
]
