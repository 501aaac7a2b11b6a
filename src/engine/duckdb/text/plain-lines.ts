/**
 * Stretches of plain records in bytes.
 *
 * Lines laid out as one before go through an expression made from that one, window by window; the others through the
 * scanner, which has the last word on what is plain. A table's partition is known by how the columns of its key are
 * spelt: the same bytes are the same partition. Where they are the same from line to line, the expressions hold them.
 */
import type { StructType } from '../../../schema/index.ts'
import { JsonScanner } from './json-scanner.ts'
import { type LinePattern, linePattern } from './line-pattern.ts'

/** Bytes of text looked at in one piece: short enough to be forgotten soon. */
const WINDOW_BYTES = 65_536
/** Layouts kept in mind; further ones are left to the scanner. */
const MAX_PATTERNS = 4
/** Lines beyond which expressions that seldom match are given up. */
const MIN_MISSES = 1000
const NEWLINE = 0x0a

export interface PlainLinesOptions {
  /** columns whose values are compared from line to line; undefined: they never count as the same */
  readonly keyColumns?: readonly number[] | undefined
  /** lines with a field that is no column are not plain */
  readonly rejectsUnknown?: boolean
}

export class PlainLines {
  /** records of the last stretch */
  records = 0
  /** bytes of the longest record of the last stretch */
  longest = 0
  /** fields of the last stretch that are no columns */
  unknown = 0
  private readonly scanner: JsonScanner
  private readonly keyColumns: readonly number[]
  private readonly hasKey: boolean
  /** whether the lines since `beginKey` are of one key */
  private isOneKey: boolean
  private shownKey: string | undefined
  /** the key of the line that ended the last stretch */
  private foundKey: string | undefined
  private patterns: LinePattern[] = []
  private hits = 0
  private misses = 0
  private bytes: Uint8Array | undefined
  private window = ''
  private windowStart = 0

  constructor(schema: StructType, { keyColumns, rejectsUnknown = false }: PlainLinesOptions = {}) {
    this.scanner = new JsonScanner(schema, { watched: keyColumns ?? [], rejectsUnknown })
    this.keyColumns = keyColumns ?? []
    this.hasKey = keyColumns !== undefined
    this.isOneKey = this.hasKey
  }

  /** Whether all lines taken since `beginKey` hold the same bytes in the columns of the key. */
  get hasOneKey(): boolean {
    return this.isOneKey
  }

  /** The key of the lines since `beginKey`, once one has shown it. */
  get key(): string | undefined {
    return this.shownKey
  }

  /** The key of the line that ended the last stretch, where that is what ended it; empty where it has none. */
  get nextKey(): string | undefined {
    return this.foundKey
  }

  /** The next line may hold any key, and the lines behind it are compared with it. */
  beginKey(): void {
    this.isOneKey = this.hasKey
    this.shownKey = undefined
    this.forgetPatterns()
  }

  /** From now on keys are not looked at. */
  mixKeys(): void {
    if (!this.isOneKey) return
    this.isOneKey = false
    this.forgetPatterns()
  }

  /**
   * Takes plain lines from `start` on, which is the beginning of a line.
   *
   * Where keys are looked at, a line of another key than those before ends the stretch and is not taken. `nextKey` is
   * its key then: call `beginKey` or `mixKeys` and go on from there.
   *
   * @param bytes as for `JsonScanner.plainLineEnd`; not changed while stretches of them are taken
   * @returns the beginning of the first line not taken; beyond the end where all are and the last one has no newline
   */
  take(bytes: Uint8Array, start: number): number {
    this.records = 0
    this.longest = 0
    this.unknown = 0
    this.foundKey = undefined
    if (this.bytes !== bytes) {
      this.bytes = bytes
      this.window = ''
    }
    let at = start
    for (;;) {
      at = this.match(bytes, at)
      if (at >= bytes.length) return at
      const end = this.scanner.plainLineEnd(bytes, at)
      if (end < 0 || !this.isOfKey(bytes)) return at
      this.records++
      this.longest = Math.max(this.longest, end - at)
      this.unknown += this.scanner.unknown
      this.learn(bytes, at, end)
      at = end + 1
    }
  }

  /** Takes lines by the expressions. */
  private match(bytes: Uint8Array, start: number): number {
    let at = start
    for (;;) {
      if (this.patterns.length === 0) return at
      if (at < this.windowStart || at >= this.windowStart + this.window.length) this.openWindow(bytes, at)
      const from = at
      at = this.matchWindow(at)
      if (at === from || at < this.windowStart + this.window.length) return at
    }
  }

  private matchWindow(start: number): number {
    const { window, windowStart } = this
    const { length } = window
    let at = start - windowStart
    let pattern = this.patterns[0]!
    while (at < length) {
      pattern.expression.lastIndex = at
      if (!pattern.expression.test(window)) {
        const other = this.otherPattern(pattern, at)
        if (other === undefined) break
        pattern = other
      }
      const end = pattern.expression.lastIndex
      this.unknown += pattern.unknown
      this.records++
      this.hits++
      if (end - at > this.longest) this.longest = end - at
      at = end
    }
    return at + windowStart
  }

  /** The pattern that matches instead, as if it had been tried. */
  private otherPattern(tried: LinePattern, at: number): LinePattern | undefined {
    return this.patterns.find((pattern) => {
      pattern.expression.lastIndex = at
      return pattern !== tried && pattern.expression.test(this.window)
    })
  }

  /** Whole lines from `start` on as text; none where a line is longer than a window. */
  private openWindow(bytes: Uint8Array, start: number): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const end = view.lastIndexOf(NEWLINE, Math.min(start + WINDOW_BYTES, bytes.length) - 1) + 1
    this.window = end > start ? view.toString('latin1', start, end) : ''
    this.windowStart = start
  }

  /** Whether the line just scanned is of the key of the lines before it. */
  private isOfKey(bytes: Uint8Array): boolean {
    if (!this.isOneKey) return true
    const key = this.keyOf(bytes)
    if (this.shownKey === undefined) {
      if (key === undefined) this.mixKeys()
      this.shownKey = key
      return true
    }
    if (key === this.shownKey) return true
    this.foundKey = key ?? ''
    return false
  }

  /** The spelling of the key; undefined where a column is not there, which is null, spelt in another way. */
  private keyOf(bytes: Uint8Array): string | undefined {
    const places = this.keyColumns.map((column) => this.scanner.placeOf(column))
    return places.every((place) => place !== undefined)
      ? places.map(({ start, end }) => latin(bytes, start, end)).join('\n')
      : undefined
  }

  private learn(bytes: Uint8Array, start: number, end: number): void {
    this.misses++
    if (this.misses > MIN_MISSES && this.misses > this.hits) this.patterns = []
    else if (this.patterns.length < MAX_PATTERNS && this.misses <= MIN_MISSES && end - start < WINDOW_BYTES) {
      const fixed = new Set(this.isOneKey ? this.keyColumns : [])
      const pattern = linePattern(this.scanner.root, latin(bytes, start, end), { fixed })
      const isNew = this.patterns.every(({ expression }) => expression.source !== pattern?.expression.source)
      if (pattern !== undefined && isNew) this.patterns.push(pattern)
    }
  }

  private forgetPatterns(): void {
    this.patterns = []
    this.hits = 0
    this.misses = 0
  }
}

function latin(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', start, end)
}
