/**
 * Tells, from the bytes of a line alone, that DuckDB's JSON reader will give exactly the row it means.
 *
 * DuckDB rounds 1.5 to an integer, takes true for a text, reads decimals through a double and passes over a comma too
 * many, all silently. This scanner knows the schema and accepts only what has one reading: everything else, damaged or
 * merely unusual, it leaves to the exact reader. It makes no objects and no text, so that it keeps up with the engine.
 */
import type { StructType } from '../../../schema/index.ts'
import {
  ARRAY,
  BINARY,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  INTEGER,
  type Node,
  STRING,
  STRUCT,
  type StructNode,
  structNode,
  TIMESTAMP,
  TIMESTAMP_NTZ,
} from './json-nodes.ts'

/** A double gives back every decimal of so many digits. */
const EXACT_DIGITS = 15
const MAX_DEPTH = 200

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const NEWLINE = 0x0a

/** 1 for bytes that stand for themselves in a text. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)

/** Compares the values of some columns, as they are spelt, from line to line. */
class KeyWatch {
  isSame: boolean
  private readonly isKnown: boolean
  private readonly watched: Uint8Array
  private readonly first: (Uint8Array | undefined)[]
  private readonly count: number
  private seen = 0

  constructor(key: readonly number[] | undefined, columns: number) {
    this.isKnown = key !== undefined
    this.isSame = this.isKnown
    this.watched = new Uint8Array(columns)
    for (const index of key ?? []) this.watched[index] = 1
    this.first = new Array<undefined>(columns).fill(undefined)
    this.count = new Set(key).size
  }

  begin(): void {
    this.isSame = this.isKnown
    this.seen = 0
    this.first.fill(undefined)
  }

  isWatched(index: number): boolean {
    return this.watched[index] === 1
  }

  see(index: number, bytes: Uint8Array, start: number, end: number): void {
    this.seen++
    const first = this.first[index]
    if (first === undefined) this.first[index] = bytes.slice(start, end)
    else if (this.isSame) this.isSame = isSameBytes(first, bytes, start, end)
  }

  /** A column that a line lacks is null there: spelt in two ways, it does not count as the same. */
  endLine(): void {
    if (this.seen !== this.count) this.isSame = false
    this.seen = 0
  }
}

function isSameBytes(expected: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== expected.length) return false
  for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false
  return true
}

export class JsonScanner {
  private readonly root: StructNode
  private readonly key: KeyWatch
  private bytes: Uint8Array = new Uint8Array()
  private at = 0

  /** @param key columns whose values are compared from line to line, see `hasOneKey`; undefined: they never count as the same */
  constructor(schema: StructType, key?: readonly number[]) {
    this.root = structNode(schema)
    this.key = new KeyWatch(key, schema.fields.length)
  }

  /** Whether all lines vouched for since `beginKey` hold the same bytes in the columns of the key. */
  get hasOneKey(): boolean {
    return this.key.isSame
  }

  beginKey(): void {
    this.key.begin()
  }

  /**
   * Whether the line that begins at `start` is a record with one reading.
   *
   * @param bytes should end with a newline: what reads behind the end is right, but slow from then on
   * @returns the place of its newline, or the end of the bytes; -1 where the exact reader must look
   */
  plainLineEnd(bytes: Uint8Array, start: number): number {
    this.bytes = bytes
    this.at = start
    // a newline is no space and ends every token: nothing is read beyond the line
    if (this.peek() !== OPEN_BRACE || !this.scanStruct(this.root, 0)) return -1
    const next = this.peek()
    if (next !== NEWLINE && next !== -1) return -1
    this.key.endLine()
    return this.at
  }

  private scan(node: Node, depth: number): boolean {
    const first = this.peek()
    if (first === 0x6e) return this.word('null')
    switch (node.kind) {
      case INTEGER:
        return this.scanInteger(node.digits)
      case DECIMAL:
        return this.scanDecimal(node.digits, node.scale)
      case DOUBLE:
        return this.scanDouble()
      case STRING:
        return first === QUOTE && this.scanString()
      case BOOLEAN:
        return first === 0x74 ? this.word('true') : first === 0x66 && this.word('false')
      case DATE:
      case TIMESTAMP:
      case TIMESTAMP_NTZ:
        return first === QUOTE && this.scanTime(node.kind)
      case BINARY:
        return first === QUOTE && this.scanBase64()
      case STRUCT:
        return first === OPEN_BRACE && this.scanStruct(node.struct!, depth + 1)
      case ARRAY:
        return first === OPEN_BRACKET && this.scanArray(node.element!, node.containsNull, depth + 1)
      default:
        return false
    }
  }

