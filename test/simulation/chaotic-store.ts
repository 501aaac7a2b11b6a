/** A store whose calls take time and go wrong, by a seed: before or after their effect, for a moment or for minutes. */
import { deltaError } from '../../src/errors/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { delay } from '../../src/support/index.ts'

/** 0 to 1, the same ones for the same seed. Source: mulberry32 */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export interface Weather {
  readonly random: () => number
  /** from then on nothing goes wrong, milliseconds since 1970 */
  readonly calmAtMs: number
  /** until then every call fails in this way */
  storm: { readonly untilMs: number; readonly kind: 'denied' | 'unavailable' } | undefined
  /** calls that failed, by what happened */
  readonly counts: Map<string, number>
}

/** What a worker holds on to: when it is dead, no call of it comes back, though one under way may still have its effect. */
export interface Life {
  isDead: boolean
  /** called when it is killed */
  onDeath?: () => void
}

const never = () => new Promise<never>(() => undefined)

export function chaotic(inner: ObjectStore, weather: Weather, life: Life): ObjectStore {
  const { random, calmAtMs, counts } = weather
  const note = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
  const fail = (what: string, key: string): never => {
    note(what)
    const isDenied = what === 'denied'
    const details = { operation: 'call', key, cause: what, status: isDenied ? 403 : 503 }
    throw deltaError(isDenied ? 'LAKE_STORAGE_ACCESS_DENIED' : 'LAKE_STORAGE_UNAVAILABLE', details)
  }
  const call = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (life.isDead) return never()
    const isCalm = Date.now() >= calmAtMs
    await delay(isCalm ? 5 : 5 + random() * random() * 2000)
    if (life.isDead && random() < 0.5) return never()
    if (!isCalm && weather.storm !== undefined && Date.now() < weather.storm.untilMs) {
      return fail(weather.storm.kind, key)
    }
    const luck = isCalm ? 1 : random()
    if (luck < 0.02) return fail('before', key)
    const result = await work()
    if (life.isDead) return never()
    if (luck < 0.04) {
      await delay(random() * 30_000)
      return fail('after its effect', key)
    }
    return result
  }
  return {
    location: inner.location,
    capabilities: inner.capabilities,
    get: (key) => call(key, () => inner.get(key)),
    getRange: (key, range) => call(key, () => inner.getRange(key, range)),
    head: (key) => call(key, () => inner.head(key)),
    async *list(options) {
      const pages = await call(options.prefix, async () => {
        const all = []
        for await (const page of inner.list(options)) all.push(page)
        return all
      })
      yield* pages
    },
    put: (key, bytes) => call(key, () => inner.put(key, bytes)),
    putIfAbsent: (key, bytes) => call(key, () => inner.putIfAbsent(key, bytes)),
    delete: (key) => call(key, () => inner.delete(key)),
  }
}
