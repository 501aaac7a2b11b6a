/** JSON texts: a part taken out, values written as JSON. */
import { deltaError } from '../../errors/index.ts'
import {
  arrayType,
  type DataType,
  integerType,
  type MapEntry,
  type Row,
  stringType,
  type Value,
} from '../../schema/index.ts'
import { encodeBase64, formatDate } from '../../support/index.ts'
import { strictly } from '../bind/expected.ts'
import { toText } from '../cast/cast-function.ts'
import { javaFloatText } from '../cast/number-text.ts'
import { typeText } from '../cast/rules.ts'
import { patternFormatter } from '../datetime/format-pattern.ts'
import { type Zone, zoneOf } from '../datetime/zone.ts'
import { type LenientJson, parseLenientJson, printLenientJson, quoteJson } from '../text/lenient-json.ts'
import { unsupported } from '../unsupported.ts'
import { callOf, type FunctionEntry, simple } from './entry.ts'

type Step = string | number

/** @returns undefined where the path is none */
function parsePath(path: string): Step[] | undefined {
  if (!path.startsWith('$')) return undefined
  const step = /\.([^.[]+)|\['([^'?]+)'\]|\[(\d{1,9})\]/y
  const steps: Step[] = []
  step.lastIndex = 1
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (match === null) {
      if (path.includes('*')) throw unsupported('* in a JSON path', 'name the fields')
      return undefined
    }
    const [, name, quoted, index] = match
    if (name === '*' || quoted === '*') throw unsupported('* in a JSON path', 'name the fields')
    steps.push(index === undefined ? (name ?? quoted!) : Number(index))
  }
  return steps
}

/** The first match that is not null, as Spark's streaming reader finds it. */
function find(json: LenientJson, steps: readonly Step[], at: number): LenientJson | undefined {
  const step = steps[at]
  if (step === undefined) return json.kind === 'null' ? undefined : json
  if (typeof step === 'number') {
    const item = json.kind === 'array' ? json.items[step] : undefined
    return item === undefined ? undefined : find(item, steps, at + 1)
  }
  if (json.kind !== 'object') return undefined
  for (const [name, value] of json.members) {
    const found = name === step ? find(value, steps, at + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function getJsonObject(value: string, path: string): string | null {
  const steps = parsePath(path)
  const json = steps === undefined ? undefined : parseLenientJson(value)
  const found = json === undefined ? undefined : find(json, steps!, 0)
  if (found === undefined) return null
  return found.kind === 'string' ? found.text : printLenientJson(found, true)
}

type Writer = (value: Exclude<Value, null>) => string

/** A value as JSON, NULL fields left out of structs. */
function jsonWriter(type: DataType, zone: Zone): Writer {
  switch (type.kind) {
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'decimal':
      return String
    case 'float':
    case 'double':
      return (value) => {
        const written = javaFloatText(value as number, type.kind === 'float')
        return Number.isFinite(value) ? written : `"${written}"`
      }
    case 'void':
      return () => 'null'
    case 'string':
      return (value) => quoteJson(value as string)
    case 'binary':
      return (value) => `"${encodeBase64(value as Uint8Array)}"`
    case 'date':
      return (value) => `"${formatDate(value as number)}"`
    case 'timestamp':
      return timestampWriter("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", zone)
    case 'timestamp_ntz':
      return timestampWriter("yyyy-MM-dd'T'HH:mm:ss.SSS", zoneOf('UTC'))
    default:
      return nestedWriter(type, zone)
  }
}

function timestampWriter(pattern: string, zone: Zone): Writer {
  const format = patternFormatter(pattern, zone)
  return (value) => `"${format(value as bigint)}"`
}

/** Keys whose text in JSON is the text of the value; Spark writes other keys as it stores them. */
const PLAIN_KEYS = new Set<string>(['string', 'boolean', 'byte', 'short', 'integer', 'long'])

function nestedWriter(type: DataType, zone: Zone): Writer {
  const nullable = (of: DataType): ((value: Value) => string) => {
    const write = jsonWriter(of, zone)
    return (value) => (value === null ? 'null' : write(value))
  }
  if (type.kind === 'array') {
    const element = nullable(type.element)
    return (value) => `[${(value as readonly Value[]).map(element).join(',')}]`
  }
  if (type.kind === 'map') {
    if (!PLAIN_KEYS.has(type.key.kind))
      throw unsupported(`to_json of a map with keys of the type ${type.key.kind}`, 'cast them')
    const [key, item] = [toText(type.key, zone), nullable(type.value)]
    return (value) => {
      const members = (value as readonly MapEntry[]).map(
        (entry) => `${quoteJson(key(entry.key as Exclude<Value, null>))}:${item(entry.value)}`,
      )
      return `{${members.join(',')}}`
    }
  }
  if (type.kind !== 'struct') throw unsupported(`to_json of the type ${type.kind}`, 'cast it to text')
  const fields = type.fields.map((f) => ({ name: quoteJson(f.name), write: jsonWriter(f.type, zone) }))
  return (value) => {
    const members = fields.flatMap(({ name, write }, i) => {
      const member = (value as Row)[i] ?? null
      return member === null ? [] : [`${name}:${write(member)}`]
    })
    return `{${members.join(',')}}`
  }
}

const toJson: FunctionEntry = {
  name: 'to_json',
  arity: [1, 2],
  zoned: true,
  bind([value, options]) {
    if (options !== undefined) throw unsupported('to_json with options', 'leave them out')
    const { kind } = value!.type
    if (kind === 'void') return { kind: 'literal', value: null, type: stringType }
    if (kind === 'variant') throw unsupported('to_json of a variant', 'keep the JSON text')
    if (kind !== 'struct' && kind !== 'map' && kind !== 'array') {
      throw deltaError('DATATYPE_MISMATCH.INVALID_JSON_SCHEMA', { type: typeText(value!.type) })
    }
    return callOf('to_json', [value!], stringType)
  },
  strict: ({ types, zone }) => jsonWriter(types[0] as DataType, zone),
}

export const jsonFunctions: readonly FunctionEntry[] = [
  simple({
    name: 'get_json_object',
    takes: [strictly(stringType), strictly(stringType)],
    gives: stringType,
    strict: () => (value, path) => getJsonObject(value as string, path as string),
  }),
  toJson,
  simple({
    name: 'json_array_length',
    takes: [strictly(stringType)],
    gives: integerType,
    strict: () => (value) => {
      const json = parseLenientJson(value as string)
      return json?.kind === 'array' ? json.items.length : null
    },
  }),
  simple({
    name: 'json_object_keys',
    takes: [strictly(stringType)],
    gives: arrayType(stringType),
    strict: () => (value) => {
      const json = parseLenientJson(value as string)
      return json?.kind === 'object' ? json.members.map(([name]) => name) : null
    },
  }),
]
