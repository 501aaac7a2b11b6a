/** Listing a folder tree as a store lists keys: in the order of the keys' UTF-8 bytes, page by page. */
import type { Dirent } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText, mapParallel, throwIfAborted } from '../../support/index.ts'
import type { ListOptions, ObjectMeta, StoreCallOptions } from '../index.ts'
import { isListed, mayHoldListed } from '../index.ts'
import { readError, systemCode } from './fs-error.ts'
import { isTemporaryName } from './local-path.ts'

/** Whoever wants the first names only pays for a few; pages grow from there. */
const FIRST_PAGE = 32
const PAGE_SIZE = 1000
const PARALLEL_STATS = 16

/**
 * The files under `root` that a listing asks for.
 *
 * Memory grows with the names asked for of one folder a level, never with the number of files in the tree; sizes are
 * looked up a page at a time. Links to files are files; links to folders are not followed, so that no loop can trap it.
 */
export async function* listFolder(
  root: string,
  options: ListOptions & StoreCallOptions,
): AsyncGenerator<readonly ObjectMeta[]> {
  const folder = folderOfPrefix(options.prefix)
  if (!isPlainFolder(folder)) return // no key begins so
  let page: string[] = []
  let pageSize = FIRST_PAGE
  for await (const key of walk(root, folder, options)) {
    page.push(key)
    if (page.length === pageSize) {
      yield* describePage(root, page)
      page = []
      pageSize = Math.min(PAGE_SIZE, pageSize * 4)
    }
  }
  yield* describePage(root, page)
}

/** The deepest folder that every key with the prefix lies in: the prefix up to its last `/`. */
function folderOfPrefix(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf('/') + 1)
}

function isPlainFolder(folder: string): boolean {
  return (
    folder === '' ||
    !folder
      .slice(0, -1)
      .split('/')
      .some((segment) => ['', '.', '..'].includes(segment))
  )
}

async function* walk(root: string, folder: string, options: ListOptions & StoreCallOptions): AsyncGenerator<string> {
  throwIfAborted(options.signal, `listing ${options.prefix}`)
  for (const entry of await readFolder(root, folder, options)) {
    if (entry.endsWith('/')) yield* walk(root, folder + entry, options)
    else yield folder + entry
  }
}

/** Names in a folder that the listing can need, folders with a `/` behind, in the order their keys come in. */
async function readFolder(root: string, folder: string, options: ListOptions): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const entry of await opendir(join(root, ...folder.split('/')), { bufferSize: 256 })) {
      const name = nameOfEntry(entry)
      if (name !== undefined && isWanted(folder + name, options)) names.push(name)
    }
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemCode(cause))) return []
    throw readError(cause, { operation: 'list', key: options.prefix, location: root })
  }
  return names.sort(compareText)
}

function nameOfEntry(entry: Dirent): string | undefined {
  if (entry.isDirectory()) return `${entry.name}/`
  if (!entry.isFile() && !entry.isSymbolicLink()) return undefined
  return isTemporaryName(entry.name) ? undefined : entry.name
}

function isWanted(key: string, options: ListOptions): boolean {
  return key.endsWith('/') ? mayHoldListed(key, options) : isListed(key, options)
}

async function* describePage(root: string, keys: readonly string[]): AsyncGenerator<readonly ObjectMeta[]> {
  const found = await mapParallel(keys, PARALLEL_STATS, (key) => describeFile(root, key))
  const page = found.filter((meta) => meta !== undefined)
  if (page.length > 0) yield page
}

/** @returns undefined for a file that went away since its folder was read, and for a link to no file */
async function describeFile(root: string, key: string): Promise<ObjectMeta | undefined> {
  try {
    const stats = await stat(join(root, ...key.split('/')))
    return stats.isFile() ? { key, size: stats.size, modifiedMs: Math.floor(stats.mtimeMs) } : undefined
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(cause))) return undefined
    throw readError(cause, { operation: 'list', key, location: root })
  }
}
