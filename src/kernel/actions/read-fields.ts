/**
 * Members of a JSON object by the type they must have.
 *
 * A member that is null counts as absent. Scalars where text is wanted become their text, as the reference's parser
 * does it; integers that a number cannot hold exactly are refused, never rounded.
 */
import { deltaError } from '../../errors/index.ts'
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../../support/index.ts'

const INT64_MAX = 2n ** 63n - 1n

/** Reads the members of one action, and remembers which, so that the rest can be kept. */
export class FieldReader {
  private readonly kind: string
  private readonly json: JsonObject
  private readonly known = new Set<string>()

  constructor(kind: string, json: JsonValue | undefined) {
    this.kind = kind
    if (!isJsonObject(json)) throw deltaError('LAKE_ACTION_MALFORMED', { kind, reason: 'it is not an object' })
    this.json = json
  }

  value(name: string): JsonValue | undefined {
    this.known.add(name)
    return this.json[name] ?? undefined
  }

  text(name: string): string | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    return scalarText(value) ?? this.fail(name, 'is not text')
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.fail(name, 'is missing')
  }

  /** a text that can name an object: JSON can escape half of a character, which is in no UTF-8 */
  requiredPath(name: string): string {
    const path = this.requiredText(name)
    return /\p{Surrogate}/u.test(path) ? this.fail(name, 'holds half of a character') : path
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name)
    if (value === undefined || typeof value === 'boolean') return value
    if (value === 'true' || value === 'false') return value === 'true'
    return this.fail(name, 'is not true or false')
  }

  /** an integer that a number holds exactly */
  integer(name: string): number | undefined {
    const value = this.value(name)
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    const big = this.bigint(name)
    if (big === undefined) return undefined
    const number = Number(big)
    return Number.isSafeInteger(number) ? number : this.fail(name, `is out of range: ${big}`)
  }

  requiredInteger(name: string): number {
    return this.integer(name) ?? this.fail(name, 'is missing')
  }

  /** a 64-bit integer */
  bigint(name: string): bigint | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    const text = typeof value === 'boolean' ? '' : (scalarText(value) ?? '')
    if (!/^-?\d{1,19}(?:\.0+)?$/.test(text)) return this.fail(name, 'is not an integer')
    const big = BigInt(text.split('.')[0]!)
    return big <= INT64_MAX && big >= -INT64_MAX - 1n ? big : this.fail(name, `is out of range: ${big}`)
  }

  requiredBigint(name: string): bigint {
    return this.bigint(name) ?? this.fail(name, 'is missing')
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.fail(name, 'is not a list')
    return (value as readonly JsonValue[]).map((item) => scalarText(item) ?? this.fail(name, 'is not a list of texts'))
  }

  /** an object of texts, nulls kept */
  nullableMap(name: string): ReadonlyMap<string, string | null> | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (!isJsonObject(value)) return this.fail(name, 'is not an object')
    const map = new Map<string, string | null>()
    for (const [key, member] of Object.entries(value)) {
      const text = member === null || member === undefined ? null : scalarText(member)
      map.set(key, text === undefined ? this.fail(name, `has a value that is not text, ${key}`) : text)
    }
    return map
  }

  /** an object of texts, nulls left out */
  map(name: string): ReadonlyMap<string, string> | undefined {
    const map = this.nullableMap(name)
    if (map === undefined) return undefined
    return new Map([...map].filter((entry): entry is [string, string] => entry[1] !== null))
  }

  /** the members that were not asked for, for printing them again */
  extra(): JsonObject | undefined {
    const names = Object.keys(this.json).filter((name) => !this.known.has(name))
    return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, this.json[name]]))
  }

  fail(name: string, reason: string): never {
    throw deltaError('LAKE_ACTION_MALFORMED', { kind: this.kind, reason: `${name} ${reason}` })
  }
}

function scalarText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return value instanceof JsonNumber ? value.text : undefined
}
