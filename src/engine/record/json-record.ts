/**
 * One JSON object as a row, read straight into the types of a schema, so that no number passes through a double on its
 * way to a decimal and no second `"a"` hides the first.
 *
 * A missing member is null, a member that is no column is passed over. Members are found by exact spelling, then
 * without regard to case. A map is an object, or a list of `{"key","value"}`; a decimal and an integer may be quoted.
 */
import {
  type ArrayType,
  type DataType,
  foldCase,
  type MapEntry,
  type MapType,
  type Row,
  type StructType,
  type Value,
  valueToJson,
} from '../../schema/index.ts'
import { misfit, RecordFault } from './record-fault.ts'
import { scalarFromText } from './scalar-text.ts'
import type { UnknownFields } from './unknown-fields.ts'

const MAX_DEPTH = 500
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const SPACE = /[ \t\r\n]*/y

/**
 * @param unknown told of every member that is no column
 * @throws RecordFault when the text is no JSON object, or a member is not exactly a value of its column
 */
export function readJsonRecord(text: string, schema: StructType, unknown?: UnknownFields): Row {
  const reader = new JsonRecordReader(text, unknown)
  const row = reader.readRecord(schema)
  return row
}

class JsonRecordReader {
  private readonly text: string
  private readonly unknown: UnknownFields | undefined
  private at = 0

  constructor(text: string, unknown: UnknownFields | undefined) {
    this.text = text
    this.unknown = unknown
  }

  readRecord(schema: StructType): Row {
    if (this.peek() !== '{') throw new RecordFault('the record is not a JSON object')
    const row = this.readStruct(schema, '', 0)
    this.peek()
    if (this.at < this.text.length) throw new RecordFault(`text follows the record at character ${this.at + 1}`)
    return row
  }

  private readValue(type: DataType, path: string, depth: number): Value {
    if (depth > MAX_DEPTH) throw new RecordFault(`it is nested deeper than ${MAX_DEPTH}`)
    const first = this.peek()
    if (first === 'n') return this.word('null', null)
    switch (type.kind) {
      case 'struct':
        return first === '{' ? this.readStruct(type, `${path}.`, depth) : this.refuse(type, path)
      case 'array':
        return first === '[' ? this.readArray(type, path, depth) : this.refuse(type, path)
      case 'map':
        return first === '{' || first === '[' ? this.readMap(type, path, depth) : this.refuse(type, path)
      default:
        return this.readScalar(type, path, first)
    }
  }

  private readScalar(type: DataType, path: string, first: string | undefined): Value {
    if (first === '{' || first === '[') return this.refuse(type, path)
    if (first === '"') {
      const start = this.at
      const text = this.readString()
      if (type.kind === 'string') return text
      return this.quoted(text, type) ?? misfit(path, this.text.slice(start, this.at), type)
    }
    if (first === 't' || first === 'f') {
      const value = first === 't' ? this.word('true', true) : this.word('false', false)
      return type.kind === 'boolean' ? value : misfit(path, String(value), type)
    }
    const token = this.readNumber()
    const isNumeric = ['byte', 'short', 'integer', 'long', 'float', 'double', 'decimal'].includes(type.kind)
    return (isNumeric ? scalarFromText(token, type) : undefined) ?? misfit(path, token, type)
  }

  /** What a text may stand for: the types JSON has no form for, and numbers that a double would lose. */
  private quoted(text: string, type: DataType): Exclude<Value, null> | undefined {
    switch (type.kind) {
      case 'boolean':
      case 'byte':
      case 'short':
      case 'integer':
        return undefined
      case 'float':
      case 'double':
        return /\d/.test(text) ? undefined : scalarFromText(text, type)
      default:
        return scalarFromText(text, type)
    }
  }

  private readStruct(type: StructType, prefix: string, depth: number): Row {
    const row = new Array<Value>(type.fields.length).fill(null)
    const seen = new Set<number>()
    this.members((name) => {
      const index = findMember(type, name)
      if (index < 0) {
        this.unknown?.meet(`${prefix}${name}`)
        return this.skipValue(depth + 1)
      }
      const path = `${prefix}${type.fields[index]!.name}`
      if (seen.has(index)) throw new RecordFault(`the column ${path} is there twice`)
      seen.add(index)
      row[index] = this.readValue(type.fields[index]!.type, path, depth + 1)
    })
    const missing = type.fields.find((field, i) => !field.nullable && row[i] === null)
    if (missing !== undefined)
      throw new RecordFault(`the column ${prefix}${missing.name} is NOT NULL, and null is there`)
    return row
  }

