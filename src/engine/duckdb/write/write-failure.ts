/** What DuckDB and the file system say of a file that cannot be written. */
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'

/** Why a write failed, as an error of this package. */
export function writeFailure(cause: unknown, key: string): unknown {
  if (isDeltaError(cause)) return cause
  const text = causeText(cause)
  const details = { operation: 'the write', key, cause: text.split('\n')[0] }
  if (/No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/.test(text)) {
    return deltaError('LAKE_STORAGE_FULL', details, { cause })
  }
  if (/Read-only file system|EROFS/.test(text)) return deltaError('LAKE_STORAGE_READ_ONLY', details, { cause })
  if (/Permission denied|EACCES|EPERM/.test(text)) return deltaError('LAKE_STORAGE_ACCESS_DENIED', details, { cause })
  if (/^IO Error/.test(text) || (cause instanceof Error && 'syscall' in cause)) {
    return deltaError('LAKE_STORAGE_UNAVAILABLE', details, { cause })
  }
  return cause
}
