/** Counts of what was asked of a store: the measure that does not depend on the machine. */
import type { ObjectStore } from '../object-store.ts'
import { withLocalPath } from './with-local-path.ts'

export type StoreMethod = 'get' | 'getRange' | 'head' | 'list' | 'put' | 'putIfAbsent' | 'delete'

export interface MethodMeasure {
  readonly calls: number
  /** calls that were rejected */
  readonly failures: number
  /** bytes of objects read or written; of a listing, 0 */
  readonly bytes: number
}

export interface MeasuredStore extends ObjectStore {
  /** what happened since the store was wrapped, or since the last `reset` */
  measures(): Readonly<Record<StoreMethod, MethodMeasure>>
  reset(): void
}

const METHODS: readonly StoreMethod[] = ['get', 'getRange', 'head', 'list', 'put', 'putIfAbsent', 'delete']

/** The same store, counting. A page of a listing is not a call; the listing is. */
export function measured(store: ObjectStore): MeasuredStore {
  const zero = () => Object.fromEntries(METHODS.map((m) => [m, { calls: 0, failures: 0, bytes: 0 }]))
  let counts = zero() as Record<StoreMethod, { calls: number; failures: number; bytes: number }>
  const count = async <T>(method: StoreMethod, work: () => Promise<T>, bytesOf: (result: T) => number) => {
    const counter = counts[method]
    counter.calls++
    try {
      const result = await work()
      counter.bytes += bytesOf(result)
      return result
    } catch (error) {
      counter.failures++
      throw error
    }
  }
  const nothing = () => 0
  return withLocalPath(store, {
    location: store.location,
    capabilities: store.capabilities,
    measures: () => structuredClone(counts),
    reset: () => {
      counts = zero() as typeof counts
    },
    get: (key, options) =>
      count(
        'get',
        () => store.get(key, options),
        (bytes) => bytes.length,
      ),
    getRange: (key, range, options) =>
      count(
        'getRange',
        () => store.getRange(key, range, options),
        (bytes) => bytes.length,
      ),
    head: (key, options) => count('head', () => store.head(key, options), nothing),
    async *list(options) {
      const counter = counts.list
      counter.calls++
      try {
        yield* store.list(options)
      } catch (error) {
        counter.failures++
        throw error
      }
    },
    put: (key, bytes, options) =>
      count(
        'put',
        () => store.put(key, bytes, options),
        () => bytes.length,
      ),
    putIfAbsent: (key, bytes, options) =>
      count(
        'putIfAbsent',
        () => store.putIfAbsent(key, bytes, options),
        (made) => (made === 'created' ? bytes.length : 0),
      ),
    delete: (key, options) => count('delete', () => store.delete(key, options), nothing),
  })
}
