/** Patterns: LIKE, regular expressions, and plain search. */
import { deltaError } from '../../errors/index.ts'
import { arrayType, binaryType, booleanType, integerType, stringType, type Value } from '../../schema/index.ts'
import { only } from '../bind/expected.ts'
import { pointLength } from '../text/code-points.ts'
import { type JavaRegex, javaRegex } from '../text/java-regex.ts'
import { compileLike } from '../text/like.ts'
import { unsupported } from '../unsupported.ts'
import { type CallShape, callOf, castArguments, type FunctionEntry, type NotNull, simple } from './entry.ts'

const text = only(stringType)
const whole = only(integerType)

function likeEntry(name: 'like' | 'ilike'): FunctionEntry {
  const fold = name === 'ilike' ? (value: string) => value.toLowerCase() : (value: string) => value
  return simple({
    name,
    takes: [text, text, text],
    least: 2,
    gives: booleanType,
    strict: () => {
      let knownPattern: NotNull | undefined
      let knownEscape: NotNull | undefined
      let test: (value: string) => boolean = () => false
      return (value, pattern, escapeText: NotNull = '\\') => {
        if (pattern !== knownPattern || escapeText !== knownEscape) {
          if (Array.from(escapeText as string).length !== 1) {
            throw deltaError('INVALID_ESCAPE_CHAR', { escape: escapeText })
          }
          test = compileLike(fold(pattern as string), fold(escapeText as string))
          knownPattern = pattern
          knownEscape = escapeText
        }
        return test(fold(value as string))
      }
    },
  })
}

/** Tests on two texts, or on two binaries as they are. */
function pairTest(name: string, test: (value: string, part: string) => boolean): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    bind(args, site) {
      const binary = args.every((arg) => arg.type.kind === 'binary')
      return callOf(name, castArguments(args, [only(binary ? binaryType : stringType)], site.name), booleanType)
    },
    strict: ({ types }) =>
      types[0]!.kind === 'binary'
        ? (value, part) => test(latin(value as Uint8Array), latin(part as Uint8Array))
        : (value, part) => test(value as string, part as string),
  }
}

/** Bytes as a text of one character each. */
function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

function regexFor(pattern: string, subject: string, usesGroups: boolean): JavaRegex {
  const found = javaRegex(pattern)
  if (found.needsAscii && /[^\0-\x7f]/.test(subject)) {
    throw unsupported('\\b on text beyond ASCII in a regular expression', 'write the pattern without it')
  }
  if (usesGroups && found.repeatedGroups) {
    throw unsupported('a group inside a repeated group of a regular expression', 'use (?: … ) where it is not needed')
  }
  return found
}

function checkGroup(index: number, { groupCount }: JavaRegex): void {
  if (index < 0 || index > groupCount) {
    throw deltaError('INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX', { index, count: groupCount })
  }
}

function extract(subject: string, pattern: string, index: number): string {
  const found = regexFor(pattern, subject, index > 0)
  const match = found.regex.exec(subject)
  if (match === null) return ''
  checkGroup(index, found)
  return match[index] ?? ''
}

function extractAll(subject: string, pattern: string, index: number): Value {
  const found = regexFor(pattern, subject, index > 0)
  checkGroup(index, found)
  return Array.from(subject.matchAll(found.regex), (match) => match[index] ?? '')
}

type Piece = string | number

/** Java's replacement text: `$1`, `\$`. */
function readReplacement(replacement: string, groupCount: number): Piece[] {
  const pieces: Piece[] = []
  for (let i = 0; i < replacement.length; i++) {
    const character = replacement[i]!
    if (character === '\\') {
      const next = replacement[++i]
      if (next === undefined) throw deltaError('INVALID_REGEXP_REPLACE', { replacement })
      pieces.push(next)
    } else if (character === '$') {
      let group = Number(/^\d/.exec(replacement.slice(i + 1))?.[0] ?? Number.NaN)
      if (Number.isNaN(group)) throw unsupported('a group by name in a replacement', 'give its number')
      if (group > groupCount) throw deltaError('INVALID_REGEXP_REPLACE', { replacement })
      i++
      while (/\d/.test(replacement[i + 1] ?? '') && group * 10 + Number(replacement[i + 1]) <= groupCount) {
        group = group * 10 + Number(replacement[++i])
      }
      pieces.push(group)
    } else pieces.push(character)
  }
  return pieces
}

