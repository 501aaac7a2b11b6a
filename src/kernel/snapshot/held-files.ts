/**
 * Small checkpoint files read whole and once, though two readers ask for ranges of them: one for the small actions, later
 * one for the file actions.
 */
import type { ObjectStore, StoreCallOptions } from '../../storage/index.ts'
import type { CheckpointFile } from './file-index.ts'

/** of files above it only the wanted ranges are read */
const WHOLE_UP_TO = 4 * 1024 * 1024
/** files beyond this sum are not held */
const HELD_BYTES = 8 * 1024 * 1024

export interface HeldFiles {
  /** the store, answering for the held files from memory */
  readonly store: ObjectStore
  /** the signal that goes with every read from now on */
  use(signal: AbortSignal | undefined): void
  /** forgets the bytes; the store goes on working */
  release(): void
}

/** @param signal goes with every read, so that an engine that reads through the store stops when the load is given up */
export function holdSmallFiles(inner: ObjectStore, files: readonly CheckpointFile[], signal?: AbortSignal): HeldFiles {
  let loading: StoreCallOptions = signal === undefined ? {} : { signal }
  const store = cancellable(inner, () => loading)
  const held = new Map<string, Promise<Uint8Array>>()
  const small = smallFiles(files)
  const whole = async (key: string, options?: StoreCallOptions): Promise<Uint8Array> => {
    const known = held.get(key)
    if (known !== undefined) return await known
    const reading = store.get(key, options)
    held.set(key, reading)
    reading.catch(() => held.delete(key))
    return await reading
  }
  const holding: ObjectStore = {
    location: store.location,
    capabilities: store.capabilities,
    get: (key, options) => (small.has(key) ? whole(key, options) : store.get(key, options)),
    getRange: async (key, range, options) => {
      if (!small.has(key)) return await store.getRange(key, range, options)
      return (await whole(key, options)).slice(range.start, range.end)
    },
    head: (key, options) => store.head(key, options),
    list: (options) => store.list(options),
    put: (key, bytes, options) => store.put(key, bytes, options),
    putIfAbsent: (key, bytes, options) => store.putIfAbsent(key, bytes, options),
    delete: (key, options) => store.delete(key, options),
    ...(store.localPath && { localPath: store.localPath.bind(store) }),
    ...(store.elsewhere && { elsewhere: store.elsewhere.bind(store) }),
  }
  return {
    store: holding,
    use: (next) => {
      loading = next === undefined ? {} : { signal: next }
    },
    release: () => {
      small.clear()
      held.clear()
    },
  }
}

function smallFiles(files: readonly CheckpointFile[]): Set<string> {
  let sum = 0
  const held = files.filter(({ size }) => {
    if (size <= WHOLE_UP_TO) sum += size
    return size <= WHOLE_UP_TO && sum <= HELD_BYTES
  })
  return new Set(held.map(({ key }) => key))
}

/** Reads carry the signal, where there still is one, unless they have one of their own. */
function cancellable(store: ObjectStore, signal: () => StoreCallOptions): ObjectStore {
  return {
    ...store,
    get: (key, options) => store.get(key, { ...signal(), ...options }),
    getRange: (key, range, options) => store.getRange(key, range, { ...signal(), ...options }),
    head: (key, options) => store.head(key, { ...signal(), ...options }),
  }
}
