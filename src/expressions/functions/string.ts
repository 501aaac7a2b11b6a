/** Functions on text: parts, padding, case, length. Positions and lengths count code points. */
import { deltaError } from '../../errors/index.ts'
import { arrayType, binaryType, type DataType, integerType, stringType, type Value } from '../../schema/index.ts'
import { concatBytes, encodeUtf8 } from '../../support/index.ts'
import { coerce, commonType } from '../bind/coercion.ts'
import { type Expected, oneOf, only } from '../bind/expected.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { indexOfPoint, pointLength, sqlStretch, sqlSubstring } from '../text/code-points.ts'
import { meetAll } from './comparison.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

export const text = only(stringType)

const binary = only(binaryType)

export const whole = only(integerType)

/** Text stays text, binary stays binary, everything else becomes text. */
const textOrBinary = oneOf(text, binary)

const MAX_LENGTH = 2 ** 31 - 1

export function textFunction(
  name: string,
  takes: readonly Expected[],
  gives: DataType,
  evaluate: (...values: never[]) => Value,
  options: { readonly aliases?: readonly string[]; readonly least?: number } = {},
): FunctionEntry {
  return simple({ name, takes, gives, ...options, strict: () => evaluate as (...values: NotNull[]) => Value })
}

function bindConcat(args: readonly BoundExpression[]): BoundExpression {
  if (args.length === 0) return { kind: 'literal', value: '', type: stringType }
  if (args.some((arg) => arg.type.kind === 'array')) {
    const type = meetAll('concat', args)
    return callOf(
      'concat',
      args.map((arg) => coerce(arg, type)),
      type,
    )
  }
  const binaries = args.every((arg) => arg.type.kind === 'binary')
  const type = binaries ? binaryType : stringType
  return callOf('concat', castArguments(args, [only(type)], 'concat'), type)
}

function concatenate({ type }: CallShape): (...values: NotNull[]) => Value {
  if (type.kind === 'binary') return (...values) => concatBytes(values as Uint8Array[])
  if (type.kind === 'array') return (...values) => (values as (readonly Value[])[]).flat(1) as Value[]
  return (...values) => values.join('')
}

function substringOf({ types }: CallShape): (...values: NotNull[]) => Value {
  if (types[0]!.kind === 'binary') {
    return (value, position, length: NotNull = MAX_LENGTH) => {
      const bytes = value as Uint8Array
      const { start, end } = sqlStretch(position as number, length as number, bytes.length)
      return bytes.slice(Math.max(0, start), Math.max(0, start, end))
    }
  }
  return (value, position, length: NotNull = MAX_LENGTH) =>
    sqlSubstring(value as string, position as number, length as number)
}

const keepsFirst = ([first]: readonly ExpressionType[]): ExpressionType => first!

function translate(value: string, from: string, to: string): string {
  const targets = Array.from(to)
  const table = new Map<string, string>()
  for (const [i, point] of Array.from(from).entries()) if (!table.has(point)) table.set(point, targets[i] ?? '')
  return Array.from(value, (point) => table.get(point) ?? point).join('')
}

function overlay(value: string, replacement: string, position: number, length: number): string {
  const cut = length >= 0 ? length : pointLength(replacement)
  return sqlSubstring(value, 1, position - 1) + replacement + sqlSubstring(value, position + cut, MAX_LENGTH)
}

function overlayBytes(value: Uint8Array, replacement: Uint8Array, position: number, length: number): Uint8Array {
  const cut = length >= 0 ? length : replacement.length
  const part = (at: number, count: number): Uint8Array => {
    const { start, end } = sqlStretch(at, count, value.length)
    return value.slice(Math.max(0, start), Math.max(0, start, end))
  }
  return concatBytes([part(1, position - 1), replacement, part(position + cut, MAX_LENGTH)])
}

function splitPart(value: string, delimiter: string, index: number): string {
  if (index === 0) throw deltaError('INVALID_INDEX_OF_ZERO')
  const parts = delimiter === '' ? [value] : value.split(delimiter)
  return parts.at(index > 0 ? index - 1 : index) ?? ''
}

function substringIndex(value: string, delimiter: string, count: number): string {
  if (delimiter === '' || count === 0) return ''
  const parts = value.split(delimiter)
  return (count > 0 ? parts.slice(0, count) : parts.slice(count)).join(delimiter)
}

function levenshtein(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)]
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

function lengthOf({ types }: CallShape): (value: NotNull) => Value {
  return types[0]!.kind === 'binary' ? (value) => (value as Uint8Array).length : (value) => pointLength(value as string)
}

function byteLengthOf(factor: number): (shape: CallShape) => (value: NotNull) => Value {
  return ({ types }) =>
    types[0]!.kind === 'binary'
      ? (value) => (value as Uint8Array).length * factor
      : (value) => encodeUtf8(value as string).length * factor
}

