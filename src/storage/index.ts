export { type HttpStoreOptions, httpStore } from './http/index.ts'
export { isKey, isListed, mayHoldListed, validateKey } from './key.ts'
export {
  type FaultPlan,
  type FaultyStore,
  faulty,
  type MeasuredStore,
  type MethodMeasure,
  measured,
  type RetryPolicy,
  retrying,
  type StoreMethod,
} from './layers/index.ts'
export { type MemoryStoreOptions, memoryStore } from './memory/index.ts'
export type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions, StoreCapabilities } from './object-store.ts'
export { directoryStore, fileListStore, type PickedStoreOptions } from './picked/index.ts'
