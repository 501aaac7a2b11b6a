/** A folder picked with the File System Access API, or one of a page's own private file system. */
import type { ObjectStore } from '../object-store.ts'
import { type FileTree, pickedStore, type TreeEntry } from './picked-store.ts'

export interface PickedStoreOptions {
  /** what messages call the root; the name of the folder when absent */
  readonly location?: string
}

/**
 * The files below a folder that `showDirectoryPicker()` gave.
 *
 * Reads need the permission that came with the folder; where the user takes it back they are
 * `LAKE_STORAGE_ACCESS_DENIED`. `capabilities.write` is false.
 */
export function directoryStore(folder: FileSystemDirectoryHandle, options: PickedStoreOptions = {}): ObjectStore {
  return pickedStore(new DirectoryTree(folder), options.location ?? folder.name)
}

/** What the API says where nothing of the kind is at a name, or no file could have the name. */
const MISSING: ReadonlySet<string> = new Set(['NotFoundError', 'TypeMismatchError', 'TypeError'])

class DirectoryTree implements FileTree {
  /** folders found before, by key; finding one again is a call to another process for each segment */
  private readonly folders = new Map<string, Promise<FileSystemDirectoryHandle | undefined>>()

  constructor(root: FileSystemDirectoryHandle) {
    this.folders.set('', Promise.resolve(root))
  }

  async file(key: string): Promise<File | undefined> {
    const at = key.lastIndexOf('/') + 1
    const folder = await this.folder(key.slice(0, at))
    return folder && (await orMissing(async () => (await folder.getFileHandle(key.slice(at))).getFile()))
  }

  async entries(key: string): Promise<readonly TreeEntry[]> {
    const folder = await this.folder(key)
    if (folder === undefined) return []
    const found = await orMissing(async () => {
      const entries: TreeEntry[] = []
      for await (const [name, handle] of folder.entries()) entries.push({ name, isFolder: handle.kind === 'directory' })
      return entries
    })
    return found ?? []
  }

  /** @param key empty, or ends in `/` */
  private folder(key: string): Promise<FileSystemDirectoryHandle | undefined> {
    const known = this.folders.get(key)
    if (known !== undefined) return known
    const at = key.lastIndexOf('/', key.length - 2) + 1
    const found = this.folder(key.slice(0, at)).then(
      (parent) => parent && orMissing(() => parent.getDirectoryHandle(key.slice(at, -1))),
    )
    this.folders.set(key, found)
    // one that is missing or failed may be there next time
    found.then(
      (folder) => folder === undefined && this.folders.delete(key),
      () => this.folders.delete(key),
    )
    return found
  }
}

async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && MISSING.has(error.name)) return undefined
    throw error
  }
}
