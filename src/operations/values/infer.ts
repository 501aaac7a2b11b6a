/**
 * Types for columns that have none yet, from the values of records.
 *
 * Whole numbers give long, others double; texts stay string, whatever they look like; a column that holds nothing but
 * null gets no type and is left out. Columns whose type is known keep it: only what is below or beside them is added.
 */
import { deltaError } from '../../errors/index.ts'
import {
  arrayType,
  binaryType,
  booleanType,
  type DataType,
  doubleType,
  field,
  findField,
  foldCase,
  formatType,
  longType,
  mapType,
  type StructField,
  type StructType,
  sameType,
  stringType,
  structType,
  timestampType,
} from '../../schema/index.ts'
import { JsonNumber, keysAsWritten } from '../../support/index.ts'
import { columnPathText } from './column-path.ts'
import { isRecord } from './place.ts'

/** What is known of a column: its type, or the parts of one seen so far; undefined: only nulls. */
type Guess =
  | { readonly kind: 'leaf'; type: DataType }
  | { readonly kind: 'array'; element: Guess | undefined }
  | { readonly kind: 'map'; key: Guess | undefined; value: Guess | undefined }
  | { readonly kind: 'struct'; readonly fields: Map<string, GuessedField> }

interface GuessedField {
  readonly name: string
  guess: Guess | undefined
}

/** Collects records and says which schema holds them all. Cells of CSV have `cell-types.ts`. */
export class SchemaGuess {
  private readonly known: StructType
  private readonly root: Guess & { kind: 'struct' } = { kind: 'struct', fields: new Map() }

  /** @param known columns that have a type already; they stay first, in their order and spelling */
  constructor(known: StructType = structType([])) {
    this.known = known
  }

  /**
   * @throws DeltaError `DELTA_FAILED_TO_MERGE_FIELDS` when no type holds this value and an earlier one of its column,
   * `LAKE_NUMBER_NEEDS_TYPE` when a number would lose digits
   */
  add(record: Readonly<Record<string, unknown>>): void {
    addRecord(this.root, record, this.known, [])
  }

  /** The known columns, then those met, in the order they were met; all new ones nullable. */
  schema(): StructType {
    return completeStruct(this.known, this.root)
  }
}

function addRecord(
  guess: Guess & { kind: 'struct' },
  record: Readonly<Record<string, unknown>>,
  known: StructType | undefined,
  path: readonly string[],
): void {
  for (const name of keysAsWritten(record)) {
    const folded = foldCase(name)
    const member = guess.fields.get(folded) ?? { name, guess: undefined }
    guess.fields.set(folded, member)
    const type = known === undefined ? undefined : findField(known, name)?.type
    member.guess = widen(member.guess, record[name], type, [...path, name])
  }
}

/** The guess that holds a further value. A column of known type is only searched for members it lacks. */
function widen(
  guess: Guess | undefined,
  value: unknown,
  known: DataType | undefined,
  path: readonly string[],
): Guess | undefined {
  if (value === null || value === undefined) return guess
  if (known !== undefined && !hasMembers(known)) return guess
  if (Array.isArray(value) && known?.kind !== 'map') return widenArray(guess, value, known, path)
  if (value instanceof Map) return widenMap(guess, [...value], known, path)
  if (known?.kind === 'map') return Array.isArray(value) ? widenMap(guess, entriesOf(value), known, path) : guess
  if (isRecord(value)) return widenStruct(guess, value, known, path)
  if (known !== undefined) return guess
  return widenLeaf(guess, leafTypeOf(value, path), path)
}

/** Of a map written as a list of entries; what is none is refused when the record is encoded. */
function entriesOf(items: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  return items.flatMap((item) => (isRecord(item) && 'key' in item ? [[item.key, item.value] as const] : []))
}

function hasMembers(type: DataType): boolean {
  return type.kind === 'struct' || type.kind === 'array' || type.kind === 'map'
}

function widenArray(guess: Guess | undefined, items: unknown[], known: DataType | undefined, path: readonly string[]) {
  const array = guess ?? { kind: 'array', element: undefined }
  if (array.kind !== 'array') throw mismatch(path, describe(guess), 'array')
  const element = known?.kind === 'array' ? known.element : undefined
  for (const item of items) array.element = widen(array.element, item, element, [...path, 'element'])
  return array
}

function widenMap(
  guess: Guess | undefined,
  entries: readonly (readonly [unknown, unknown])[],
  known: DataType | undefined,
  path: readonly string[],
): Guess {
  const map = guess ?? { kind: 'map', key: undefined, value: undefined }
  if (map.kind !== 'map') throw mismatch(path, describe(guess), 'map')
  const type = known?.kind === 'map' ? known : undefined
  for (const [key, value] of entries) {
    map.key = widen(map.key, key, type?.key, [...path, 'key'])
    map.value = widen(map.value, value, type?.value, [...path, 'value'])
  }
  return map
}

