/**
 * Files that appear whole or not at all, and stay after a power cut.
 *
 * Bytes go to a temporary file in the target's own folder, which is synced; then it takes the target's name, by `link`
 * where an existing file must win, by `rename` where it must lose; then the folder is synced.
 */
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deltaError } from '../../errors/index.ts'
import { delay } from '../../support/index.ts'
import { systemCode } from './fs-error.ts'
import { temporaryName } from './local-path.ts'
import { makeFolder } from './make-folder.ts'

const RENAME_ATTEMPTS = 6

/** Replaces or creates the file at `path`. */
export async function replaceFile(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = await writeTemporary(path, bytes)
  try {
    await renameOver(temporary, path)
  } catch (error) {
    await removeQuietly(temporary)
    throw error
  }
  await syncFolder(dirname(path))
}

/** Creates the file at `path` only if none is there. Of many callers in many processes one gets `'created'`. */
export async function createFile(path: string, bytes: Uint8Array): Promise<'created' | 'exists'> {
  const temporary = await writeTemporary(path, bytes)
  try {
    await link(temporary, path)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'exists'
    throw isLinkUnsupported(error)
      ? deltaError('LAKE_STORAGE_UNSUPPORTED', { store: 'local folder', operation: LINKS }, { cause: error })
      : error
  } finally {
    await removeQuietly(temporary)
  }
  await syncFolder(dirname(path))
  return 'created'
}

const LINKS = 'hard links, which creating a file only if it is absent needs, on this file system'

function isLinkUnsupported(error: unknown): boolean {
  // The temporary file was just written to the same folder, so EPERM cannot be about permissions there.
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error))
}

async function writeTemporary(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  const folder = dirname(path)
  const temporary = join(folder, temporaryName())
  const file = await openInFolder(temporary, folder)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } catch (error) {
    await file.close()
    await removeQuietly(temporary)
    throw error
  }
  await file.close()
  return temporary
}

async function openInFolder(temporary: string, folder: string) {
  try {
    return await open(temporary, 'wx')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    await makeSyncedFolder(folder)
    return open(temporary, 'wx')
  }
}

/** Creates a folder with the folders above it, each entry synced. */
async function makeSyncedFolder(folder: string): Promise<void> {
  for (const made of (await makeFolder(folder)).reverse()) await syncFolder(dirname(made))
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // folders cannot be opened there; the file itself is synced
  const file = await open(folder, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Windows refuses for a moment to replace a file that somebody reads. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to)
    } catch (error) {
      const passing = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error))
      if (!passing || attempt === RENAME_ATTEMPTS) throw error
      await delay(10 * 2 ** attempt)
    }
  }
}

/** A temporary file that stays is in no listing; it must not hide the outcome of the write. */
async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined)
}
