/** A folder of the local file system as an object store. */
import { constants } from 'node:fs'
import { access, type FileHandle, open, unlink } from 'node:fs/promises'
import { resolve } from 'node:path'
import { deltaError } from '../../errors/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import type { ListOptions, ObjectStore, StoreCallOptions } from '../index.ts'
import { emptyFolders, removeEmptyFolder } from './empty-folders.ts'
import { readError, systemCode, writeError } from './fs-error.ts'
import { listFolder } from './list-folder.ts'
import { pathOfKey } from './local-path.ts'
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

  const read = async <T>(
    operation: string,
    key: string,
    call: StoreCallOptions | undefined,
    work: (file: FileHandle) => Promise<T>,
  ) => {
    throwIfAborted(call?.signal, `reading ${key}`)
    const path = local(key)
    try {
      return await withFile(path, work)
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
    get: (key, call) => read('get', key, call, async (file) => toPlainBytes(await file.readFile())),
    getRange: (key, range, call) => read('getRange', key, call, (file) => readRange(file, range)),
    head: (key, call) =>
      read('head', key, call, async (file) => {
        const stats = await file.stat()
        return { key, size: stats.size, modifiedMs: Math.floor(stats.mtimeMs) }
      }),
    list: (options: ListOptions & StoreCallOptions) => listFolder(location, options),
    put: (key, bytes, call) => write('put', key, call, (path) => replaceFile(path, bytes)),
    putChunks: (key, chunks, call) => write('put', key, call, (path) => replaceFile(path, chunks)),
    putIfAbsent: (key, bytes, call) =>
      write('putIfAbsent', key, call, async (path) => {
        // Losers of a race mostly come late: they are told without writing and syncing their bytes first.
        return (await isThere(path)) ? 'exists' : createFile(path, bytes)
      }),
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

/** Opens without waiting on a pipe, and takes only real files for objects. */
async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!(await file.stat()).isFile()) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key: path })
    return await work(file)
  } finally {
    await file.close()
  }
}

async function readRange(file: FileHandle, range: { start: number; end: number }): Promise<Uint8Array> {
  const { size } = await file.stat()
  const bytes = new Uint8Array(Math.max(0, Math.min(range.end, size) - range.start))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, range.start + filled)
    if (bytesRead === 0) break // the file was cut short while it was read
    filled += bytesRead
  }
  return filled === bytes.length ? bytes : bytes.slice(0, filled)
}

function toPlainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
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