function widenStruct(
  guess: Guess | undefined,
  record: Readonly<Record<string, unknown>>,
  known: DataType | undefined,
  path: readonly string[],
): Guess {
  const struct = guess ?? { kind: 'struct', fields: new Map<string, GuessedField>() }
  if (struct.kind !== 'struct') throw mismatch(path, describe(guess), 'struct')
  addRecord(struct, record, known?.kind === 'struct' ? known : undefined, path)
  return struct
}

function widenLeaf(guess: Guess | undefined, type: DataType, path: readonly string[]): Guess {
  if (guess === undefined) return { kind: 'leaf', type }
  if (guess.kind !== 'leaf') throw mismatch(path, describe(guess), formatType(type))
  const common = commonType(guess.type, type)
  if (common === undefined) throw mismatch(path, formatType(guess.type), formatType(type))
  return { kind: 'leaf', type: common }
}

function commonType(a: DataType, b: DataType): DataType | undefined {
  if (sameType(a, b)) return a
  const numeric = (type: DataType) => type.kind === 'long' || type.kind === 'double'
  return numeric(a) && numeric(b) ? doubleType : undefined
}

function leafTypeOf(value: unknown, path: readonly string[]): DataType {
  if (value instanceof JsonNumber) return numberTypeOf(value.text, path)
  if (value instanceof Date) return timestampType
  if (value instanceof Uint8Array) return binaryType
  switch (typeof value) {
    case 'bigint':
      return longType
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? longType : doubleType
    case 'boolean':
      return booleanType
    case 'string':
      return stringType
    default:
      throw deltaError('LAKE_UNTYPED_VALUE', { column: columnPathText(path), found: typeof value })
  }
}

/** What no double and no long holds as it is written is not guessed: the column is to be given a type. */
function numberTypeOf(text: string, path: readonly string[]): DataType {
  const isWhole = /^-?\d+$/.test(text)
  if (isWhole && text.length <= LONG_CHARACTERS && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return longType
  if (!isWhole && significantDigits(text) <= DOUBLE_DIGITS) return doubleType
  const problem = isWhole ? 'is too large for a bigint' : `has more than the ${DOUBLE_DIGITS} digits a double keeps`
  throw deltaError('LAKE_NUMBER_NEEDS_TYPE', { column: columnPathText(path), value: text.slice(0, 60), problem })
}

/** `-9223372036854775808` */
const LONG_CHARACTERS = 20

/** digits that name a double: more of them say what it cannot hold */
const DOUBLE_DIGITS = 17

function significantDigits(text: string): number {
  const digits = text.replace(/[eE].*$/, '').replace(/[^\d]/g, '')
  return digits.replace(/^0+/, '').replace(/0+$/, '').length
}

function describe(guess: Guess | undefined): string {
  if (guess === undefined) return 'null'
  return guess.kind === 'leaf' ? formatType(guess.type) : guess.kind
}

function mismatch(path: readonly string[], first: string, second: string) {
  return deltaError('DELTA_FAILED_TO_MERGE_FIELDS', {
    column: columnPathText(path),
    type: first,
    found: second,
    place: 'the data',
  })
}

/** The type a guess amounts to, or undefined where nothing but null was seen. */
function typeOf(guess: Guess | undefined): DataType | undefined {
  if (guess === undefined) return undefined
  if (guess.kind === 'leaf') return guess.type
  if (guess.kind === 'struct') {
    const struct = completeStruct(structType([]), guess)
    return struct.fields.length === 0 ? undefined : struct
  }
  if (guess.kind === 'array') {
    const element = typeOf(guess.element)
    return element === undefined ? undefined : arrayType(element)
  }
  const key = typeOf(guess.key)
  const value = typeOf(guess.value)
  return key === undefined || value === undefined ? undefined : mapType(key, value)
}

/** A known type with the members added that records have and it lacks. */
function complete(known: DataType, guess: Guess | undefined): DataType {
  if (guess === undefined || guess.kind === 'leaf') return known
  if (known.kind === 'struct' && guess.kind === 'struct') return completeStruct(known, guess)
  if (known.kind === 'array' && guess.kind === 'array') {
    return arrayType(complete(known.element, guess.element), known.containsNull)
  }
  if (known.kind === 'map' && guess.kind === 'map') {
    return mapType(complete(known.key, guess.key), complete(known.value, guess.value), known.valueContainsNull)
  }
  return known
}

function completeStruct(known: StructType, guess: Guess & { kind: 'struct' }): StructType {
  const old = known.fields.map((f) => ({ ...f, type: complete(f.type, guess.fields.get(foldCase(f.name))?.guess) }))
  const added: StructField[] = []
  for (const [folded, { name, guess: member }] of guess.fields) {
    if (known.fields.some((f) => foldCase(f.name) === folded)) continue
    const type = typeOf(member)
    if (type !== undefined) added.push(field(name, type))
  }
  return structType([...old, ...added])
}
