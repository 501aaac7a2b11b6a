/**
 * The tokens of JSON at a place of some bytes.
 *
 * Each `scan…` answers whether a token of that kind with one reading stands at the cursor, and moves behind it. After
 * false the cursor is anywhere: the line is left to the exact reader. No objects and no text are made.
 */
import { DATE, TIMESTAMP } from './json-nodes.ts'

/** A double gives back every decimal of so many digits. */
export const EXACT_DIGITS = 15

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const COMMA = 0x2c
export const COLON = 0x3a
const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const ZERO = 0x30
const SMALL_U = 0x75

/** 1 for bytes that stand for themselves in a text. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)
/** What may stand behind a backslash, but for `u`. */
const ESCAPES: readonly number[] = Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0))
const DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export class ByteCursor {
  protected bytes: Uint8Array = new Uint8Array()
  protected at = 0

  /** The next byte that is not space; -1 at the end. */
  protected peek(): number {
    const { bytes } = this
    let byte = bytes[this.at]
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = bytes[++this.at]
    return byte ?? -1
  }

  protected word(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.bytes[this.at + i] !== text.charCodeAt(i)) return false
    this.at += text.length
    return this.isTokenEnd()
  }

  protected equals(name: Uint8Array, start: number, end: number): boolean {
    if (end - start !== name.length) return false
    for (let i = 0; i < name.length; i++) if (this.bytes[start + i] !== name[i]) return false
    return true
  }

  protected scanString(): boolean {
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
      if (byte !== BACKSLASH) return false
      const letter = bytes[at + 1]!
      if (letter === SMALL_U) {
        at = this.escapeEnd(at)
        if (at < 0) return false
      } else if (ESCAPES.includes(letter)) at += 2
      else return false
    }
  }

  /** @returns the place behind `\uXXXX`, or a pair of them; -1 for the character 0, half a pair, or anything else */
  private escapeEnd(at: number): number {
    const unit = this.codeUnit(at)
    if (unit <= 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return -1
    if (unit < 0xd800 || unit > 0xdbff) return at + 6
    const low = this.codeUnit(at + 6)
    return low >= 0xdc00 && low <= 0xdfff ? at + 12 : -1
  }

  private codeUnit(at: number): number {
    const { bytes } = this
    if (bytes[at] !== BACKSLASH || bytes[at + 1] !== SMALL_U) return -1
    let unit = 0
    for (let i = at + 2; i < at + 6; i++) {
      const digit = hexDigit(bytes[i] ?? 0)
      if (digit < 0) return -1
      unit = unit * 16 + digit
    }
    return unit
  }

  protected scanInteger(digits: number): boolean {
    const start = this.skipMinus()
    const count = this.skipDigits() - start
    return count > 0 && count <= digits && (count === 1 || this.bytes[start] !== ZERO) && this.isTokenEnd()
  }

  protected scanDecimal(whole: number, scale: number): boolean {
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

  /**
   * Exponents and long numbers are left to the exact reader: they may be beyond the type. So is -0, which DuckDB takes
   * for an integer and gives back as 0.
   */
  protected scanDouble(): boolean {
    const first = this.at
    const start = this.skipMinus()
    const digits = this.skipDigits() - start
    if (digits === 0 || digits > 30 || (digits > 1 && this.bytes[start] === ZERO)) return false
    if (this.bytes[this.at] !== DOT) return (start === first || this.bytes[start] !== ZERO) && this.isTokenEnd()
    const from = ++this.at
    const fraction = this.skipDigits() - from
    return fraction > 0 && fraction <= 30 && this.isTokenEnd()
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
  protected scanTime(kind: number): boolean {
    this.at++
    const year = this.number(4)
    const month = this.byte(MINUS) ? this.number(2) : -1
    const day = this.byte(MINUS) ? this.number(2) : -1
    if (year < 2 || year > 9998 || month < 1 || month > 12 || day < 1 || day > daysOf(month, year)) return false
    if (kind !== DATE) {
      const separator = this.bytes[this.at++]
      if (separator !== 0x54 && separator !== 0x20) return false
      if (!this.clock()) return false
      if (kind === TIMESTAMP && !this.zone()) return false
    }
    return this.byte(QUOTE)
  }

  private clock(): boolean {
    const hour = this.number(2)
    const minute = this.byte(COLON) ? this.number(2) : -1
    const second = this.byte(COLON) ? this.number(2) : -1
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false
    if (this.bytes[this.at] !== DOT) return true
    const from = ++this.at
    const digits = this.skipDigits() - from
    return digits > 0 && digits <= 6
  }

  private zone(): boolean {
    const first = this.bytes[this.at]
    if (first === QUOTE) return true
    this.at++
    if (first === 0x5a) return true
    if (first !== MINUS && first !== PLUS) return false
    const hours = this.number(2)
    const minutes = this.byte(COLON) ? this.number(2) : -1
    return hours >= 0 && hours <= 14 && minutes >= 0 && minutes <= 59
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

  protected scanBase64(): boolean {
    const start = this.at + 1
    if (!this.scanString()) return false
    const end = this.at - 1
    if ((end - start) % 4 !== 0) return false
    // bits below a padded end must be zero; whether they are is left to the exact reader
    for (let i = start; i < end; i++) if (!isBase64(this.bytes[i]!)) return false
    return true
  }
}

function daysOf(month: number, year: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : DAYS[month]!
}

function hexDigit(byte: number): number {
  if (byte >= ZERO && byte <= 0x39) return byte - ZERO
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function isBase64(byte: number): boolean {
  return (
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= ZERO && byte <= 0x39) ||
    byte === PLUS ||
    byte === 0x2f
  )
}
