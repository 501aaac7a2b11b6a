/** A store that fails once, at a call chosen beforehand: for tests that fail every call of a scenario in turn. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../object-store.ts'
import type { StoreMethod } from './measured.ts'
import { withLocalPath } from './with-local-path.ts'

type FaultMethod = StoreMethod | 'replaceIf'

export interface FaultPlan {
  /** the call to fail, counted from 1 over the methods below */
  readonly failCall: number
  /** `before`: nothing was done; `after-effect`: it was done, and the answer is lost */
  readonly when: 'before' | 'after-effect'
  /** what the call is rejected with; `LAKE_STORAGE_UNAVAILABLE` when absent */
  readonly error?: unknown
  /** the methods whose calls count; all when absent */
  readonly methods?: readonly FaultMethod[]
  /** the keys whose calls count (for a listing, its prefix); all when absent */
  readonly keys?: RegExp
}

export interface FaultyStore extends ObjectStore {
  /** calls counted so far */
  calls(): number
  /** whether the fault happened; a scenario without it has fewer calls than `failCall` */
  hasFailed(): boolean
}

/** The same store, with one call failing as planned. */
export function faulty(store: ObjectStore, plan: FaultPlan): FaultyStore {
  let calls = 0
  const isPlanned = (method: FaultMethod, key: string): boolean => {
    if (plan.methods?.includes(method) === false || plan.keys?.test(key) === false) return false
    return ++calls === plan.failCall
  }
  const fail = (operation: FaultMethod, key: string): never => {
    throw plan.error ?? deltaError('LAKE_STORAGE_UNAVAILABLE', { operation, key, cause: 'a planned fault' })
  }
  const pass = async <T>(method: FaultMethod, key: string, work: () => Promise<T>): Promise<T> => {
    const planned = isPlanned(method, key)
    if (planned && plan.when === 'before') fail(method, key)
    const result = await work()
    return planned ? fail(method, key) : result
  }
  return withLocalPath(store, {
    location: store.location,
    capabilities: store.capabilities,
    calls: () => calls,
    hasFailed: () => calls >= plan.failCall,
    get: (key, options) => pass('get', key, () => store.get(key, options)),
    getRange: (key, range, options) => pass('getRange', key, () => store.getRange(key, range, options)),
    head: (key, options) => pass('head', key, () => store.head(key, options)),
    async *list(options) {
      const planned = isPlanned('list', options.prefix)
      if (planned && plan.when === 'before') fail('list', options.prefix)
      yield* store.list(options)
      if (planned) fail('list', options.prefix)
    },
    put: (key, bytes, options) => pass('put', key, () => store.put(key, bytes, options)),
    putIfAbsent: (key, bytes, options) => pass('putIfAbsent', key, () => store.putIfAbsent(key, bytes, options)),
    ...(store.replaceIf && {
      replaceIf: (key, bytes, expected, options) =>
        pass('replaceIf', key, () => store.replaceIf!(key, bytes, expected, options)),
    }),
    delete: (key, options) => pass('delete', key, () => store.delete(key, options)),
  })
}
