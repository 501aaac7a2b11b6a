/** A store in memory whose objects can be taken out and put back whole, for undo, for keeping and for zips. */
import { memoryStore, type ObjectStore } from '../library.ts'

export interface KeptObject {
  readonly key: string
  readonly bytes: Uint8Array
  readonly modifiedMs: number
}

/** A clock that stands still until it is moved. */
export class PlayClock {
  private nowMs: number

  constructor(nowMs: number) {
    this.nowMs = nowMs
  }

  now(): number {
    return this.nowMs
  }

  set(nowMs: number): void {
    this.nowMs = nowMs
  }

  advance(ms: number): void {
    this.nowMs += ms
  }
}

export interface KeptStore extends ObjectStore {
  /** all objects; their bytes are never changed */
  objects(): readonly KeptObject[]
  /** replaces all objects */
  restore(objects: readonly KeptObject[]): Promise<void>
}

export function keptStore(location: string, clock: PlayClock): KeptStore {
  const store = memoryStore({ location, clock })
  let kept = new Map<string, KeptObject>()
  const keep = (key: string, bytes: Uint8Array) => kept.set(key, { key, bytes: bytes.slice(), modifiedMs: clock.now() })
  return {
    ...store,
    put: async (key, bytes, options) => {
      await store.put(key, bytes, options)
      keep(key, bytes)
    },
    putIfAbsent: async (key, bytes, options) => {
      const outcome = await store.putIfAbsent(key, bytes, options)
      if (outcome === 'created') keep(key, bytes)
      return outcome
    },
    delete: async (key, options) => {
      await store.delete(key, options)
      kept.delete(key)
    },
    objects: () => [...kept.values()],
    restore: async (objects) => {
      const nowMs = clock.now()
      for (const key of kept.keys()) await store.delete(key)
      kept = new Map(objects.map((object) => [object.key, object]))
      for (const { key, bytes, modifiedMs } of objects) {
        clock.set(modifiedMs)
        await store.put(key, bytes)
      }
      clock.set(nowMs)
    },
  }
}
