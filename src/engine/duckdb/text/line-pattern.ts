/**
 * Lines laid out as one line is, as a regular expression.
 *
 * Most writers put the same members in the same order with the same spaces into every line. A line that was vouched for
 * shows them; the expression made from it takes lines that differ from it in their values only, and only values that the
 * scanner vouches for as well. It reads text of one character a byte and is compiled to machine code, which makes it
 * several times as fast as walking the bytes. Alternatives begin differently and repetitions end where they cannot go
 * on, so that a line that does not match costs no more than one that does.
 */
import { EXACT_DIGITS } from './byte-cursor.ts'
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
  TIMESTAMP,
  TIMESTAMP_NTZ,
} from './json-nodes.ts'

const PLAIN = String.raw`[^"\\\x00-\x1f]*`
const HEX = '[0-9a-fA-F]'
/** not the character 0, no half of a pair */
const UNIT = `(?:[1-9a-cA-CeEfF]${HEX}{3}|[dD][0-7]${HEX}{2}|0(?!000)${HEX}{3})`
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u${UNIT})`
const TEXT = `"${PLAIN}(?:${ESCAPE}${PLAIN})*"`
const NUMBER = String.raw`(?:0|-?[1-9]\d{0,29}|-0(?=\.))(?:\.\d{1,30})?`
/** years whose every day and offset is a value; the other years are for the scanner */
const DAY = String.raw`[1-8]\d{3}-(?:02-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[012])-(?:0[1-9]|[12]\d|30)|(?:0[13578]|1[02])-31)`
const CLOCK = String.raw`[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?`
const ZONE = String.raw`(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?`
const BASE64 = '"(?:[A-Za-z0-9+/]{4})*"'
/** fraction digits looked for where a decimal has more digits than a double gives back */
const USUAL_FRACTION = 6
/** Longer ones are slow to compile, and beyond some length refused. */
const MAX_PATTERN = 32_768

export interface PatternOptions {
  /** columns whose values must be spelt as in the example */
  readonly fixed: ReadonlySet<number>
}

export interface LinePattern {
  /** sticky, over text of one character a byte, for a whole line with its newline */
  readonly expression: RegExp
  /** fields of such a line that are no columns */
  readonly unknown: number
}

/**
 * @param example a line that the scanner vouches for, without its newline, one character a byte
 * @returns undefined where the layout of the example cannot be told by an expression
 */
export function linePattern(root: StructNode, example: string, { fixed }: PatternOptions): LinePattern | undefined {
  const reader = new ExampleReader(example)
  const object = reader.object(root, fixed)
  if (object === undefined) return undefined
  const pattern = `${object}${escapeText(reader.rest())}\\n`
  if (pattern.length > MAX_PATTERN) return undefined
  return { expression: new RegExp(pattern, 'y'), unknown: reader.numUnknown }
}

/** Walks an example; what it walks is known to be a record. */
class ExampleReader {
  /** fields met that are no columns */
  numUnknown = 0
  private readonly text: string
  private at = 0
  private lists = 0

  constructor(text: string) {
    this.text = text
  }

  rest(): string {
    return this.text.slice(this.at)
  }

  /** The members as they stand, with the spaces between them. */
  object(struct: StructNode, fixed: ReadonlySet<number> | undefined): string | undefined {
    let pattern = escapeText(this.to('{'))
    pattern += escapeText(this.spaces())
    if (this.text[this.at] === '}') return pattern + this.take(1)
    for (;;) {
      const name = this.string()
      const head = `${name}${this.to(':')}${this.spaces()}`
      const start = this.at
      const value = this.member(struct, name.slice(1, -1))
      if (value === undefined) return undefined
      const isFixed = fixed?.has(indexOf(struct, name.slice(1, -1))) ?? false
      pattern += escapeText(head) + (isFixed ? escapeText(this.text.slice(start, this.at)) : value)
      const behind = this.spaces()
      const next = this.take(1)
      pattern += escapeText(behind + next + (next === ',' ? this.spaces() : ''))
      if (next === '}') return pattern
    }
  }

  private member(struct: StructNode, name: string): string | undefined {
    const index = indexOf(struct, name)
    if (index < 0) return this.unknown()
    const node = struct.members[index]!
    const value = this.value(node)
    return value === undefined || struct.required.includes(index) ? value : orNull(value)
  }

  private value(node: Node): string | undefined {
    const first = this.text[this.at]
    if (first === '{') return this.object(node.struct!, undefined)
    if (first === '[') return this.array(node)
    if (first === '"') this.string()
    else this.word()
    return compactPattern(node) ?? (first === 'n' ? 'null' : undefined)
  }

  /**
   * Fields that are no columns may be any value that is neither object nor list. Records in lists must have none: how many
   * a line has is told by its layout.
   */
  private unknown(): string | undefined {
    this.numUnknown++
    const first = this.text[this.at]
    if (first === '{' || first === '[' || this.lists > 0) return undefined
    if (first === '"') this.string()
    else this.word()
    return `(?:${TEXT}|${NUMBER}|true|false|null)`
  }

  private array({ element, containsNull }: Node): string | undefined {
    const open = this.take(1) + this.spaces()
    if (this.text[this.at] === ']') {
      this.at++
      return listOf(compactPattern(element!), { containsNull, open, comma: ',', close: ']' })
    }
    let first: string | undefined
    let comma = ','
    for (;;) {
      this.lists++
      const value = this.value(element!)
      this.lists--
      if (value === undefined) return undefined
      first ??= value
      const behind = this.spaces()
      if (this.take(1) === ']') return listOf(first, { containsNull, open, comma, close: `${behind}]` })
      comma = `${behind},${this.spaces()}`
    }
  }

  private string(): string {
    const start = this.at++
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1
    this.at++
    return this.text.slice(start, this.at)
  }

  private word(): void {
    while (/[-+.\w]/.test(this.text[this.at] ?? '')) this.at++
  }

  private spaces(): string {
    const start = this.at
    while (/[ \t\r]/.test(this.text[this.at] ?? '')) this.at++
    return this.text.slice(start, this.at)
  }

  /** The text up to a mark and the mark. */
  private to(mark: string): string {
    return this.take(this.text.indexOf(mark, this.at) + 1 - this.at)
  }

  private take(length: number): string {
    this.at += length
    return this.text.slice(this.at - length, this.at)
  }
}

/** Names are compared as bytes, as the scanner does. */
function indexOf(struct: StructNode, name: string): number {
  return struct.latinNames.indexOf(name)
}

/** A value spelt without spaces, its members all there and in the order of the columns. */
function compactPattern(node: Node): string | undefined {
  switch (node.kind) {
    case INTEGER:
      return String.raw`-?(?:0|[1-9]\d{0,${node.digits - 1}})`
    case DECIMAL:
      return decimalPattern(node)
    case DOUBLE:
      return NUMBER
    case STRING:
      return TEXT
    case BOOLEAN:
      return '(?:true|false)'
    case DATE:
      return `"${DAY}"`
    case TIMESTAMP:
      return `"${DAY}${CLOCK}${ZONE}"`
    case TIMESTAMP_NTZ:
      return `"${DAY}${CLOCK}"`
    case BINARY:
      return BASE64
    case ARRAY: {
      const { containsNull } = node
      return listOf(compactPattern(node.element!), { containsNull, open: '[', comma: ',', close: ']' })
    }
    case STRUCT:
      return compactStruct(node.struct!)
    default:
      return undefined
  }
}

function compactStruct(struct: StructNode): string | undefined {
  const members = struct.members.map((node, i) => {
    const value = compactPattern(node)
    const head = escapeText(`"${struct.latinNames[i]!}":`)
    return value && head + (struct.required.includes(i) ? value : orNull(value))
  })
  return members.includes(undefined) ? undefined : `\\{${members.join(',')}\\}`
}

function decimalPattern({ digits, scale }: Node): string {
  const fraction = Math.min(scale, digits + scale > EXACT_DIGITS ? USUAL_FRACTION : scale)
  const whole = Math.min(digits, EXACT_DIGITS - fraction)
  const front = whole > 0 ? String.raw`(?:0|[1-9]\d{0,${whole - 1}})` : '0'
  return `-?${front}${fraction > 0 ? String.raw`(?:\.\d{1,${fraction}})?` : ''}`
}

function listOf(
  element: string | undefined,
  { containsNull, open, comma, close }: { containsNull: boolean; open: string; comma: string; close: string },
): string | undefined {
  // the element stands there twice
  if (element === undefined || element.length > MAX_PATTERN / 2) return undefined
  const item = containsNull ? orNull(element) : element
  return `${escapeText(open)}(?:${item}(?:${escapeText(comma)}${item})*)?${escapeText(close)}`
}

function orNull(value: string): string {
  return `(?:${value}|null)`
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
