/** Counts what is asked of a store and how much comes, for the page to show. */
import type { ObjectStore } from '../library.ts'
import type { Traffic } from '../messages.ts'

export function countedStore(store: ObjectStore, onChange: (traffic: Traffic) => void): ObjectStore {
  let traffic: Traffic = { requests: 0, bytes: 0 }
  const count = (bytes: number) => {
    traffic = { requests: traffic.requests + 1, bytes: traffic.bytes + bytes }
    onChange(traffic)
  }
  const counted = async (work: Promise<Uint8Array>) => {
    const bytes = await work
    count(bytes.length)
    return bytes
  }
  return {
    ...store,
    get: (...call) => counted(store.get(...call)),
    getRange: (...call) => counted(store.getRange(...call)),
    head: async (...call) => {
      count(0)
      return await store.head(...call)
    },
  }
}
