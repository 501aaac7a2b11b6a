export { assert } from './assert.ts'
export { catalogue, type ErrorCode, type ErrorSpec } from './catalogue/index.ts'
export {
  ConflictError,
  causeText,
  DeltaError,
  type DeltaErrorOptions,
  deltaError,
  type ErrorDetails,
  isDeltaError,
  StorageError,
  UnsupportedError,
  UsageError,
} from './delta-error.ts'
