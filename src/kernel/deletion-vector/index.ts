export {
  type DeletionVectorOptions,
  deletionVectorKey,
  deletionVectorPath,
  loadDeletionVector,
  vectorAtRoot,
} from './load.ts'
export { decodePositions, type RoaringExpectation } from './roaring.ts'
export { BLOCK_BYTES, BLOCK_ROWS, type RowBlock, RowSet, RowSetBuilder } from './row-set.ts'
export { type DeletionVectorWriteOptions, type WrittenDeletionVectors, writeDeletionVectors } from './write.ts'
export { decodeZ85, encodeZ85 } from './z85.ts'
