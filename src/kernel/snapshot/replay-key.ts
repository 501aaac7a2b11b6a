/**
 * What makes two file actions of a log speak of the same file.
 *
 * The key is the canonical path and the identity of the deletion vector; an absent offset and offset 0 are different
 * vectors. Every index uses these two functions. Source: Delta protocol, "Action Reconciliation".
 */
import type { DeletionVectorDescriptor } from '../actions/actions.ts'
import { canonicalPath } from '../paths/index.ts'
import type { FileKey } from './file-index.ts'

/** @returns null where there is no vector */
export function deletionVectorId(vector: DeletionVectorDescriptor | undefined): string | null {
  if (vector === undefined) return null
  const id = `${vector.storageType}${vector.pathOrInlineDv}`
  return vector.offset === undefined ? id : `${id}@${vector.offset}`
}

export function fileKey(action: {
  readonly path: string
  readonly deletionVector?: DeletionVectorDescriptor
}): FileKey {
  return { path: canonicalPath(action.path), deletionVectorId: deletionVectorId(action.deletionVector) }
}

/** The key as one text, for maps. U+0000 stands in no path. */
export function fileKeyText(key: FileKey): string {
  return key.deletionVectorId === null ? key.path : `${key.path}\u0000${key.deletionVectorId}`
}
