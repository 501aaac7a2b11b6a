/**
 * Tells, from the bytes of a line alone, that DuckDB's JSON reader will give exactly the row it means.
 *
 * DuckDB rounds 1.5 to an integer, takes true for a text, reads decimals through a double and passes over a comma too
 * many, all silently. This scanner knows the schema and accepts only what has one reading: everything else, damaged or
 * merely unusual, it leaves to the exact reader. It makes no objects and no text, so that it keeps up with the engine.
 */
import type { StructType } from '../../../schema/index.ts'
import {
  BACKSLASH,
  ByteCursor,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './byte-cursor.ts'
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

const MAX_DEPTH = 200
const NEWLINE = 0x0a
const SMALL_N = 0x6e

export interface ScannerOptions {
  /** columns whose places in the line `placeOf` tells */
  readonly watched?: readonly number[]
  /** a line with a field that is no column is left to the exact reader */
  readonly rejectsUnknown?: boolean
}

export class JsonScanner extends ByteCursor {
  readonly root: StructNode
  /** fields of the last line vouched for that are no columns */
  unknown = 0
  private readonly rejectsUnknown: boolean
  private readonly watched: Uint8Array
  /** where the value of each watched column begins and ends in the last line; -1 where the line has none */
  private readonly places: Int32Array

  constructor(schema: StructType, { watched = [], rejectsUnknown = false }: ScannerOptions = {}) {
    super()
    this.rejectsUnknown = rejectsUnknown
    this.root = structNode(schema)
    this.watched = new Uint8Array(schema.fields.length)
    this.places = new Int32Array(2 * schema.fields.length)
    for (const index of watched) this.watched[index] = 1
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
    this.places.fill(-1)
    this.unknown = 0
    // a newline is no space and ends every token: nothing is read beyond the line
    if (this.peek() !== OPEN_BRACE || !this.scanStruct(this.root, 0)) return -1
    const next = this.peek()
    return next === NEWLINE || next === -1 ? this.at : -1
  }

  /** Where the last line vouched for has the value of a watched column; undefined where it lacks it. */
  placeOf(column: number): { readonly start: number; readonly end: number } | undefined {
    const start = this.places[2 * column]!
    return start < 0 ? undefined : { start, end: this.places[2 * column + 1]! }
  }

  private scan(node: Node, depth: number): boolean {
    const first = this.peek()
    if (first === SMALL_N) return this.word('null')
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
          this.unknown++
          if (this.rejectsUnknown || !this.skip(depth)) return false
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
    if (this.peek() === SMALL_N && struct.required.includes(index)) return false
    const start = this.at
    if (!this.scan(struct.members[index]!, depth)) return false
    if (struct === this.root && this.watched[index] === 1) {
      this.places[2 * index] = start
      this.places[2 * index + 1] = this.at
    }
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
      if (!containsNull && this.peek() === SMALL_N) return false
      if (!this.scan(element, depth)) return false
      const next = this.peek()
      this.at++
      if (next === CLOSE_BRACKET) return true
      if (next !== COMMA) return false
    }
  }

  /** Any value that is no column's; its syntax still counts. */
  private skip(depth: number): boolean {
    if (depth > MAX_DEPTH) return false
    const first = this.peek()
    if (first === QUOTE) return this.scanString()
    if (first === SMALL_N) return this.word('null')
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
}
