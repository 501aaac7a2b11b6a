/** A folder of the local file system as an object store. */
import { access, unlink } from 'node:fs/promises'
import { resolve } from 'node:path'
import { throwIfAborted } from '../../support/index.ts'
import type { ListOptions, ObjectStore, StoreCallOptions } from '../index.ts'
import { DiskPace } from './disk-pace.ts'
import { emptyFolders, removeEmptyFolder } from './empty-folders.ts'
import { type OpenFile, withFile } from './file-reader.ts'
import { readError, systemCode, writeError } from './fs-error.ts'
import { listFolder } from './list-folder.ts'
import { pathOfKey } from './local-path.ts'
import { replaceFileIf } from './replace-if.ts'
import { createFile, replaceFile } from './write-file.ts'

/**
 * The files below a folder, which need not exist yet; a write makes the folders it needs.
 *
 * Writes are on disk when their promise resolves (file and folder synced), and no reader ever sees a part of one. What
 * a crash can leave is a file named `.bayou-tmp-<32 hex digits>`, which no listing shows.
 *
 * Errors beyond the port's: `LAKE_INVALID_KEY` for a key that is no path below the root.
 */
export function localStore(root: string): ObjectStore {
  const location = resolve(root)
  const local = (key: string) => pathOfKey(location, key)

  const pace = new DiskPace()

  const read = async <T>(
    operation: string,
    key: string,
    call: StoreCallOptions | undefined,
    work: (file: OpenFile) => T | Promise<T>,
  ) => {
    throwIfAborted(call?.signal, `reading ${key}`)
    const path = local(key)
    try {
      return await withFile(pace, path, work)
    } catch (cause) {
      throw readError(cause, { operation, key, location })
    }
  }
  const write = async <T>(
    operation: string,
    key: string,
    call: StoreCallOptions | undefined,
    work: (path: string) => Promise<T>,
  ) => {
    throwIfAborted(call?.signal, `writing ${key}`)
    const path = local(key)
    try {
      return await work(path)
    } catch (cause) {
      throw writeError(cause, { operation, key, location })
    }
  }

  return {
    location,
    capabilities: { write: true, list: true },
    get: (key, call) => read('get', key, call, (file) => file.read(0, file.stats.size)),
    getRange: (key, range, call) =>
      read('getRange', key, call, (file) => file.read(range.start, Math.min(range.end, file.stats.size))),
    head: (key, call) =>
      read('head', key, call, ({ stats }) => ({ key, size: stats.size, modifiedMs: Math.floor(stats.mtimeMs) })),
    list: (options: ListOptions & StoreCallOptions) => listFolder({ root: location, pace }, options),
    put: (key, bytes, call) => write('put', key, call, (path) => replaceFile(path, bytes)),
    putChunks: (key, chunks, call) => write('put', key, call, (path) => replaceFile(path, chunks)),
    putIfAbsent: (key, bytes, call) =>
      write('putIfAbsent', key, call, async (path) => {
        // Losers of a race mostly come late: they are told without writing and syncing their bytes first.
        return (await isThere(path)) ? 'exists' : createFile(path, bytes)
      }),
    replaceIf: (key, bytes, expected, call) =>
      write('replaceIf', key, call, (path) => replaceFileIf(path, bytes, expected)),
    delete: (key, call) => write('delete', key, call, removeFile),
    localPath: local,
    emptyFolders: ({ prefix, signal }) => emptyFolders(location, prefix, signal),
    deleteEmptyFolder: (key) => write('delete', key, undefined, removeEmptyFolder),
    elsewhere: (path) => {
      const reaches = process.platform !== 'win32' && path.startsWith('/')
      return reaches ? { store: localStore('/'), key: path.slice(1) } : undefined
    },
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    // A folder is no object: deleting it as one finds nothing (EISDIR on Linux, EPERM elsewhere).
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return
    throw error
  }
}
