/** The store of a location as people write it. */
import { fileURLToPath } from 'node:url'
import { causeText, deltaError } from '../errors/index.ts'
import { localStore } from '../storage/fs/index.ts'
import { httpStore, type ObjectStore } from '../storage/index.ts'

/**
 * Opens a folder path, a `file:` address or an http(s) address; nothing is read or written yet.
 *
 * Two letters or more before a `:` make a scheme, so that `C:\lake` is a path.
 *
 * @throws DeltaError `LAKE_INVALID_LOCATION`, naming the scheme where it is one this package does not open
 */
export function openLocation(location: string): ObjectStore {
  if (location.trim() === '') throw invalid(location, 'it is empty')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(location)?.[1]?.toLowerCase()
  if (scheme === undefined) return localStore(location)
  if (scheme === 'http' || scheme === 'https') return httpStore(location)
  if (scheme === 'file') return localStore(pathOfFileUrl(location))
  throw invalid(location, `this version opens no ${scheme}: locations`)
}

function pathOfFileUrl(location: string): string {
  try {
    return fileURLToPath(location)
  } catch (cause) {
    throw deltaError(
      'LAKE_INVALID_LOCATION',
      { location: JSON.stringify(location), reason: causeText(cause) },
      { cause },
    )
  }
}

function invalid(location: string, reason: string) {
  return deltaError('LAKE_INVALID_LOCATION', { location: JSON.stringify(location), reason })
}
