/**
 * JSON as Jackson reads it for Spark: single quotes allowed, control characters allowed in strings, what follows the
 * first value ignored; and as Spark writes it back.
 */
import { javaFloatText } from '../cast/number-text.ts'
import { unsupported } from '../unsupported.ts'

export type LenientJson =
  | { readonly kind: 'null' | 'true' | 'false' }
  | { readonly kind: 'string'; readonly text: string }
  /** digits as written */
  | { readonly kind: 'integer' | 'float'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly LenientJson[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, LenientJson])[] }

const MAX_DEPTH = 1000
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /(?:null|true|false)(?![A-Za-z0-9_$])/y
const BLANK = /[ \t\r\n]*/y

/** @returns undefined where the text does not begin with a whole value */
export function parseLenientJson(text: string): LenientJson | undefined {
  const reader = new Reader(text)
  try {
    return reader.value(0)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

class Malformed extends Error {}

class Reader {
  private at = 0
  private readonly text: string
  constructor(text: string) {
    this.text = text
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  private peek(): string {
    this.take(BLANK)
    return this.text[this.at] ?? ''
  }

  private expect(character: string): void {
    if (this.peek() !== character) throw new Malformed()
    this.at++
  }

  value(depth: number): LenientJson {
    if (depth > MAX_DEPTH) throw unsupported('JSON nested more than 1000 levels deep', 'use less deep JSON')
    const next = this.peek()
    if (next === '{') return this.object(depth)
    if (next === '[') return this.array(depth)
    if (next === '"' || next === "'") return { kind: 'string', text: this.string() }
    const word = this.take(WORD)
    if (word !== undefined) return { kind: word as 'null' | 'true' | 'false' }
    const number = this.take(NUMBER)
    if (number === undefined || /[A-Za-z0-9_$.]/.test(this.text[this.at] ?? '')) throw new Malformed()
    return { kind: /[.eE]/.test(number) ? 'float' : 'integer', text: number }
  }

  private object(depth: number): LenientJson {
    this.at++
    const members: (readonly [string, LenientJson])[] = []
    if (this.peek() === '}') this.at++
    else {
      for (;;) {
        const quote = this.peek()
        if (quote !== '"' && quote !== "'") throw new Malformed()
        const name = this.string()
        this.expect(':')
        members.push([name, this.value(depth + 1)])
        if (!this.another('}')) break
      }
    }
    return { kind: 'object', members }
  }

  private array(depth: number): LenientJson {
    this.at++
    const items: LenientJson[] = []
    if (this.peek() === ']') this.at++
    else {
      do items.push(this.value(depth + 1))
      while (this.another(']'))
    }
    return { kind: 'array', items }
  }

  /** Whether a comma follows, or else the end. */
  private another(end: string): boolean {
    const next = this.peek()
    if (next !== ',' && next !== end) throw new Malformed()
    this.at++
    return next === ','
  }

  private string(): string {
    const quote = this.text[this.at]!
    let value = ''
    for (this.at++; ; this.at++) {
      const character = this.text[this.at]
      if (character === undefined) throw new Malformed()
      if (character === quote) break
      value += character === '\\' ? this.escape() : character
    }
    this.at++
    return value
  }

  private escape(): string {
    const letter = this.text[++this.at] ?? ''
    if (letter === 'u') {
      const digits = this.text.slice(this.at + 1, this.at + 5)
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new Malformed()
      this.at += 4
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const value = ESCAPES.get(letter)
    if (value === undefined) throw new Malformed()
    return value
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ["'", "'"],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Compact JSON; floating numbers as Java prints them. @param escapeSurrogates writes pairs as `\uD83D\uDE00` */
export function printLenientJson(json: LenientJson, escapeSurrogates: boolean): string {
  switch (json.kind) {
    case 'string':
      return quoteJson(json.text, escapeSurrogates)
    case 'integer':
      return json.text === '-0' ? '0' : json.text
    case 'float':
      return floatText(json.text)
    case 'array':
      return `[${json.items.map((item) => printLenientJson(item, escapeSurrogates)).join(',')}]`
    case 'object': {
      const members = json.members.map(
        ([name, value]) => `${quoteJson(name, escapeSurrogates)}:${printLenientJson(value, escapeSurrogates)}`,
      )
      return `{${members.join(',')}}`
    }
    default:
      return json.kind
  }
}

/** A number with a point or an exponent goes through a double. */
export function floatText(text: string): string {
  const value = Number(text)
  if (!Number.isFinite(value)) throw unsupported(`the number ${text.slice(0, 40)} in JSON`, 'use smaller numbers')
  return javaFloatText(value, false)
}

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** A text as Jackson quotes it: controls and the quote escaped, everything else as it is. */
export function quoteJson(text: string, escapeSurrogates = false): string {
  let result = ''
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    const unit = text.charCodeAt(i)
    const known = CONTROLS.get(character)
    const hidden = unit < 0x20 || (escapeSurrogates && unit >= 0xd800 && unit < 0xe000)
    result += known ?? (hidden ? `\\u${unit.toString(16).toUpperCase().padStart(4, '0')}` : character)
  }
  return `"${result}"`
}
