/** What a key may be, and which keys a listing asks for: the same for every store. */
import { deltaError } from '../errors/index.ts'
import { compareText } from '../support/index.ts'
import type { ListOptions } from './object-store.ts'

/**
 * Refuses keys that are no plain relative path, so that none can name anything outside the root.
 *
 * @throws DeltaError `LAKE_INVALID_KEY`
 */
export function validateKey(key: string, location: string): void {
  const reason = faultOfKey(key)
  if (reason !== undefined) throw deltaError('LAKE_INVALID_KEY', { key: JSON.stringify(key), location, reason })
}

/** Whether a text can be a key. */
export function isKey(text: string): boolean {
  return faultOfKey(text) === undefined
}

function faultOfKey(key: string): string | undefined {
  if (key === '') return 'it is empty'
  if (key.includes('\0')) return 'it holds a NUL character'
  for (const segment of key.split('/')) {
    if (segment === '') return 'a segment of it is empty'
    if (segment === '.' || segment === '..') return `it holds the segment ${segment}`
  }
  return undefined
}

/** Whether a listing with these options gives the key. */
export function isListed(key: string, options: ListOptions): boolean {
  if (!key.startsWith(options.prefix)) return false
  if (options.startAfter !== undefined && compareText(key, options.startAfter) <= 0) return false
  return options.shallow !== true || !key.includes('/', options.prefix.length)
}

/** Whether any key that begins with `folder` (which ends in `/`, or is empty) can be in the listing. */
export function mayHoldListed(folder: string, options: ListOptions): boolean {
  if (!folder.startsWith(options.prefix) && !options.prefix.startsWith(folder)) return false
  if (options.shallow === true && folder.length > options.prefix.length) return false
  const after = options.startAfter
  return after === undefined || after.startsWith(folder) || compareText(folder, after) > 0
}
