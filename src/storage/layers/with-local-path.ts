/** What every layer over a local folder passes on. */
import type { ObjectStore } from '../object-store.ts'

/** A layer over a local folder is one too: engines may open its files themselves. */
export function withLocalPath<T extends ObjectStore>(inner: ObjectStore, layer: T): T {
  return inner.localPath === undefined ? layer : Object.assign(layer, { localPath: inner.localPath.bind(inner) })
}
