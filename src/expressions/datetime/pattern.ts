/**
 * Patterns of dates and times (`yyyy-MM-dd HH:mm:ss`), for writing and for reading. Source: Spark's "Datetime Patterns".
 *
 * Letters whose text hangs on locale data that may differ between platforms are refused.
 */
import { deltaError } from '../../errors/index.ts'
import { unsupported } from '../unsupported.ts'

export interface PatternPart {
  readonly kind: 'field' | 'literal' | 'open' | 'close'
  /** the letter of a field */
  readonly letter: string
  readonly count: number
  readonly text: string
}

/** Letters and the most of each in a row. */
const FIELDS: Readonly<Record<string, number>> = {
  ...{ G: 3, y: 6, M: 4, L: 4, d: 2, D: 3, Q: 3, q: 3, E: 4, a: 1 },
  ...{ H: 2, h: 2, k: 2, K: 2, m: 2, s: 2, S: 9, V: 2, z: 3, O: 1, X: 3, x: 3, Z: 3 },
}
const OLD_LETTERS = new Set('YWwuF')
const OLD_FORMATTER = new Set('GyYMLwWDdFEuaHkKhmsSzZX')
const MAX_PATTERN = 1000

/**
 * @throws DeltaError `INVALID_DATETIME_PATTERN.…`, `INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION`
 */
export function parsePattern(pattern: string): PatternPart[] {
  if (pattern.length > MAX_PATTERN) throw unsupported('a pattern of more than 1000 characters', 'shorten it')
  const parts: PatternPart[] = []
  const literal = (text: string): void => {
    parts.push({ kind: 'literal', letter: '', count: 0, text })
  }
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at]!
    if (/[A-Za-z]/.test(character)) {
      let end = at
      while (pattern[end] === character) end++
      parts.push(fieldPart(pattern, character, end - at))
      at = end
    } else if (character === "'") at = readQuoted(pattern, at, literal)
    else {
      if (character === '[') parts.push({ kind: 'open', letter: '', count: 0, text: '' })
      else if (character === ']') parts.push({ kind: 'close', letter: '', count: 0, text: '' })
      else if (/[{}#]/.test(character))
        throw deltaError('INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER', { pattern, letter: character })
      else literal(character)
      at++
    }
  }
  return parts
}

function fieldPart(pattern: string, letter: string, count: number): PatternPart {
  const most = FIELDS[letter]
  if (most === undefined) {
    const letters = pattern.replace(/'[^']*'/g, '').match(/[A-Za-z]/g) ?? []
    if (OLD_LETTERS.has(letter) && letters.every((each) => OLD_FORMATTER.has(each))) {
      throw deltaError('INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION', { pattern })
    }
    throw deltaError('INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER', { pattern, letter })
  }
  if (count > most || (letter === 'V' && count !== 2)) {
    throw unsupported(`'${letter.repeat(count)}' in a pattern`, 'use a shorter run of the letter')
  }
  return { kind: 'field', letter, count, text: '' }
}

function readQuoted(pattern: string, start: number, literal: (text: string) => void): number {
  if (pattern[start + 1] === "'") {
    literal("'")
    return start + 2
  }
  let text = ''
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] !== "'") text += pattern[at]
    else if (pattern[at + 1] === "'") {
      text += "'"
      at++
    } else {
      literal(text)
      return at + 1
    }
  }
  throw deltaError('INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER', { pattern, letter: "'" })
}
