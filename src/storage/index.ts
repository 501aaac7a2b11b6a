export { type MemoryStoreOptions, memoryStore } from './memory/index.ts'
export type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions, StoreCapabilities } from './object-store.ts'
