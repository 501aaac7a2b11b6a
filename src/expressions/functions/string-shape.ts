/** Functions that change the shape of a text: trimming, padding, repeating, capitals, masks. */
import { deltaError } from '../../errors/index.ts'
import { binaryType, stringType } from '../../schema/index.ts'
import { concatBytes } from '../../support/index.ts'
import { only, strictly } from '../bind/expected.ts'
import type { BoundExpression } from '../expression.ts'
import { pointLength, slicePoints } from '../text/code-points.ts'
import { unsupported } from '../unsupported.ts'
import { callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'
import { text, textFunction, whole } from './string.ts'

const LONGEST_RESULT = 2 ** 28

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

function mask(value: string, upper: string, lower: string, digit: string, other: string | undefined): string {
  return Array.from(value, (point) => {
    if (/^\p{Uppercase}$/u.test(point)) return upper
    if (/^\p{Lowercase}$/u.test(point)) return lower
    if (/^\p{Nd}$/u.test(point)) return digit
    return other ?? point
  }).join('')
}

export const stringShapeFunctions: readonly FunctionEntry[] = [
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
  padEntry('lpad'),
  padEntry('rpad'),
  textFunction('repeat', [text, whole], stringType, repeatText),
  textFunction('space', [whole], stringType, (count: number) => repeatText(' ', count)),
  simple({
    name: 'mask',
    takes: [strictly(stringType)],
    most: 5,
    least: 1,
    gives: stringType,
    strict: ({ args }) => {
      if (args.slice(1).some((arg) => arg.kind !== 'literal' || arg.value === null)) {
        throw unsupported('mask with replacements that are NULL or no constants', 'give constants')
      }
      for (const arg of args.slice(1)) {
        if (arg.kind === 'literal' && Array.from(String(arg.value)).length !== 1) {
          throw deltaError('DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE', { name: 'mask', value: String(arg.value) })
        }
      }
      return (value, upper: NotNull = 'X', lower: NotNull = 'x', digit: NotNull = 'n', other?: NotNull) =>
        mask(value as string, upper as string, lower as string, digit as string, other as string | undefined)
    },
  }),
]