  private scanStruct(struct: StructNode, depth: number): boolean {
    const object = ++struct.objects
    this.at++
    if (this.peek() === CLOSE_BRACE) this.at++
    else {
      let expected = 0
      for (;;) {
        const index = this.isHead(struct, expected) ? expected : this.scanHead(struct, expected)
        if (index === -2) return false
        if (index === -1) {
          if (!this.skip(depth)) return false
        } else {
          if (struct.seen[index] === object || !this.scanMember(struct, index, depth)) return false
          struct.seen[index] = object
          expected = index + 1
        }
        const next = this.peek()
        this.at++
        if (next === CLOSE_BRACE) break
        if (next !== COMMA) return false
      }
    }
    for (const index of struct.required) if (struct.seen[index] !== object) return false
    return true
  }

  private scanMember(struct: StructNode, index: number, depth: number): boolean {
    if (this.peek() === 0x6e && struct.required.includes(index)) return false
    const start = this.at
    if (!this.scan(struct.members[index]!, depth)) return false
    if (struct === this.root && this.key.isWatched(index)) this.key.see(index, this.bytes, start, this.at)
    return true
  }

  /** Most writers keep one order of members and put no spaces: name, quotes and colon are compared at once. */
  private isHead(struct: StructNode, expected: number): boolean {
    if (expected >= struct.heads.length) return false
    const { bytes, at } = this
    const head = struct.heads[expected]!
    const { length } = head
    for (let i = 0; i < length; i++) if (bytes[at + i] !== head[i]) return false
    this.at = at + length
    return true
  }

  /**
   * A name and the colon behind it.
   *
   * @returns the member's index, -1 for a name that is no column, -2 where the exact reader must look
   */
  private scanHead(struct: StructNode, expected: number): number {
    if (this.peek() !== QUOTE) return -2
    const index = this.scanName(struct, expected)
    if (index === -2 || this.peek() !== COLON) return -2
    this.at++
    return index
  }

  private scanName(struct: StructNode, expected: number): number {
    const start = this.at + 1
    if (!this.scanString()) return -2
    const end = this.at - 1
    if (expected < struct.names.length && this.equals(struct.names[expected]!, start, end)) return expected
    for (let i = 0; i < struct.names.length; i++) if (this.equals(struct.names[i]!, start, end)) return i
    return this.mayBeColumn(struct, start, end) ? -2 : -1
  }

  private equals(name: Uint8Array, start: number, end: number): boolean {
    if (end - start !== name.length) return false
    for (let i = 0; i < name.length; i++) if (this.bytes[start + i] !== name[i]) return false
    return true
  }

  /** Names with an escape or beyond ASCII, or that differ from a column's by case. */
  private mayBeColumn(struct: StructNode, start: number, end: number): boolean {
    let text = ''
    for (let i = start; i < end; i++) {
      const byte = this.bytes[i]!
      if (byte === BACKSLASH || byte > 0x7f) return true
      text += String.fromCharCode(byte)
    }
    return struct.folded.includes(text.toLowerCase())
  }

  private scanArray(element: Node, containsNull: boolean, depth: number): boolean {
    if (depth > MAX_DEPTH) return false
    this.at++
    if (this.peek() === CLOSE_BRACKET) {
      this.at++
      return true
    }
    for (;;) {
      if (!containsNull && this.peek() === 0x6e) return false
      if (!this.scan(element, depth)) return false
      const next = this.peek()
      this.at++
      if (next === CLOSE_BRACKET) return true
      if (next !== COMMA) return false
    }
  }

  /** A text that needs no look at its characters; `\u` may be half a pair. */
  private scanString(): boolean {
    const { bytes } = this
    let at = this.at + 1
    for (;;) {
      // four at a time: most bytes of records are read here
      for (;;) {
        if (PLAIN[bytes[at]!] !== 1) break
        if (PLAIN[bytes[at + 1]!] !== 1) {
          at += 1
          break
        }
        if (PLAIN[bytes[at + 2]!] !== 1) {
          at += 2
          break
        }
        if (PLAIN[bytes[at + 3]!] !== 1) {
          at += 3
          break
        }
        at += 4
      }
      const byte = bytes[at]
      if (byte === QUOTE) {
        this.at = at + 1
        return true
      }
      if (byte !== BACKSLASH || bytes[at + 1] === 0x75) return false
      at += 2
    }
  }

  private scanInteger(digits: number): boolean {
    const start = this.skipMinus()
    const count = this.skipDigits() - start
    return count > 0 && count <= digits && (count === 1 || this.bytes[start] !== ZERO) && this.isTokenEnd()
  }

  private scanDecimal(whole: number, scale: number): boolean {
    const start = this.skipMinus()
    const wholeDigits = this.skipDigits() - start
    if (wholeDigits === 0 || (wholeDigits > 1 && this.bytes[start] === ZERO)) return false
    let fraction = 0
    if (this.bytes[this.at] === DOT) {
      const from = ++this.at
      fraction = this.skipDigits() - from
      if (fraction === 0) return false
    }
    const fits = wholeDigits <= Math.max(whole, 1) && (whole > 0 || this.bytes[start] === ZERO) && fraction <= scale
    return fits && wholeDigits + fraction <= EXACT_DIGITS && this.isTokenEnd()
  }

