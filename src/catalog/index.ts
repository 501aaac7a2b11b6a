export { openLocation } from './open-location.ts'
export {
  type BucketOptions,
  openUnityLocation,
  openUnityTable,
  UnityCatalog,
  type UnityCatalogOptions,
  type UnityOperation,
  type UnityStore,
  type UnityTable,
} from './unity/index.ts'
