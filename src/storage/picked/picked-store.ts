/**
 * A store over files that the user of a page has picked: read only, by ranges, with listing.
 *
 * Pages cannot create a file only if none is there, so nothing is written this way.
 */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { compareText, mapParallel, throwIfAborted } from '../../support/index.ts'
import { isListed, mayHoldListed, validateKey } from '../key.ts'
import type { ListOptions, ObjectMeta, ObjectStore, StoreCallOptions } from '../object-store.ts'

/** Files under a folder, by decoded keys. */
export interface FileTree {
  /** undefined where there is none */
  file(key: string): Promise<File | undefined>
  /** what lies right in a folder, in any order; `''` is the root. Nothing where it is not there */
  entries(folder: string): Promise<readonly TreeEntry[]>
}

export interface TreeEntry {
  readonly name: string
  readonly isFolder: boolean
}

const PAGE_SIZE = 1000
const PARALLEL = 32

export function pickedStore(tree: FileTree, location: string): ObjectStore {
  const open = async (operation: string, key: string, options?: StoreCallOptions): Promise<File> => {
    throwIfAborted(options?.signal, `reading ${key}`)
    validateKey(key, location)
    const file = await reading(operation, key, () => tree.file(key))
    if (file === undefined) throw deltaError('LAKE_OBJECT_NOT_FOUND', { key, location })
    return file
  }
  const bytesOf = (operation: string, key: string, part: Blob) =>
    reading(operation, key, async () => new Uint8Array(await part.arrayBuffer()))
  const refuse = (operation: string) => async (): Promise<never> => {
    throw deltaError('LAKE_STORAGE_UNSUPPORTED', { store: 'picked folder', operation })
  }
  return {
    location,
    capabilities: { write: false, list: true },
    get: async (key, options) => bytesOf('get', key, await open('get', key, options)),
    getRange: async (key, { start, end }, options) => {
      const file = await open('getRange', key, options)
      return bytesOf('getRange', key, file.slice(start, Math.max(start, end)))
    },
    head: async (key, options) => describe(key, await open('head', key, options)),
    list: (options) => listTree(tree, options),
    put: refuse('put'),
    putIfAbsent: refuse('putIfAbsent'),
    delete: refuse('delete'),
  }
}

function describe(key: string, { size, lastModified }: File): ObjectMeta {
  return { key, size, modifiedMs: lastModified }
}

async function* listTree(
  tree: FileTree,
  options: ListOptions & StoreCallOptions,
): AsyncGenerator<readonly ObjectMeta[]> {
  let keys: string[] = []
  const page = async () => {
    const files = await mapParallel(keys, PARALLEL, async (key) => {
      const file = await reading('list', key, () => tree.file(key))
      return file && describe(key, file)
    })
    keys = []
    // one that went away between the two looks is not there
    return files.filter((file) => file !== undefined)
  }
  for await (const key of walk(tree, '', options)) {
    keys.push(key)
    if (keys.length === PAGE_SIZE) yield await page()
  }
  if (keys.length > 0) yield await page()
}

/** Keys of files in the order of their UTF-8 bytes. */
async function* walk(tree: FileTree, folder: string, options: ListOptions & StoreCallOptions): AsyncGenerator<string> {
  throwIfAborted(options.signal, `listing ${options.prefix}`)
  if (!mayHoldListed(folder, options)) return
  const entries = await reading('list', folder, () => tree.entries(folder))
  const keys = entries.map(({ name, isFolder }) => `${folder}${name}${isFolder ? '/' : ''}`)
  for (const key of keys.sort(compareText)) {
    if (key.endsWith('/')) yield* walk(tree, key, options)
    else if (isListed(key, options)) yield key
  }
}

/** Faults of the browser as errors of the port. */
async function reading<T>(operation: string, key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isDeltaError(error)) throw error
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    const isDenied = error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'SecurityError')
    const code = isDenied ? 'LAKE_STORAGE_ACCESS_DENIED' : 'LAKE_STORAGE_UNAVAILABLE'
    throw deltaError(code, { operation, key, cause }, { cause: error })
  }
}
