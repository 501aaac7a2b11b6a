/** Record types as people write them: SQL's column lists, and the names of fixed-width types. */
import { deltaError } from '../../errors/index.ts'
import { foldCase } from '../../schema/index.ts'
import type { RecordField, RecordType, ScalarName, StructRecord } from './record-type.ts'

const NAMES: ReadonlyMap<string, ScalarName> = new Map<string, ScalarName>([
  ...(['bool', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'] as const).map(same),
  ...(['string', 'bytes', 'null', 'date', 'timestamp', 'duration', 'uuid', 'ip', 'json'] as const).map(same),
  ['boolean', 'bool'],
  ['tinyint', 'i8'],
  ['byte', 'i8'],
  ['smallint', 'i16'],
  ['short', 'i16'],
  ['int', 'i32'],
  ['integer', 'i32'],
  ['bigint', 'i64'],
  ['long', 'i64'],
  ['float', 'f32'],
  ['real', 'f32'],
  ['double', 'f64'],
  ['text', 'string'],
  ['binary', 'bytes'],
  ['void', 'null'],
  ['timestamp_ntz', 'local timestamp'],
  ['any', 'json'],
])

const MAX_DEPTH = 100

function same(name: ScalarName): [string, ScalarName] {
  return [name, name]
}

/**
 * Reads `id BIGINT, at TIMESTAMP, point STRUCT<x DOUBLE, y DOUBLE>`.
 *
 * Between a name and its type there may be a `:`; names with other characters stand in backquotes.
 *
 * @throws DeltaError `WORKER_CONFIG_SCHEMA`
 */
export function parseRecordType(text: string): StructRecord {
  const parser = new TypeParser(text)
  const fields = parser.parseFields(0, undefined)
  return { kind: 'struct', fields }
}

/** @throws DeltaError `WORKER_CONFIG_SCHEMA` */
export function parseFieldType(text: string): RecordType {
  const parser = new TypeParser(text)
  const type = parser.parseType(0)
  parser.expectEnd()
  return type
}

class TypeParser {
  private readonly tokens: readonly string[]
  private next = 0

  constructor(text: string) {
    this.tokens = tokenize(text)
  }

  /** @param closing the token behind the last field; undefined: the end of the text */
  parseFields(depth: number, closing: string | undefined): RecordField[] {
    const fields: RecordField[] = []
    const names = new Set<string>()
    if (closing !== undefined && this.take(closing)) return fields
    do {
      const name = this.parseName()
      if (names.has(foldCase(name))) fail(`the name ${name} is there twice`)
      names.add(foldCase(name))
      this.take(':')
      fields.push({ name, type: this.parseType(depth) })
    } while (this.take(','))
    if (closing === undefined) this.expectEnd()
    else this.expect(closing)
    return fields
  }

  parseType(depth: number): RecordType {
    if (depth > MAX_DEPTH) fail(`it is nested deeper than ${MAX_DEPTH}`)
    const word = this.parseName('a type')
    switch (foldCase(word)) {
      case 'struct':
        this.expect('<')
        return { kind: 'struct', fields: this.parseFields(depth + 1, '>') }
      case 'list':
      case 'array':
        return { kind: 'list', element: this.parseInner(depth) }
      case 'map':
        return this.parseMap(depth)
      case 'decimal':
      case 'numeric':
      case 'dec':
        return this.parseDecimal()
      default: {
        const kind = NAMES.get(foldCase(word))
        return kind === undefined ? fail(`${word} is not a type`) : { kind }
      }
    }
  }

  private parseInner(depth: number): RecordType {
    this.expect('<')
    const inner = this.parseType(depth + 1)
    this.expect('>')
    return inner
  }

  private parseMap(depth: number): RecordType {
    this.expect('<')
    const key = this.parseType(depth + 1)
    if (key.kind !== 'string') fail('the key of a map is a string')
    this.expect(',')
    const value = this.parseType(depth + 1)
    this.expect('>')
    return { kind: 'map', value }
  }

  private parseDecimal(): RecordType {
    if (!this.take('(')) return { kind: 'decimal', precision: 10, scale: 0 }
    const precision = this.parseNumber()
    const scale = this.take(',') ? this.parseNumber() : 0
    this.expect(')')
    if (precision < 1 || precision > 38 || scale > precision) {
      fail(`decimal(${precision},${scale}) does not exist; the precision is 1 to 38, the scale 0 to the precision`)
    }
    return { kind: 'decimal', precision, scale }
  }

  private parseNumber(): number {
    const token = this.tokens[this.next++] ?? ''
    return /^\d{1,2}$/.test(token) ? Number(token) : fail(`a number was expected${this.at()}`)
  }

  private parseName(what = 'a name'): string {
    const token = this.tokens[this.next] ?? ''
    if (!/^[`\p{L}\p{N}_]/u.test(token)) fail(`${what} was expected${this.at()}`)
    this.next++
    return token.startsWith('`') ? token.slice(1, -1).replaceAll('``', '`') : token
  }

  private take(token: string): boolean {
    if (this.tokens[this.next] !== token) return false
    this.next++
    return true
  }

  private expect(token: string): void {
    if (!this.take(token)) fail(`${token} was expected${this.at()}`)
  }

  expectEnd(): void {
    if (this.next < this.tokens.length) fail(`${this.tokens[this.next]} was not expected there`)
  }

  private at(): string {
    const token = this.tokens[this.next]
    return token === undefined ? ' at the end' : ` where ${token} stands`
  }
}

function tokenize(text: string): string[] {
  const tokens = text.match(/`(?:[^`]|``)+`|[\p{L}\p{N}_]+|[<>(),:]|\S/gu)
  return tokens ?? fail('it is empty')
}

function fail(reason: string): never {
  throw deltaError('WORKER_CONFIG_SCHEMA', { reason })
}
