/** What the operating system's error codes mean for a store. */
import { causeText, type DeltaError, deltaError, type ErrorCode, isDeltaError } from '../../errors/index.ts'

const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['ENOSPC', 'LAKE_STORAGE_FULL'],
  ['EDQUOT', 'LAKE_STORAGE_FULL'],
  ['EROFS', 'LAKE_STORAGE_READ_ONLY'],
  ['EACCES', 'LAKE_STORAGE_ACCESS_DENIED'],
  ['EPERM', 'LAKE_STORAGE_ACCESS_DENIED'],
] satisfies [string, ErrorCode][])

/** What is wrong with the key itself: trying again, or elsewhere in the store, would end the same. */
const UNNAMEABLE: ReadonlyMap<string, string> = new Map([
  ['ENAMETOOLONG', 'the file system allows no name so long'],
  ['ENOTDIR', 'a file stands where a folder above it would be'],
  ['EEXIST', 'a file stands where a folder above it would be'],
])

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'])

export interface FailedCall {
  readonly operation: string
  readonly key: string
  readonly location: string
}

/** The code of a failed system call, or an empty text. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The error of a failed read; one whose target is no file is `LAKE_OBJECT_NOT_FOUND`. */
export function readError(cause: unknown, call: FailedCall): DeltaError {
  if (ABSENT.has(systemCode(cause))) return deltaError('LAKE_OBJECT_NOT_FOUND', { ...call }, { cause })
  return writeError(cause, call)
}

/** The error of a failed write or delete. */
export function writeError(cause: unknown, call: FailedCall): DeltaError {
  if (isDeltaError(cause)) return cause
  const code = systemCode(cause)
  const reason = UNNAMEABLE.get(code)
  if (reason !== undefined) {
    return deltaError('LAKE_INVALID_KEY', { key: JSON.stringify(call.key), location: call.location, reason }, { cause })
  }
  return deltaError(CODES.get(code) ?? 'LAKE_STORAGE_UNAVAILABLE', { ...call, cause: causeText(cause) }, { cause })
}
