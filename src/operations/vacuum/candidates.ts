/** Files VACUUM looks at: those below the table's root, or those an inventory names. */
import type { ObjectMeta } from '../../storage/index.ts'
import type { OperationContext } from '../context.ts'

/** A file or a folder, and when it was last written. */
export interface Candidate extends ObjectMeta {
  /** a folder that holds nothing */
  readonly isFolder?: boolean
}

/** Where candidates come from. */
export interface CandidateSource {
  /**
   * In pages; a source that can go on behind a key gives them in the order of their keys.
   *
   * @param after only what is behind this key
   */
  candidates(after?: string): AsyncIterable<readonly Candidate[]>
  /** whether what is behind a key can be asked for again, so that not all keys need be held */
  readonly resumes: boolean
  /** folders that were gone through, known when all candidates were given */
  numFolders(): number
}

/** All objects below the root but hidden ones; folders that are empty come last. */
export function listedFiles(context: OperationContext, isHidden: (key: string) => boolean): CandidateSource {
  const { store, options } = context
  const signal = options.signal && { signal: options.signal }
  const folders = new FolderCount()
  async function* candidates(after?: string): AsyncGenerator<readonly Candidate[]> {
    for await (const page of store.list({ prefix: '', ...(after !== undefined && { startAfter: after }), ...signal })) {
      const shown = page.filter(({ key }) => !isHidden(key))
      if (after === undefined) for (const { key } of shown) folders.see(key)
      yield shown.filter(({ modifiedMs }) => modifiedMs > 0)
    }
    if (store.emptyFolders === undefined) return
    for await (const page of store.emptyFolders({ prefix: '', ...signal })) {
      const shown = page.filter(({ key }) => !isHidden(key)).map((folder) => ({ ...folder, isFolder: true }))
      if (after === undefined) folders.addEmpty(shown.length)
      yield shown
    }
  }
  return { candidates, resumes: true, numFolders: () => folders.count }
}

/** Counts folders of keys that come in order, the root included, holding one key. */
class FolderCount {
  count = 1
  private last: readonly string[] = []

  see(key: string): void {
    const folders = key.split('/').slice(0, -1)
    let same = 0
    while (same < folders.length && folders[same] === this.last[same]) same++
    this.count += folders.length - same
    this.last = folders
  }

  addEmpty(count: number): void {
    this.count += count
  }
}
