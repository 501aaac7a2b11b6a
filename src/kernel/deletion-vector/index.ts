export { type DeletionVectorOptions, deletionVectorKey, loadDeletionVector } from './load.ts'
export { decodeZ85, encodeZ85 } from './z85.ts'
