/** The library as the page's engine uses it: what `bayou/browser` gives, and parts of its layers that only a page this curious needs. */
export * from '../../src/browser.ts'
export { isInterval } from '../../src/expressions/index.ts'
export type { SkippingRule } from '../../src/kernel/index.ts'
export {
  decodePath,
  deletionVectorId,
  deletionVectorPath,
  featuresOf,
  fileKey,
  fileKeyText,
  findFeature,
  loadDeletionVector,
  locateDataFile,
  physicalName,
  planChanges,
  property,
} from '../../src/kernel/index.ts'
export { type Backend, hiddenKeys, KeptFiles, keptFiles } from '../../src/operations/index.ts'
export { parseStatement, type SqlResult, SqlSession, type Statement, splitStatements } from '../../src/sql/index.ts'
export { faulty } from '../../src/storage/index.ts'
export {
  type Clock,
  DAY_MS,
  encodeUtf8,
  HOUR_MS,
  isJsonObject,
  MINUTE_MS,
  mapParallel,
} from '../../src/support/index.ts'