const concatWs: FunctionEntry = {
  name: 'concat_ws',
  arity: [1, Number.POSITIVE_INFINITY],
  bind(args, site) {
    const parts = args.map((arg, i) =>
      i > 0 && arg.type.kind === 'array'
        ? castArguments([arg], [only(arrayType(stringType))], site.name)[0]!
        : castArguments([arg], [text], site.name)[0]!,
    )
    return callOf('concat_ws', parts, stringType)
  },
  lazy({ evaluators: [separator, ...parts] }) {
    return (row) => {
      const glue = separator!(row)
      if (glue === null) return null
      const texts = parts.flatMap((part) => part(row) as Value)
      return texts.filter((value) => value !== null).join(glue as string)
    }
  },
}

const elt: FunctionEntry = {
  name: 'elt',
  arity: [2, Number.POSITIVE_INFINITY],
  bind([index, ...values], site) {
    const type = commonType(values.map((value) => value.type))?.kind === 'binary' ? binaryType : stringType
    const [at] = castArguments([index!], [whole], site.name)
    return callOf('elt', [at!, ...castArguments(values, [only(type)], site.name)], type)
  },
  lazy({ evaluators: [index, ...values] }) {
    return (row) => {
      const at = index!(row)
      if (at === null) return null
      const chosen = values[(at as number) - 1]
      if (chosen === undefined) throw deltaError('INVALID_ARRAY_INDEX', { index: at, size: values.length })
      return chosen(row)
    }
  },
}

const locate: FunctionEntry = simple({
  name: 'locate',
  takes: [text, text, whole],
  least: 2,
  gives: integerType,
  lazy({ evaluators: [part, value, start] }) {
    return (row) => {
      const from = start === undefined ? 1 : start(row)
      if (from === null) return 0
      const [wanted, subject] = [part!(row), value!(row)]
      if (wanted === null || subject === null) return null
      if ((from as number) < 1) return 0
      if (wanted === '') return 1
      return indexOfPoint(subject as string, wanted as string, (from as number) - 1) + 1
    }
  },
})

export const stringFunctions: readonly FunctionEntry[] = [
  {
    name: 'concat',
    aliases: ['||'],
    arity: [0, Number.POSITIVE_INFINITY],
    bind: (args) => bindConcat(args),
    strict: concatenate,
  },
  concatWs,
  simple({
    name: 'substring',
    aliases: ['substr'],
    takes: [textOrBinary, whole, whole],
    least: 2,
    gives: keepsFirst,
    strict: substringOf,
  }),
  {
    name: 'left',
    arity: [2, 2],
    bind([value, length], site) {
      const [arg, count] = castArguments([value!, length!], [textOrBinary, whole], site.name)
      const one: BoundExpression = { kind: 'literal', value: 1, type: integerType }
      return callOf('substring', [arg!, one, count!], arg!.type)
    },
  },
  textFunction('right', [text, whole], stringType, (value: string, length: number) =>
    length <= 0 ? '' : sqlSubstring(value, -length, MAX_LENGTH),
  ),
  textFunction('substring_index', [text, text, whole], stringType, substringIndex),
  textFunction('split_part', [text, text, whole], stringType, splitPart),
  simple({
    name: 'length',
    aliases: ['len', 'char_length', 'character_length'],
    takes: [textOrBinary],
    gives: integerType,
    strict: lengthOf,
  }),
  simple({ name: 'octet_length', takes: [textOrBinary], gives: integerType, strict: byteLengthOf(1) }),
  simple({ name: 'bit_length', takes: [textOrBinary], gives: integerType, strict: byteLengthOf(8) }),
  textFunction(
    'replace',
    [text, text, text],
    stringType,
    (value: string, search: string, replacement = '') =>
      search === '' ? value : value.split(search).join(replacement),
    { least: 2 },
  ),
  {
    name: 'overlay',
    arity: [3, 4],
    bind(args, site) {
      const type = args[0]!.type.kind === 'binary' && args[1]!.type.kind === 'binary' ? binaryType : stringType
      const cast = castArguments(args, [only(type), only(type), whole, whole], site.name)
      const length: BoundExpression = cast[3] ?? { kind: 'literal', value: -1, type: integerType }
      return callOf('overlay', [cast[0]!, cast[1]!, cast[2]!, length], type)
    },
    strict: ({ type }) =>
      (type.kind === 'binary' ? overlayBytes : overlay) as unknown as (...values: NotNull[]) => Value,
  },
  textFunction('instr', [text, text], integerType, (value: string, part: string) => indexOfPoint(value, part, 0) + 1),
  locate,
  textFunction('find_in_set', [text, text], integerType, (wanted: string, list: string) =>
    wanted.includes(',') ? 0 : list.split(',').indexOf(wanted) + 1,
  ),
  textFunction('translate', [text, text, text], stringType, translate),
  textFunction('ascii', [text], integerType, (value: string) => value.codePointAt(0) ?? 0),
  textFunction(
    'chr',
    [only({ kind: 'long' })],
    stringType,
    (code: bigint) => (code < 0n ? '' : String.fromCharCode(Number(code & 0xffn))),
    { aliases: ['char'] },
  ),
  textFunction('levenshtein', [text, text], integerType, levenshtein),
  elt,
  textFunction('quote', [text], stringType, (value: string) => `'${value.replace(/['\\]/g, (c) => `\\${c}`)}'`),
]
