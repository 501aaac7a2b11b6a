/**
 * Java's regular expressions as JavaScript's, as far as the two can mean the same.
 *
 * The pattern is read and written anew: `.`, `$`, `\s` and `(?i)` differ between the two and are spelled out. What has no
 * exact counterpart (possessive quantifiers, class intersections, back references, `\p`, flags in the middle) is refused.
 */
import { deltaError } from '../../errors/index.ts'
import { unsupported } from '../unsupported.ts'

export interface JavaRegex {
  /** with the flags `u` and `g` */
  readonly regex: RegExp
  readonly groupCount: number
  /** whether a group is repeated: then the two languages may remember different captures */
  readonly repeatedGroups: boolean
  /** whether `\b` is in it, which is only exact on ASCII text */
  readonly needsAscii: boolean
}

const LINE_END = '(?=\\r\\n$|(?<!\\r)\\n$|[\\r\\u0085\\u2028\\u2029]$|$)'
const DOT = '[^\\n\\r\\u0085\\u2028\\u2029]'
const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: ' \\t\\n\\x0b\\f\\r',
}
const CONTROLS: Readonly<Record<string, string>> = {
  t: '\\t',
  n: '\\n',
  r: '\\r',
  f: '\\f',
  a: '\\x07',
  e: '\\x1b',
}
const MAX_PATTERN = 20_000

const cache = new Map<string, JavaRegex>()

/**
 * @throws DeltaError `INVALID_PARAMETER_VALUE.PATTERN`; `LAKE_EXPRESSION_UNSUPPORTED` naming what cannot be translated
 */
export function javaRegex(pattern: string): JavaRegex {
  let found = cache.get(pattern)
  if (found === undefined) {
    found = new Translator(pattern).translate()
    if (cache.size >= 500) cache.clear()
    cache.set(pattern, found)
  }
  found.regex.lastIndex = 0
  return found
}

function refuse(what: string): Error {
  return unsupported(`${what} in a regular expression`, 'write the pattern without it')
}

class Translator {
  private readonly points: readonly string[]
  private readonly pattern: string
  private at = 0
  private ignoreCase = false
  private groups = 0
  private repeated = false
  private ascii = false
  private depth = 0

  constructor(pattern: string) {
    if (pattern.length > MAX_PATTERN) throw refuse(`more than ${MAX_PATTERN} characters`)
    this.pattern = pattern
    this.points = Array.from(pattern)
  }

  translate(): JavaRegex {
    this.readFlags()
    const source = this.readAlternatives()
    if (this.at < this.points.length) throw this.invalid()
    let regex: RegExp
    try {
      regex = new RegExp(source, 'gu')
    } catch {
      throw this.invalid()
    }
    return { regex, groupCount: this.groups, repeatedGroups: this.repeated, needsAscii: this.ascii }
  }

  private invalid(): Error {
    return deltaError('INVALID_PARAMETER_VALUE.PATTERN', { pattern: this.pattern })
  }

  private peek(ahead = 0): string {
    return this.points[this.at + ahead] ?? ''
  }

  private readFlags(): void {
    if (this.pattern.startsWith('(?i)')) {
      this.ignoreCase = true
      this.at = 4
    }
  }

  private readAlternatives(): string {
    const parts = [this.readSequence()]
    while (this.peek() === '|') {
      this.at++
      parts.push(this.readSequence())
    }
    return parts.join('|')
  }

  private readSequence(): string {
    let source = ''
    while (this.at < this.points.length && this.peek() !== '|' && this.peek() !== ')') {
      const groupsBefore = this.groups
      const atom = this.readAtom()
      const quantifier = this.readQuantifier()
      const repeats = quantifier !== '' && quantifier !== '?' && quantifier !== '??'
      if (repeats && this.groups > groupsBefore) this.repeated = true
      source += atom + quantifier
    }
    return source
  }

  private readQuantifier(): string {
    const point = this.peek()
    let text = ''
    if (point === '*' || point === '+' || point === '?') text = point
    else if (point === '{') text = this.readCount()
    if (text === '') return ''
    this.at += Array.from(text).length
    if (this.peek() === '+') throw refuse('a possessive quantifier')
    if (this.peek() !== '?') return text
    this.at++
    return `${text}?`
  }

  private readCount(): string {
    const match = /^\{\d{1,9}(?:,\d{0,9})?\}/.exec(this.points.slice(this.at, this.at + 24).join(''))
    if (match === null) throw this.invalid()
    return match[0]
  }

  private readAtom(): string {
    const point = this.peek()
    switch (point) {
      case '(':
        return this.readGroup()
      case '[':
        return this.readClass()
      case '\\':
        return this.readEscape()
      case '*':
      case '+':
      case '?':
        throw this.invalid()
      case '{':
        throw this.invalid()
      default:
        this.at++
        if (point === '.') return DOT
        if (point === '^') return '^'
        if (point === '$') return LINE_END
        return this.literal(point)
    }
  }

  private readGroup(): string {
    if (++this.depth > 100) throw refuse('more than 100 levels of groups')
    this.at++
    let open = '('
    if (this.peek() === '?') open = this.readGroupKind()
    else this.groups++
    const body = this.readAlternatives()
    if (this.peek() !== ')') throw this.invalid()
    this.at++
    this.depth--
    return `${open}${body})`
  }

