/** Dates and times read by a pattern, strictly: every field by its width, every value in its range. */
import { deltaError } from '../../errors/index.ts'
import { daysFromCivil, daysInMonth, MICROS_PER_DAY } from '../../support/index.ts'
import { unsupported } from '../unsupported.ts'
import { MONTH_NAMES } from './fields.ts'
import { type PatternPart, parsePattern } from './pattern.ts'
import { isZone, type Zone, zoneOf } from './zone.ts'

const LITERAL_REFUSED = 'use another pattern'
const SHORT_MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3))

/** Fields whose digits are read as a number and checked: letter → [lowest, highest]. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  M: [1, 12],
  L: [1, 12],
  d: [1, 31],
  D: [1, 366],
  H: [0, 23],
  h: [1, 12],
  k: [1, 24],
  K: [0, 11],
  m: [0, 59],
  s: [0, 59],
}

/**
 * A reader of texts in a pattern.
 *
 * @returns what gives the instant in microseconds, or undefined where the text does not match
 */
export function patternParser(pattern: string, zone: Zone): (text: string) => bigint | undefined {
  const parts = parsePattern(pattern)
  refuseUnreadable(parts, pattern)
  const letters: string[] = []
  const regex = new RegExp(`^${parts.map((part, i) => partRegex(part, parts[i + 1], letters)).join('')}$`, 'iu')
  return (text) => {
    const match = regex.exec(text)
    if (match === null) return undefined
    const values = new Map<string, string>()
    for (const [i, letter] of letters.entries()) {
      const value = match[i + 1]
      if (value === undefined) continue
      const known = values.get(letter)
      if (known !== undefined && known !== value) return undefined
      values.set(letter, value)
    }
    return assemble(values, zone)
  }
}

function refuseUnreadable(parts: readonly PatternPart[], pattern: string): void {
  const letters = new Set(parts.map((part) => part.letter))
  if (letters.has('E'))
    throw deltaError('INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION', { pattern })
  for (const letter of ['G', 'Q', 'q', 'V', 'z', 'O']) {
    if (letters.has(letter)) throw unsupported(`'${letter}' in a pattern to read by`, LITERAL_REFUSED)
  }
  const halfDay = letters.has('h') || letters.has('K')
  if (halfDay !== letters.has('a'))
    throw unsupported("hours of half a day without 'a', or 'a' without them", LITERAL_REFUSED)
  if (letters.has('D') && (letters.has('M') || letters.has('d')))
    throw unsupported("'D' beside a month or a day", LITERAL_REFUSED)
}

const DIGIT_LETTERS = new Set('yMLdDHhkKmsS')

function partRegex(part: PatternPart, next: PatternPart | undefined, letters: string[]): string {
  if (part.kind === 'open') return '(?:'
  if (part.kind === 'close') return ')?'
  if (part.kind === 'literal') return part.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const { letter, count } = part
  letters.push(`${letter}${letter === 'y' && count === 2 ? '2' : ''}`)
  const variable = DIGIT_LETTERS.has(letter) && (count === 1 || letter === 'S')
  if (variable && next?.kind === 'field' && DIGIT_LETTERS.has(next.letter)) {
    throw unsupported(`'${letter}' directly before '${next.letter}' in a pattern to read by`, LITERAL_REFUSED)
  }
  return `(${fieldRegex(letter, count)})`
}

function fieldRegex(letter: string, count: number): string {
  switch (letter) {
    case 'y':
      if (count === 1) return '[-+]?[0-9]{1,9}'
      if (count === 2) return '[0-9]{2}'
      return `[-+][0-9]{${count + 1},9}|-?[0-9]{${count}}`
    case 'S':
      return `[0-9]{1,${count}}`
    case 'a':
      return 'AM|PM'
    case 'Z':
      return '[-+][0-9]{4}'
    case 'X':
      return `Z|${offsetRegex(count)}`
    case 'x':
      return offsetRegex(count)
    default:
      if ((letter === 'M' || letter === 'L') && count >= 3) return (count === 4 ? MONTH_NAMES : SHORT_MONTHS).join('|')
      return count === 1 ? '[0-9]{1,19}' : `[0-9]{${count}}`
  }
}

function offsetRegex(count: number): string {
  if (count === 1) return '[-+][0-9]{2}(?:[0-9]{2})?'
  return count === 2 ? '[-+][0-9]{4}' : '[-+][0-9]{2}:[0-9]{2}'
}

function assemble(values: ReadonlyMap<string, string>, zone: Zone): bigint | undefined {
  const numbers = new Map<string, number>()
  for (const [letter, text] of values) {
    const range = RANGES[letter]
    if (range === undefined || !/^\d+$/.test(text)) continue
    const number = Number(text)
    if (number < range[0] || number > range[1]) return undefined
    numbers.set(letter, number)
  }
  const days = assembleDay(values, numbers)
  if (days === undefined) return undefined
  const seconds = (hourOf(values, numbers) * 60 + (numbers.get('m') ?? 0)) * 60 + (numbers.get('s') ?? 0)
  const micros = Number((values.get('S') ?? '').padEnd(6, '0').slice(0, 6))
  const wall = BigInt(days) * MICROS_PER_DAY + BigInt(seconds) * 1_000_000n + BigInt(micros)
  const written = values.get('X') ?? values.get('x') ?? values.get('Z')
  if (written === undefined) return zone.toInstant(wall)
  return isZone(written) ? zoneOf(written).toInstant(wall) : undefined
}

function hourOf(values: ReadonlyMap<string, string>, numbers: ReadonlyMap<string, number>): number {
  const half = numbers.get('h') ?? numbers.get('K')
  if (half !== undefined) return (half % 12) + (values.get('a')?.toUpperCase() === 'PM' ? 12 : 0)
  return numbers.get('H') ?? (numbers.get('k') ?? 0) % 24
}

function assembleDay(values: ReadonlyMap<string, string>, numbers: ReadonlyMap<string, number>): number | undefined {
  const short = values.get('y2')
  const year = short === undefined ? Number(values.get('y') ?? '1970') : 2000 + Number(short)
  const month = monthOf(values, numbers)
  const day = numbers.get('d') ?? 1
  if (day > daysInMonth(year, month)) return undefined
  const ordinal = numbers.get('D')
  const days = daysFromCivil({ year, month, day }) + (ordinal === undefined ? 0 : ordinal - 1)
  if (ordinal === 366 && daysFromCivil({ year: year + 1, month: 1, day: 1 }) === days) return undefined
  return days
}

function monthOf(values: ReadonlyMap<string, string>, numbers: ReadonlyMap<string, number>): number {
  const number = numbers.get('M') ?? numbers.get('L')
  const name = (values.get('M') ?? values.get('L'))?.toLowerCase().slice(0, 3)
  return number ?? (name === undefined ? 1 : SHORT_MONTHS.findIndex((month) => month.toLowerCase() === name) + 1)
}