  private readArray(type: ArrayType, path: string, depth: number): Value[] {
    const items: Value[] = []
    this.items(() => {
      const item = this.readValue(type.element, path, depth + 1)
      if (item === null && !type.containsNull)
        throw new RecordFault(`the column ${path} holds null, which its items cannot be`)
      items.push(item)
    })
    return items
  }

  private readMap(type: MapType, path: string, depth: number): Value {
    const entries: MapEntry[] = []
    const keys = new Set<string>()
    const add = (key: Value, value: Value) => {
      const text = valueToJson(key, type.key)
      if (key === null || keys.has(text))
        throw new RecordFault(`the column ${path} has the key ${text} twice, or null as a key`)
      if (value === null && !type.valueContainsNull)
        throw new RecordFault(`the column ${path} holds null, which its values cannot be`)
      keys.add(text)
      entries.push({ key, value })
    }
    if (this.text[this.at] === '{') {
      this.members((name) => {
        const key = type.key.kind === 'string' ? name : (scalarFromText(name, type.key) ?? misfit(path, name, type.key))
        add(key, this.readValue(type.value, path, depth + 1))
      })
    } else {
      const entry: StructType = {
        kind: 'struct',
        fields: [
          { name: 'key', type: type.key, nullable: true, metadata: {} },
          { name: 'value', type: type.value, nullable: true, metadata: {} },
        ],
      }
      this.items(() => {
        if (this.peek() !== '{') this.refuse(type, path)
        const [key, value] = this.readStruct(entry, `${path}.`, depth + 1)
        add(key!, value!)
      })
    }
    return entries
  }

  private members(read: (name: string) => void): void {
    this.list('}', () => {
      if (this.peek() !== '"') this.malformed('a name in double quotes was expected')
      const name = this.readString()
      if (this.peek() !== ':') this.malformed('a colon was expected')
      this.at++
      read(name)
    })
  }

  private items(read: () => void): void {
    this.list(']', read)
  }

  private list(close: string, read: () => void): void {
    this.at++
    if (this.peek() === close) {
      this.at++
      return
    }
    for (;;) {
      read()
      const next = this.peek()
      if (next !== ',' && next !== close) this.malformed(`a comma or ${close} was expected`)
      this.at++
      if (next === close) return
    }
  }

  private skipValue(depth: number): void {
    if (depth > MAX_DEPTH) throw new RecordFault(`it is nested deeper than ${MAX_DEPTH}`)
    const first = this.peek()
    if (first === '{') this.members(() => this.skipValue(depth + 1))
    else if (first === '[') this.items(() => this.skipValue(depth + 1))
    else if (first === '"') this.readString()
    else if (first === 'n') this.word('null', null)
    else if (first === 't') this.word('true', true)
    else if (first === 'f') this.word('false', false)
    else this.readNumber()
  }

  private readString(): string {
    const start = this.at++
    for (;;) {
      const end = this.text.indexOf('"', this.at)
      if (end < 0) this.malformed('a text does not end')
      this.at = end + 1
      let slashes = 0
      while (this.text[end - 1 - slashes] === '\\') slashes++
      if (slashes % 2 === 0) break
    }
    let value: string
    try {
      value = JSON.parse(this.text.slice(start, this.at)) as string
    } catch {
      return this.malformed('a text holds a character or an escape that JSON does not have')
    }
    if (/\p{Surrogate}/u.test(value)) this.malformed('a text holds half of a surrogate pair')
    return value
  }

  private readNumber(): string {
    NUMBER.lastIndex = this.at
    const token = NUMBER.exec(this.text)?.[0]
    if (token === undefined) return this.malformed('a value was expected')
    this.at += token.length
    return token
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.malformed('a value was expected')
    this.at += word.length
    return value
  }

  /** The next character that is not space, or undefined at the end. */
  private peek(): string | undefined {
    SPACE.lastIndex = this.at
    SPACE.exec(this.text)
    this.at = SPACE.lastIndex
    return this.text[this.at]
  }

  private refuse(type: DataType, path: string): never {
    const start = this.at
    this.skipValue(0)
    misfit(path, this.text.slice(start, this.at), type)
  }

  private malformed(reason: string): never {
    throw new RecordFault(`not JSON at character ${this.at + 1}: ${reason}`)
  }
}

function findMember(type: StructType, name: string): number {
  const exact = type.fields.findIndex((field) => field.name === name)
  if (exact >= 0) return exact
  const folded = foldCase(name)
  return type.fields.findIndex((field) => foldCase(field.name) === folded)
}
