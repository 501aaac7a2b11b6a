/**
 * JSON without loss: numbers keep their text where a double would change it, and object keys keep their order.
 *
 * `JSON.parse` rounds integers beyond 2^53 and turns `1.0` into `1`; `JSON.stringify` throws on bigint. Delta logs hold
 * 64-bit integers and decimals, so neither is used on them alone: `parseJson` hands the text to `JSON.parse` only when
 * no number in it can suffer.
 */
import { deltaError } from '../errors/index.ts'
import { mayLoseOrder, rememberKeys } from './written-keys.ts'

/** A number whose text a double would not give back: beyond 2^53, with a fraction, with an exponent, or `-0`. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type JsonValue = null | boolean | string | number | bigint | JsonNumber | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** Numbers at risk: 16 digits and more, a fraction, an exponent, a minus zero. */
const AT_RISK = String.raw`-?(?:\d{16,}|\d+[.eE]|0(?<=-0))`
/** Behind a key: a colon in a text, as times have it, follows no quote, and one in a text within a text an escaped one. */
const RISKY_MEMBER = new RegExp(String.raw`(?<!\\)"\s*:\s*${AT_RISK}`)
/** Elsewhere, or behind a key that ends in a backslash. */
const RISKY_ELEMENT = new RegExp(String.raw`[[,]\s*${AT_RISK}|^\s*${AT_RISK}|\\\\"`)
/** May be in a text as well, which then is parsed the slow way. */
const NUMBER_AS_KEY = /"(?:\d+|\\u003\d[^"]*)"\s*:/
const BOM = '\ufeff'

/**
 * Parses one JSON value.
 *
 * Integers up to 2^53 − 1 come as `number`, every other number as `JsonNumber`; `NaN`, `Infinity` and `-Infinity`,
 * which some writers put into statistics bare, come as `JsonNumber` too. A leading byte order mark is skipped.
 *
 * @throws DeltaError `LAKE_JSON_MALFORMED` with the position of the fault
 */
export function parseJson(text: string): JsonValue {
  const source = text.startsWith(BOM) ? text.slice(1) : text
  if (!isRisky(source) && !isNestedDeeply(source)) {
    try {
      return JSON.parse(source) as JsonValue
    } catch {
      // the slow parser below finds the fault and its position, or accepts a bare NaN
    }
  }
  return new JsonParser(source).parseWhole()
}

/** Whether `JSON.parse` may change a number of the text; true too often, never too seldom. */
function isRisky(text: string): boolean {
  return RISKY_MEMBER.test(text) || RISKY_ELEMENT.test(text)
}

/** What stands before the digits of a number that was made a text. */
const MARK = '\ue000'
const MARK_IN_TEXT = /\ue000|\\ue000/i
const RISKY_MEMBERS = new RegExp(String.raw`(?<!\\)("\s*:\s*)(${AT_RISK}[-+.\w]*)`, 'g')

/**
 * Parses a JSON value of which few members are looked at: members that are numbers at risk may come as texts that
 * `unmarked` makes `JsonNumber` of.
 *
 * @throws DeltaError `LAKE_JSON_MALFORMED`
 */
export function parseMarkedJson(text: string): JsonValue {
  if (!RISKY_MEMBER.test(text) || RISKY_ELEMENT.test(text) || MARK_IN_TEXT.test(text) || isNestedDeeply(text)) {
    return parseJson(text)
  }
  try {
    // a match within a text would end that text before the mark, which is no JSON
    return JSON.parse(text.replace(RISKY_MEMBERS, `$1"${MARK}$2"`)) as JsonValue
  } catch {
    return parseJson(text)
  }
}

/** A member of what `parseMarkedJson` gave, as `parseJson` gives it. */
export function unmarked(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === 'string' && value.startsWith(MARK) ? wordValue(value.slice(1)) : value
}

/**
 * Parses one JSON value as strictly as the format is written down: no bare `NaN` or `Infinity`, no key twice. The order
 * of keys is what `keysAsWritten` tells.
 *
 * @throws DeltaError `LAKE_JSON_MALFORMED` with the position of the fault
 */
