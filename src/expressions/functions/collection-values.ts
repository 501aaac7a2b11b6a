/** Elements compared, found and gathered: what the functions on arrays and maps share. */
import { deltaError } from '../../errors/index.ts'
import type { MapEntry, Value } from '../../schema/index.ts'
import { equality, setKey } from '../evaluate/compare.ts'
import type { ExpressionType } from '../expression.ts'
import type { NotNull } from './entry.ts'

/** A set of values of one type; NULL is a value like any other. */
export interface ValueSet {
  has(value: Value): boolean
  /** @returns whether it was not there before */
  add(value: Value): boolean
}

export function valueSet(type: ExpressionType): ValueSet {
  const key = setKey(type)
  return key === undefined ? new ComparingSet(type) : new KeyedSet(key)
}

class KeyedSet implements ValueSet {
  private readonly known = new Set<unknown>()
  private readonly key: (value: NotNull) => unknown
  constructor(key: (value: NotNull) => unknown) {
    this.key = key
  }
  private keyOf(value: Value): unknown {
    return value === null ? null : this.key(value)
  }
  has(value: Value): boolean {
    return this.known.has(this.keyOf(value))
  }
  add(value: Value): boolean {
    const key = this.keyOf(value)
    if (this.known.has(key)) return false
    this.known.add(key)
    return true
  }
}

class ComparingSet implements ValueSet {
  private readonly items: NotNull[] = []
  private hasNull = false
  private readonly equal: (a: NotNull, b: NotNull) => boolean
  constructor(type: ExpressionType) {
    this.equal = equality(type)
  }
  has(value: Value): boolean {
    return value === null ? this.hasNull : this.items.some((item) => this.equal(item, value))
  }
  add(value: Value): boolean {
    if (this.has(value)) return false
    if (value === null) this.hasNull = true
    else this.items.push(value)
    return true
  }
}

/** -0 as 0, which is how Spark keeps it in sets and as a key. */
export function withoutNegativeZero(value: Value): Value {
  return Object.is(value, -0) ? 0 : value
}

/**
 * A map of entries, each key once.
 *
 * @throws DeltaError `DUPLICATED_MAP_KEY`, `NULL_MAP_KEY`
 */
export function makeMap(entries: readonly MapEntry[], key: ExpressionType): readonly MapEntry[] {
  const known = valueSet(key)
  return entries.map((entry) => {
    if (entry.key === null) throw deltaError('NULL_MAP_KEY')
    const own = withoutNegativeZero(entry.key)
    if (!known.add(own)) throw deltaError('DUPLICATED_MAP_KEY', { key: own })
    return { key: own, value: entry.value }
  })
}
