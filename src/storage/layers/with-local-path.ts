/** What every layer over a local folder passes on. */
import type { ObjectStore } from '../object-store.ts'

/** A layer over a local folder is one too: engines may open its files themselves, and those beside it. */
export function withLocalPath<T extends ObjectStore>(inner: ObjectStore, layer: T): T {
  return Object.assign(layer, {
    ...(inner.localPath && { localPath: inner.localPath.bind(inner) }),
    ...(inner.replaceIf && !layer.replaceIf && { replaceIf: inner.replaceIf.bind(inner) }),
    ...(inner.putChunks && { putChunks: inner.putChunks.bind(inner) }),
    ...(inner.elsewhere && { elsewhere: inner.elsewhere.bind(inner) }),
    ...(inner.emptyFolders && { emptyFolders: inner.emptyFolders.bind(inner) }),
    ...(inner.deleteEmptyFolder && { deleteEmptyFolder: inner.deleteEmptyFolder.bind(inner) }),
  })
}