  /** Exponents and long numbers are left to the exact reader: they may be beyond the type. */
  private scanDouble(): boolean {
    const start = this.skipMinus()
    const digits = this.skipDigits() - start
    if (digits === 0 || digits > 30 || (digits > 1 && this.bytes[start] === ZERO)) return false
    if (this.bytes[this.at] === DOT) {
      const from = ++this.at
      const fraction = this.skipDigits() - from
      if (fraction === 0 || fraction > 30) return false
    }
    return this.isTokenEnd()
  }

  private skipMinus(): number {
    if (this.bytes[this.at] === MINUS) this.at++
    return this.at
  }

  private skipDigits(): number {
    const { bytes } = this
    let at = this.at
    for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[at]! - ZERO) at++
    this.at = at
    return at
  }

  private isTokenEnd(): boolean {
    const byte = this.bytes[this.at] ?? COMMA
    return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 0x20
  }

  /** `"2024-02-28"`, `"2024-02-28T12:00:00.5Z"`; a space for the T, an offset for the Z, no zone: UTC. */
  private scanTime(kind: number): boolean {
    this.at++
    const year = this.number(4)
    const month = this.byte(MINUS) ? this.number(2) : -1
    const day = this.byte(MINUS) ? this.number(2) : -1
    if (year < 2 || year > 9998 || month < 1 || month > 12 || day < 1 || day > (month === 2 ? 28 : 30)) return false
    if (kind !== DATE) {
      const separator = this.bytes[this.at++]
      if (separator !== 0x54 && separator !== 0x20) return false
      if (!this.clock()) return false
      if (this.bytes[this.at] === DOT) {
        const from = ++this.at
        const digits = this.skipDigits() - from
        if (digits === 0 || digits > 6) return false
      }
      if (kind === TIMESTAMP && this.bytes[this.at] === 0x5a) this.at++
      else if (kind === TIMESTAMP && (this.bytes[this.at] === MINUS || this.bytes[this.at] === 0x2b)) {
        this.at++
        const hours = this.number(2)
        if (hours < 0 || hours > 14 || !this.byte(COLON)) return false
        const minutes = this.number(2)
        if (minutes < 0 || minutes > 59) return false
      }
    }
    return this.byte(QUOTE)
  }

  private clock(): boolean {
    const hour = this.number(2)
    const minute = this.byte(COLON) ? this.number(2) : -1
    const second = this.byte(COLON) ? this.number(2) : -1
    return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59
  }

  /** A number of exactly so many digits, or -1. */
  private number(digits: number): number {
    let value = 0
    for (let i = 0; i < digits; i++) {
      const digit = this.bytes[this.at++]! - ZERO
      if (!(digit >= 0 && digit <= 9)) return -1
      value = value * 10 + digit
    }
    return value
  }

  private byte(expected: number): boolean {
    return this.bytes[this.at++] === expected
  }

  private scanBase64(): boolean {
    const start = this.at + 1
    if (!this.scanString()) return false
    const end = this.at - 1
    if ((end - start) % 4 !== 0) return false
    let padding = 0
    for (let i = start; i < end; i++) {
      const byte = this.bytes[i]!
      if (byte === 0x3d) padding++
      else if (padding > 0 || !isBase64(byte)) return false
    }
    // bits below a padded end must be zero; whether they are is left to the exact reader
    return padding === 0
  }

  /** Any value that is no column's; its syntax still counts. */
  private skip(depth: number): boolean {
    if (depth > MAX_DEPTH) return false
    const first = this.peek()
    if (first === QUOTE) return this.scanString()
    if (first === 0x6e) return this.word('null')
    if (first === 0x74) return this.word('true')
    if (first === 0x66) return this.word('false')
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.skipNested(first === OPEN_BRACE, depth + 1)
    return this.scanDouble()
  }

  private skipNested(isObject: boolean, depth: number): boolean {
    const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET
    this.at++
    if (this.peek() === close) {
      this.at++
      return true
    }
    for (;;) {
      if (isObject) {
        if (this.peek() !== QUOTE || !this.scanString() || this.peek() !== COLON) return false
        this.at++
      }
      if (!this.skip(depth)) return false
      const next = this.peek()
      this.at++
      if (next === close) return true
      if (next !== COMMA) return false
    }
  }

  private word(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.bytes[this.at + i] !== text.charCodeAt(i)) return false
    this.at += text.length
    return this.isTokenEnd()
  }

  /** The next byte that is not space; -1 at the end. */
  private peek(): number {
    const { bytes } = this
    let byte = bytes[this.at]
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = bytes[++this.at]
    return byte ?? -1
  }
}

function isBase64(byte: number): boolean {
  return (
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= ZERO && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2f
  )
}