export function parseStrictJson(text: string): JsonValue {
  const source = text.startsWith(BOM) ? text.slice(1) : text
  if (!isRisky(source) && !NUMBER_AS_KEY.test(source) && !isNestedDeeply(source)) {
    try {
      const value = JSON.parse(source) as JsonValue
      // each key ends with such a quote, so as many keys as quotes are all the keys there are
      if (countKeys(value) === (source.match(/"\s*:/g)?.length ?? 0)) return value
    } catch {
      // the slow parser below finds the fault and its position
    }
  }
  return new JsonParser(source, true).parseWhole()
}

function countKeys(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0
  const members: readonly (JsonValue | undefined)[] = Object.values(value)
  return members.reduce<number>((sum, member) => sum + countKeys(member), Array.isArray(value) ? 0 : members.length)
}

/**
 * Parses the JSON value a text begins with.
 *
 * @returns the value and the index behind it, so that the caller can see what follows
 * @throws DeltaError `LAKE_JSON_MALFORMED`
 */
export function parseJsonPrefix(text: string): { value: JsonValue; end: number } {
  const parser = new JsonParser(text)
  return { value: parser.parseValue(0), end: parser.position }
}

/** Nesting beyond this is refused, so that hostile input cannot exhaust the stack. */
const MAX_DEPTH = 500
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = Array.from('"\\{}[]', (c) =>
  c.charCodeAt(0),
)

/**
 * Whether brackets outside of strings nest deeper than `MAX_DEPTH`: `JSON.parse` would take them, and whoever walks the
 * value would run out of stack.
 */
function isNestedDeeply(text: string): boolean {
  // what is opened so often and not closed is no JSON
  if (text.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) inString = !inString
    else if (inString) i += unit === BACKSLASH ? 1 : 0
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

class JsonParser {
  position = 0
  private readonly text: string
  private readonly strict: boolean

  constructor(text: string, strict = false) {
    this.text = text
    this.strict = strict
  }

  parseWhole(): JsonValue {
    const value = this.parseValue(0)
    this.skipSpace()
    if (this.position < this.text.length) this.fail('text follows the value')
    return value
  }

  parseValue(depth: number): JsonValue {
    if (depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH}`)
    this.skipSpace()
    const first = this.text[this.position]
    if (first === '{') return this.parseObject(depth)
    if (first === '[') return this.parseArray(depth)
    if (first === '"') return this.parseString()
    return this.parseWord()
  }

  private parseObject(depth: number): JsonObject {
    const result: Record<string, JsonValue> = {}
    const keys: string[] = []
    this.position++
    this.skipSpace()
    if (this.take('}')) return result
    do {
      this.skipSpace()
      if (this.text[this.position] !== '"') this.fail('a key in double quotes was expected')
      const start = this.position
      const key = this.parseString()
      if (this.strict && Object.hasOwn(result, key)) {
        this.position = start
        this.fail(`the key ${key} is there twice`)
      }
      this.skipSpace()
      if (!this.take(':')) this.fail('a colon was expected')
      defineKey(result, key, this.parseValue(depth + 1))
      keys.push(key)
      this.skipSpace()
    } while (this.take(','))
    if (!this.take('}')) this.fail('a comma or } was expected')
    if (this.strict && mayLoseOrder(keys)) rememberKeys(result, keys)
    return result
  }

  private parseArray(depth: number): JsonArray {
    const result: JsonValue[] = []
    this.position++
    this.skipSpace()
    if (this.take(']')) return result
    do {
      result.push(this.parseValue(depth + 1))
      this.skipSpace()
    } while (this.take(','))
    if (!this.take(']')) this.fail('a comma or ] was expected')
    return result
  }

  private parseString(): string {
    const start = this.position
    const plainEnd = this.text.indexOf('"', start + 1)
    const plain = plainEnd < 0 ? '' : this.text.slice(start + 1, plainEnd)
    if (plainEnd >= 0 && !NOT_PLAIN.test(plain)) {
      this.position = plainEnd + 1
      return plain
    }
    let end = start + 1
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1
    if (end >= this.text.length) this.fail('a string does not end')
    this.position = end + 1
    try {
      return JSON.parse(this.text.slice(start, end + 1)) as string
    } catch {
      this.position = start
      return this.fail('a string holds a bad escape or a control character')
    }
  }

  private parseWord(): JsonValue {
    WORD.lastIndex = this.position
    const text = WORD.exec(this.text)?.[0] ?? ''
    const value = this.strict && BARE_NUMBERS.has(text) ? undefined : wordValue(text)
    if (value === undefined) this.fail(text === '' ? 'a value was expected' : `${text.slice(0, 40)} is not a value`)
    this.position += text.length
    return value
  }

  private skipSpace(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.position)
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return
      this.position++
    }
  }

  private take(character: string): boolean {
    if (this.text[this.position] !== character) return false
    this.position++
    return true
  }

  private fail(reason: string): never {
    throw deltaError('LAKE_JSON_MALFORMED', { position: this.position, reason })
  }
}

/** What a string cannot hold as it is: control characters and the beginning of an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const NOT_PLAIN = /[\u0000-\u001f\\]/
const WORD = /[-+.\w]*/y
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/

/** Some writers of statistics print these; JSON has no such words. */
const BARE_NUMBERS: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

function wordValue(text: string): JsonValue | undefined {
  if (text === 'null') return null
  if (text === 'true') return true
  if (text === 'false') return false
  if (BARE_NUMBERS.has(text)) return new JsonNumber(text)
  if (!NUMBER.test(text)) return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : new JsonNumber(text)
}

function defineKey(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true })
  else target[key] = value
}

/**
 * Prints a JSON value: bigint and `JsonNumber` as their digits, `undefined` members left out.
 *
 * @throws DeltaError `LAKE_INTERNAL` when a plain number is not finite; JSON cannot hold it
 */
export function printJson(value: JsonValue | undefined): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof JsonNumber) return value.text
  if (typeof value === 'number') return printNumber(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value as JsonObject)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${printJson(member)}`)
  }
  return `{${members.join(',')}}`
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw deltaError('LAKE_INTERNAL', { what: `${value} has no place in JSON` })
  return Object.is(value, -0) ? '-0' : JSON.stringify(value)
}

/** Whether a JSON value is an object: not null, not an array, not a number kept as text. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}
