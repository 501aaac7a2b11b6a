/** Objects in memory: for tests, for the browser, and as the store under a fault plan. */
import { deltaError } from '../../errors/index.ts'
import { type Clock, compareBytes, compareText, systemClock, throwIfAborted } from '../../support/index.ts'
import { isListed, validateKey } from '../key.ts'
import type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions } from '../object-store.ts'

export interface MemoryStoreOptions {
  /** what messages call the root; `memory` when absent */
  readonly location?: string
  /** gives the objects their modification times */
  readonly clock?: Clock
}

interface StoredObject {
  readonly bytes: Uint8Array
  readonly modifiedMs: number
}

const PAGE_SIZE = 1000

/**
 * A store that keeps its objects in this process.
 *
 * Bytes are copied on the way in and on the way out, so that no caller can change an object. Each method acts at the
 * moment it is called, which makes `putIfAbsent` atomic.
 */
export function memoryStore(options: MemoryStoreOptions = {}): ObjectStore {
  const location = options.location ?? 'memory'
  const clock = options.clock ?? systemClock
  const objects = new Map<string, StoredObject>()
  let sortedKeys: readonly string[] | undefined

  const load = (key: string, call: StoreCallOptions | undefined): StoredObject => {
    throwIfAborted(call?.signal, `reading ${key}`)
    validateKey(key, location)
    const found = objects.get(key)
    if (found === undefined) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key, location })
    return found
  }
  const save = (key: string, bytes: Uint8Array) => {
    if (!objects.has(key)) sortedKeys = undefined
    objects.set(key, { bytes: bytes.slice(), modifiedMs: clock.now() })
  }
  const checkWrite = (key: string, call: StoreCallOptions | undefined) => {
    throwIfAborted(call?.signal, `writing ${key}`)
    validateKey(key, location)
  }

  return {
    location,
    capabilities: { write: true, list: true },
    get: async (key, call) => load(key, call).bytes.slice(),
    getRange: async (key, { start, end }, call) => load(key, call).bytes.slice(start, Math.max(start, end)),
    head: async (key, call) => describe(key, load(key, call)),
    async *list(call: ListOptions & StoreCallOptions) {
      sortedKeys ??= [...objects.keys()].sort(compareText)
      let page: ObjectMeta[] = []
      for (const key of sortedKeys) {
        throwIfAborted(call.signal, `listing ${call.prefix}`)
        const found = objects.get(key)
        if (found === undefined || !isListed(key, call)) continue
        page.push(describe(key, found))
        if (page.length === PAGE_SIZE) {
          yield page
          page = []
        }
      }
      if (page.length > 0) yield page
    },
    put: async (key, bytes, call) => {
      checkWrite(key, call)
      save(key, bytes)
    },
    putIfAbsent: async (key, bytes, call) => {
      checkWrite(key, call)
      if (objects.has(key)) return 'exists'
      save(key, bytes)
      return 'created'
    },
    replaceIf: async (key, bytes, expected, call) => {
      checkWrite(key, call)
      const held = objects.get(key)
      if (held === undefined || compareBytes(held.bytes, expected) !== 0) return 'changed'
      save(key, bytes)
      return 'replaced'
    },
    delete: async (key, call) => {
      checkWrite(key, call)
      if (objects.delete(key)) sortedKeys = undefined
    },
  }
}

function describe(key: string, object: StoredObject): ObjectMeta {
  return { key, size: object.bytes.length, modifiedMs: object.modifiedMs }
}
