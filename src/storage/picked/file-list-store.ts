/** The files of `<input type="file" webkitdirectory>`, which every browser has. */
import type { ObjectStore } from '../object-store.ts'
import type { PickedStoreOptions } from './directory-store.ts'
import { type FileTree, pickedStore, type TreeEntry } from './picked-store.ts'

/**
 * The files a user picked, by their `webkitRelativePath` without the name of the folder.
 *
 * The list is as it was when it was picked: what is written into the folder later is not there, and a file that was
 * changed since is `LAKE_STORAGE_UNAVAILABLE`. `capabilities.write` is false.
 */
export function fileListStore(files: Iterable<File>, options: PickedStoreOptions = {}): ObjectStore {
  const tree = new FileListTree(files)
  return pickedStore(tree, options.location ?? tree.name)
}

class FileListTree implements FileTree {
  /** of the folder picked */
  readonly name: string
  private readonly files = new Map<string, File>()
  /** names in a folder, which is empty or ends in `/`, and whether each is a folder */
  private readonly folders = new Map<string, Map<string, boolean>>()

  constructor(files: Iterable<File>) {
    let name = 'files'
    for (const file of files) {
      const path = file.webkitRelativePath === '' ? file.name : file.webkitRelativePath
      const at = path.indexOf('/') + 1
      if (at > 0) name = path.slice(0, at - 1)
      this.add(path.slice(at), file)
    }
    this.name = name
  }

  async file(key: string): Promise<File | undefined> {
    return this.files.get(key)
  }

  async entries(folder: string): Promise<readonly TreeEntry[]> {
    return [...(this.folders.get(folder) ?? [])].map(([name, isFolder]) => ({ name, isFolder }))
  }

  private add(key: string, file: File): void {
    this.files.set(key, file)
    let folder = ''
    const segments = key.split('/')
    for (const [i, name] of segments.entries()) {
      const isFolder = i < segments.length - 1
      const names = this.folders.get(folder) ?? new Map<string, boolean>()
      names.set(name, isFolder)
      this.folders.set(folder, names)
      folder += `${name}/`
    }
  }
}
