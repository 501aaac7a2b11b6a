export type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions, StoreCapabilities } from './object-store.ts'
