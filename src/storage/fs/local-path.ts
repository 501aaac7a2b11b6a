/** Keys as paths of the local file system, and the names of this store's temporary files. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { deltaError } from '../../errors/index.ts'
import { validateKey } from '../index.ts'

const TEMPORARY = /^\.bayou-tmp-[0-9a-f]{32}$/

/** A fresh name, in no listing, that no key may have. */
export function temporaryName(): string {
  return `.bayou-tmp-${randomBytes(16).toString('hex')}`
}

/** Whether a file name is one that an interrupted write of this store left behind. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name)
}

/**
 * The path of a key below a root.
 *
 * On Windows a `:` would name a stream of another file, a `\` would be a separator, and a dot or space at the end of a
 * segment would be dropped: keys with them are refused there.
 *
 * @throws DeltaError `LAKE_INVALID_KEY`
 */
export function pathOfKey(root: string, key: string, platform: NodeJS.Platform = process.platform): string {
  validateKey(key, root)
  for (const segment of key.split('/')) {
    if (isTemporaryName(segment)) refuse(root, key, `the name ${segment} is one of an unfinished write`)
    if (platform === 'win32' && /[<>:"|?*\\]|[. ]$/.test(segment)) refuse(root, key, 'Windows has no such file name')
  }
  return join(root, ...key.split('/'))
}

function refuse(location: string, key: string, reason: string): never {
  throw deltaError('LAKE_INVALID_KEY', { key: JSON.stringify(key), location, reason })
}
