/** Listing a folder tree as a store lists keys: in the order of the keys' UTF-8 bytes, page by page. */
import { type Dir, type Dirent, type Stats, statSync } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mapParallel, sortTexts, throwIfAborted } from '../../support/index.ts'
import type { ListOptions, ObjectMeta, StoreCallOptions } from '../index.ts'
import { isListed, mayHoldListed } from '../index.ts'
import type { DiskPace } from './disk-pace.ts'
import { readError, systemCode } from './fs-error.ts'
import { isTemporaryName } from './local-path.ts'

/** Whoever wants the first names only pays for a few; pages grow from there. */
const FIRST_PAGE = 32
const PAGE_SIZE = 1000
const PARALLEL_STATS = 16
const ENTRIES_A_CALL = 256

interface Tree {
  readonly root: string
  readonly pace: DiskPace
}

/**
 * The files under `root` that a listing asks for.
 *
 * Memory grows with the names asked for of one folder a level, never with the number of files in the tree; sizes are
 * looked up a page at a time. Links to files are files; links to folders are not followed, so that no loop can trap it.
 */
export async function* listFolder(
  tree: Tree,
  options: ListOptions & StoreCallOptions,
): AsyncGenerator<readonly ObjectMeta[]> {
  const folder = folderOfPrefix(options.prefix)
  if (!isPlainFolder(folder)) return // no key begins so
  let page: string[] = []
  let pageSize = FIRST_PAGE
  for await (const key of walk(tree, folder, options)) {
    page.push(key)
    if (page.length === pageSize) {
      yield* describePage(tree, page)
      page = []
      pageSize = Math.min(PAGE_SIZE, pageSize * 4)
    }
  }
  yield* describePage(tree, page)
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

async function* walk(tree: Tree, folder: string, options: ListOptions & StoreCallOptions): AsyncGenerator<string> {
  throwIfAborted(options.signal, `listing ${options.prefix}`)
  for (const entry of await readFolder(tree, folder, options)) {
    if (entry.endsWith('/')) yield* walk(tree, folder + entry, options)
    else yield folder + entry
  }
}

/** Names in a folder that the listing can need, folders with a `/` behind, in the order their keys come in. */
async function readFolder({ root, pace }: Tree, folder: string, options: ListOptions): Promise<string[]> {
  const names: string[] = []
  try {
    const opened = await opendir(join(root, ...folder.split('/')), { bufferSize: ENTRIES_A_CALL })
    for await (const entries of entriesOf(opened, pace)) {
      const known = entries.map(nameOfEntry)
      names.push(...known.filter((name): name is string => name !== undefined && isWanted(folder + name, options)))
    }
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemCode(cause))) return []
    throw readError(cause, { operation: 'list', key: options.prefix, location: root })
  }
  return sortTexts(names)
}

/** A folder's entries, as many at a time as one call of the system gives. */
async function* entriesOf(folder: Dir, pace: DiskPace): AsyncGenerator<readonly Dirent[]> {
  try {
    for (;;) {
      const entries = await pace.call(
        () => readSome(folder),
        async () => some(await folder.read()),
      )
      if (entries.length === 0) return
      yield entries
    }
  } finally {
    await folder.close()
  }
}

function readSome(folder: Dir): Dirent[] {
  const entries: Dirent[] = []
  for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
    if (entries.push(entry) === ENTRIES_A_CALL) break
  }
  return entries
}

function some(entry: Dirent | null): readonly Dirent[] {
  return entry === null ? [] : [entry]
}

function nameOfEntry(entry: Dirent): string | undefined {
  if (entry.isDirectory()) return `${entry.name}/`
  if (!entry.isFile() && !entry.isSymbolicLink()) return undefined
  return isTemporaryName(entry.name) ? undefined : entry.name
}

function isWanted(key: string, options: ListOptions): boolean {
  return key.endsWith('/') ? mayHoldListed(key, options) : isListed(key, options)
}

async function* describePage(tree: Tree, keys: readonly string[]): AsyncGenerator<readonly ObjectMeta[]> {
  const page: ObjectMeta[] = []
  for (let start = 0; start < keys.length; start += PARALLEL_STATS) {
    const some = keys.slice(start, start + PARALLEL_STATS)
    const found = await tree.pace.call(
      () => some.map((key) => describeHere(tree, key)),
      () => mapParallel(some, PARALLEL_STATS, (key) => describeElsewhere(tree, key)),
    )
    for (const meta of found) if (meta !== undefined) page.push(meta)
  }
  if (page.length > 0) yield page
}

/** @returns undefined for a file that went away since its folder was read, and for a link to no file */
function describeHere({ root }: Tree, key: string): ObjectMeta | undefined {
  try {
    return metaOf(key, statSync(`${root}/${key}`, { throwIfNoEntry: false }))
  } catch (cause) {
    return goneOr(cause, key, root)
  }
}

async function describeElsewhere({ root }: Tree, key: string): Promise<ObjectMeta | undefined> {
  try {
    return metaOf(key, await stat(`${root}/${key}`))
  } catch (cause) {
    return goneOr(cause, key, root)
  }
}

function metaOf(key: string, stats: Stats | undefined): ObjectMeta | undefined {
  return stats?.isFile() === true ? { key, size: stats.size, modifiedMs: Math.floor(stats.mtimeMs) } : undefined
}

function goneOr(cause: unknown, key: string, location: string): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(cause))) return undefined
  throw readError(cause, { operation: 'list', key, location })
}