  private readGroupKind(): string {
    const rest = this.points.slice(this.at, this.at + 64).join('')
    const kind = /^\?(?::|=|!|<=|<!)/.exec(rest)?.[0]
    if (kind !== undefined) {
      this.at += kind.length
      return `(${kind}`
    }
    const named = /^\?<[A-Za-z][A-Za-z0-9]*>/.exec(rest)?.[0]
    if (named === undefined) throw refuse(`the group (${rest.slice(0, 3)}`)
    this.at += named.length
    this.groups++
    return '('
  }

  private literal(point: string): string {
    if (this.ignoreCase && /^[A-Za-z]$/.test(point)) return `[${point.toLowerCase()}${point.toUpperCase()}]`
    return escapePoint(point)
  }

  private readEscape(): string {
    const next = this.peek(1)
    if (next === '') throw this.invalid()
    if (next === 'Q') return this.readQuote()
    this.at += 2
    const lower = next.toLowerCase()
    if (CLASSES[lower] !== undefined) return `[${next === lower ? '' : '^'}${CLASSES[lower]}]`
    if (next === 'A') return '^'
    if (next === 'z') return '$'
    if (next === 'b' || next === 'B') {
      this.ascii = true
      return `\\${next}`
    }
    return this.singleEscape(next)
  }

  /** An escape that means one code point, the backslash and the letter already taken. */
  private singleEscape(letter: string): string {
    if (CONTROLS[letter] !== undefined) return CONTROLS[letter]
    if (letter === 'x' || letter === 'u') return this.readHex(letter === 'x' ? 2 : 4)
    if (/^[1-9k]$/.test(letter)) throw refuse('a back reference')
    if (/^[A-Za-z0]$/.test(letter)) throw refuse(`\\${letter}`)
    return escapePoint(letter)
  }

  private readHex(length: number): string {
    const digits = this.points.slice(this.at, this.at + length).join('')
    if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== length) throw this.invalid()
    this.at += length
    return this.literal(String.fromCharCode(Number.parseInt(digits, 16)))
  }

  private readQuote(): string {
    this.at += 2
    let source = ''
    while (this.at < this.points.length && !(this.peek() === '\\' && this.peek(1) === 'E')) {
      source += this.literal(this.peek())
      this.at++
    }
    this.at = Math.min(this.at + 2, this.points.length)
    return `(?:${source})`
  }

  private readClass(): string {
    this.at++
    const negated = this.peek() === '^'
    if (negated) this.at++
    let body = ''
    let first = true
    while (first || this.peek() !== ']') {
      if (this.at >= this.points.length) throw this.invalid()
      if (this.peek() === '[') throw refuse('a class inside a class')
      if (this.peek() === '&' && this.peek(1) === '&') throw refuse('an intersection of classes')
      if (first && this.peek() === ']') throw refuse("']' at the start of a class")
      body += this.readClassItem()
      first = false
    }
    this.at++
    return `[${negated ? '^' : ''}${body}]`
  }

  private readClassItem(): string {
    const low = this.readClassPoint()
    if (low.kind === 'class' || this.peek() !== '-' || this.peek(1) === ']') {
      return low.kind === 'class' ? low.source : this.classLiteral(low.source)
    }
    if (this.peek(1) === '[' || this.peek(1) === '') throw refuse("'-' in a class")
    this.at++
    const high = this.readClassPoint()
    if (high.kind === 'class') throw refuse('a range to a class')
    if (low.source.codePointAt(0)! > high.source.codePointAt(0)!) throw this.invalid()
    return this.classRange(low.source, high.source)
  }

  private readClassPoint(): { kind: 'class' | 'point'; source: string } {
    const point = this.peek()
    this.at++
    if (point !== '\\') return { kind: 'point', source: point }
    const letter = this.peek()
    if (letter === '') throw this.invalid()
    this.at++
    if (CLASSES[letter] !== undefined) return { kind: 'class', source: CLASSES[letter] }
    if (CLASSES[letter.toLowerCase()] !== undefined) throw refuse(`\\${letter} in a class`)
    if (letter === 'x' || letter === 'u') {
      const length = letter === 'x' ? 2 : 4
      const digits = this.points.slice(this.at, this.at + length).join('')
      if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== length) throw this.invalid()
      this.at += length
      return { kind: 'point', source: String.fromCharCode(Number.parseInt(digits, 16)) }
    }
    const control = CONTROL_POINTS[letter]
    if (control !== undefined) return { kind: 'point', source: control }
    if (/^[A-Za-z0-9]$/.test(letter)) throw refuse(`\\${letter} in a class`)
    return { kind: 'point', source: letter }
  }

  private classLiteral(point: string): string {
    if (this.ignoreCase && /^[A-Za-z]$/.test(point)) return `${point.toLowerCase()}${point.toUpperCase()}`
    return escapePoint(point)
  }

  private classRange(low: string, high: string): string {
    const range = `${escapePoint(low)}-${escapePoint(high)}`
    if (!this.ignoreCase) return range
    if (/^[a-z][a-z]$/.test(low + high)) return `${range}${low.toUpperCase()}-${high.toUpperCase()}`
    if (/^[A-Z][A-Z]$/.test(low + high)) return `${range}${low.toLowerCase()}-${high.toLowerCase()}`
    if (/^[0-9][0-9]$/.test(low + high)) return range
    throw refuse('(?i) with this range of a class')
  }
}

const CONTROL_POINTS: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  f: '\f',
  a: '\u0007',
  e: '\u001b',
}

function escapePoint(point: string): string {
  if (/^[A-Za-z0-9_ ]$/.test(point)) return point
  return `\\u{${point.codePointAt(0)!.toString(16)}}`
}
