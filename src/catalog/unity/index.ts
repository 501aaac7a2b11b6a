export { UnityCatalog, type UnityCatalogOptions, type UnityOperation, type UnityTable } from './unity-catalog.ts'
export { type BucketOptions, openUnityLocation, openUnityTable, type UnityStore } from './unity-store.ts'
