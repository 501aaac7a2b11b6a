/** Functions on text: parts, padding, case, length. Positions and lengths count code points. */
import { deltaError } from '../../errors/index.ts'
import { arrayType, binaryType, type DataType, integerType, stringType, type Value } from '../../schema/index.ts'
import { concatBytes, encodeUtf8 } from '../../support/index.ts'
import { coerce, commonType } from '../bind/coercion.ts'
import { type Expected, oneOf, only } from '../bind/expected.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'
import { indexOfPoint, pointLength, slicePoints, sqlStretch, sqlSubstring } from '../text/code-points.ts'
import { unsupported } from '../unsupported.ts'
import { meetAll } from './comparison.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

const text = only(stringType)
const binary = only(binaryType)
const whole = only(integerType)
/** Text stays text, binary stays binary, everything else becomes text. */
const textOrBinary = oneOf(text, binary)
const MAX_LENGTH = 2 ** 31 - 1
const LONGEST_RESULT = 2 ** 28

function textFunction(
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

function trimmer(sides: { readonly start: boolean; readonly end: boolean }): (chars: string, value: string) => string {
  return (chars, value) => {
    const set = new Set(chars)
    const points = Array.from(value)
    let [start, end] = [0, points.length]
    while (sides.start && start < end && set.has(points[start]!)) start++
    while (sides.end && end > start && set.has(points[end - 1]!)) end--
    return points.slice(start, end).join('')
  }
}

function trimEntry(name: string, sides: { start: boolean; end: boolean }): FunctionEntry {
  const trim = trimmer(sides)
  return textFunction(
    name,
    [text, text],
    stringType,
    (first: string, second?: string) => (second === undefined ? trim(' ', first) : trim(first, second)),
    { least: 1 },
  )
}

function padEntry(name: 'lpad' | 'rpad'): FunctionEntry {
  return {
    name,
    arity: [2, 3],
    bind(args, site) {
      const type = args[0]!.type.kind === 'binary' && args[2]?.type.kind !== 'string' ? binaryType : stringType
      const [value, length, pad] = castArguments(args, [only(type), whole, only(type)], site.name)
      const filler: BoundExpression =
        pad ??
        (type === stringType
          ? { kind: 'literal', value: ' ', type }
          : { kind: 'literal', value: new Uint8Array(1), type })
      return callOf(name, [value!, length!, filler], type)
    },
    strict: ({ type }) =>
      type.kind === 'binary'
        ? (value, length, pad) => padBytes(name, value as Uint8Array, length as number, pad as Uint8Array)
        : (value, length, pad) => padText(name, value as string, length as number, pad as string),
  }
}

function padText(name: string, value: string, length: number, pad: string): string {
  const size = pointLength(value)
  if (length <= size || pad === '') return slicePoints(value, 0, length)
  checkLength(length, name)
  const missing = length - size
  const filler = slicePoints(pad.repeat(Math.ceil(missing / pointLength(pad))), 0, missing)
  return name === 'lpad' ? filler + value : value + filler
}

function padBytes(name: string, value: Uint8Array, length: number, pad: Uint8Array): Uint8Array {
  if (length <= value.length || pad.length === 0) return value.slice(0, Math.max(0, length))
  checkLength(length, name)
  const filler = Uint8Array.from({ length: length - value.length }, (_, i) => pad[i % pad.length]!)
  return concatBytes(name === 'lpad' ? [filler, value] : [value, filler])
}

function checkLength(length: number, name: string): void {
  if (length > LONGEST_RESULT) throw unsupported(`a text of ${length} characters (${name})`, 'ask for a shorter one')
}

function repeatText(value: string, count: number): string {
  if (count <= 0) return ''
  checkLength(value.length * count, 'repeat')
  return value.repeat(count)
}

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

/** Letters whose title case is neither their upper case nor simply told from it. */
const TITLE_CASE = /[\u01c4-\u01cc\u01f1-\u01f3\u1f80-\u1fff\u10d0-\u10ff]/

function initCap(value: string): string {
  return value.split(' ').map(capitalize).join(' ')
}

function capitalize(word: string): string {
  const [first = '', ...rest] = Array.from(word)
  if (TITLE_CASE.test(first))
    throw unsupported('initcap of a letter with a title case of its own', 'use upper or lower')
  const [upper = '', ...more] = Array.from(first.toUpperCase())
  return upper + more.join('').toLowerCase() + lowerRest(word, rest.join(''))
}

/** A sigma at the end of a word is told by what stands before it. */
function lowerRest(word: string, rest: string): string {
  return rest.endsWith('Σ') ? word.toLowerCase().slice(-rest.toLowerCase().length) : rest.toLowerCase()
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

function mask(value: string, upper: string, lower: string, digit: string, other: string | undefined): string {
  return Array.from(value, (point) => {
    if (/^\p{Uppercase}$/u.test(point)) return upper
    if (/^\p{Lowercase}$/u.test(point)) return lower
    if (/^\p{Nd}$/u.test(point)) return digit
    return other ?? point
  }).join('')
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
      if (from === 0) return 0
      if (wanted === '') return 1
      return indexOfPoint(subject as string, wanted as string, Math.max(0, (from as number) - 1)) + 1
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
  trimEntry('trim', { start: true, end: true }),
  trimEntry('ltrim', { start: true, end: false }),
  trimEntry('rtrim', { start: false, end: true }),
  {
    name: 'btrim',
    arity: [1, 2],
    bind(args, site) {
      const [value, chars] = castArguments(args, [text], site.name)
      return callOf('trim', chars === undefined ? [value!] : [chars, value!], stringType)
    },
  },
  textFunction('upper', [text], stringType, (value: string) => value.toUpperCase(), { aliases: ['ucase'] }),
  textFunction('lower', [text], stringType, (value: string) => value.toLowerCase(), { aliases: ['lcase'] }),
  textFunction('initcap', [text], stringType, initCap),
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
  padEntry('lpad'),
  padEntry('rpad'),
  textFunction('instr', [text, text], integerType, (value: string, part: string) => indexOfPoint(value, part, 0) + 1),
  locate,
  textFunction('find_in_set', [text, text], integerType, (wanted: string, list: string) =>
    wanted.includes(',') ? 0 : list.split(',').indexOf(wanted) + 1,
  ),
  textFunction('repeat', [text, whole], stringType, repeatText),
  textFunction('space', [whole], stringType, (count: number) => repeatText(' ', count)),
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
  simple({
    name: 'mask',
    takes: [text, text, text, text, text],
    least: 1,
    gives: stringType,
    strict: ({ args }) => {
      if (args.slice(1).some((arg) => arg.kind !== 'literal' || arg.value === null)) {
        throw unsupported('mask with replacements that are NULL or no constants', 'give constants')
      }
      return (value, upper: NotNull = 'X', lower: NotNull = 'x', digit: NotNull = 'n', other?: NotNull) =>
        mask(value as string, upper as string, lower as string, digit as string, other as string | undefined)
    },
  }),
  textFunction('quote', [text], stringType, (value: string) => `'${value.replace(/['\\]/g, (c) => `\\${c}`)}'`),
]