function replaceAll(subject: string, pattern: string, replacement: string, position: number): string {
  const found = regexFor(pattern, subject, replacement.includes('$'))
  const start = Array.from(subject)
    .slice(0, position - 1)
    .join('').length
  if (position < 1) throw unsupported('regexp_replace from a position below 1', 'count from 1')
  if (start >= subject.length && subject !== '' && position > 1) return subject
  if (start > 0 && /[\^]/.test(pattern))
    throw unsupported('regexp_replace from a position with ^', 'cut the text before')
  const head = subject.slice(0, start)
  const rest = subject.slice(start)
  const matches = Array.from(rest.matchAll(found.regex))
  if (matches.length === 0) return subject
  const pieces = readReplacement(replacement, found.groupCount)
  let result = head
  let end = 0
  for (const match of matches) {
    result += rest.slice(end, match.index)
    for (const piece of pieces) result += typeof piece === 'number' ? (match[piece] ?? '') : piece
    end = match.index + match[0].length
  }
  return result + rest.slice(end)
}

/** Java's split, with a limit of 0 as without one; an empty pattern cuts between characters. */
export function javaSplit(subject: string, pattern: string, limit: number): string[] {
  if (pattern === '' && subject !== '') {
    const points = Array.from(subject)
    if (limit <= 0 || limit >= points.length) return points
    return [...points.slice(0, limit - 1), points.slice(limit - 1).join('')]
  }
  const { regex } = regexFor(pattern, subject, false)
  const parts: string[] = []
  let end = 0
  for (const match of subject.matchAll(regex)) {
    if (limit > 0 && parts.length === limit - 1) break
    if (end === 0 && match.index === 0 && match[0] === '') continue
    parts.push(subject.slice(end, match.index))
    end = match.index + match[0].length
  }
  return [...parts, subject.slice(end)]
}

const strings =
  (evaluate: (...texts: string[]) => Value) =>
  (_shape: CallShape) =>
  (...values: NotNull[]): Value =>
    evaluate(...(values as string[]))

export const searchFunctions: readonly FunctionEntry[] = [
  likeEntry('like'),
  likeEntry('ilike'),
  pairTest('startswith', (value, part) => value.startsWith(part)),
  pairTest('endswith', (value, part) => value.endsWith(part)),
  pairTest('contains', (value, part) => value.includes(part)),
  simple({
    name: 'rlike',
    aliases: ['regexp', 'regexp_like'],
    takes: [text, text],
    gives: booleanType,
    strict: strings((value, pattern) => regexFor(pattern!, value!, false).regex.test(value!)),
  }),
  simple({
    name: 'regexp_replace',
    takes: [text, text, text, whole],
    least: 3,
    gives: stringType,
    strict:
      () =>
      (value, pattern, replacement, position: NotNull = 1) =>
        replaceAll(value as string, pattern as string, replacement as string, position as number),
  }),
  simple({
    name: 'regexp_extract',
    takes: [text, text, whole],
    least: 2,
    gives: stringType,
    strict:
      () =>
      (value, pattern, index: NotNull = 1) =>
        extract(value as string, pattern as string, index as number),
  }),
  simple({
    name: 'regexp_extract_all',
    takes: [text, text, whole],
    least: 2,
    gives: arrayType(stringType),
    strict:
      () =>
      (value, pattern, index: NotNull = 1) =>
        extractAll(value as string, pattern as string, index as number),
  }),
  simple({
    name: 'regexp_count',
    takes: [text, text],
    gives: integerType,
    strict: strings((value, pattern) => Array.from(value!.matchAll(regexFor(pattern!, value!, false).regex)).length),
  }),
  simple({
    name: 'regexp_substr',
    takes: [text, text],
    gives: stringType,
    strict: strings((value, pattern) => regexFor(pattern!, value!, false).regex.exec(value!)?.[0] ?? null),
  }),
  simple({
    name: 'regexp_instr',
    takes: [text, text],
    gives: integerType,
    strict: strings((value, pattern) => {
      const match = regexFor(pattern!, value!, false).regex.exec(value!)
      return match === null ? 0 : pointLength(value!.slice(0, match.index)) + 1
    }),
  }),
  simple({
    name: 'split',
    takes: [text, text, whole],
    least: 2,
    gives: arrayType(stringType, false),
    strict:
      () =>
      (value, pattern, limit: NotNull = -1) =>
        javaSplit(value as string, pattern as string, limit as number),
  }),
]
