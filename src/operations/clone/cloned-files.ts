/** Files of a source as a clone names them. */
import { deltaError } from '../../errors/index.ts'
import {
  type AddFile,
  type DeletionVectorDescriptor,
  deletionVectorKey,
  encodePath,
  locateDataFile,
  vectorAtRoot,
} from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { OperationContext } from '../context.ts'

export interface ClonedFile {
  readonly file: AddFile
  /** objects to copy: paths as the source's log has them → keys of the clone */
  readonly objects: ReadonlyMap<string, string>
}

/**
 * The file where it lies, by an absolute path.
 *
 * @throws DeltaError `LAKE_CLONE_UNREACHABLE`
 */
export function namedFile(file: AddFile, source: ObjectStore, context: OperationContext): ClonedFile {
  const path = absolutePath(file.path, source, context)
  const vector = file.deletionVector
  if (vector === undefined || vector.storageType === 'i') return { file: { ...file, path }, objects: new Map() }
  const text = vector.storageType === 'p' ? vector.pathOrInlineDv : encodePath(deletionVectorKey(vector.pathOrInlineDv))
  const deletionVector: DeletionVectorDescriptor = {
    ...vector,
    storageType: 'p',
    pathOrInlineDv: absolutePath(text, source, context),
  }
  return { file: { ...file, path, deletionVector }, objects: new Map() }
}

function absolutePath(path: string, { location }: ObjectStore, context: OperationContext): string {
  const place = locateDataFile(location, path)
  const decoded = place.kind === 'absolute' ? place.path : `${location.replace(/\/+$/, '')}/${place.key}`
  if (context.store.elsewhere?.(decoded) === undefined) {
    throw deltaError('LAKE_CLONE_UNREACHABLE', { path: context.location, source: location })
  }
  const [, scheme = 'file:', rest] = /^([A-Za-z][A-Za-z0-9+.-]*:)?(.*)$/s.exec(decoded)!
  return `${scheme}${rest!.split('/').map(encodeSegment).join('/')}`
}

function encodeSegment(segment: string): string {
  return segment === '' ? '' : encodePath(segment)
}

/** The file as a copy below the clone's root: under the key it has, or its name where it lies elsewhere. */
export function copiedFile(file: AddFile, location: string): ClonedFile {
  const objects = new Map<string, string>()
  const key = keyOf(file.path, location)
  objects.set(file.path, key)
  const vector = file.deletionVector
  const cloned = { ...file, path: encodePath(key) }
  if (vector === undefined || vector.storageType === 'i') return { file: cloned, objects }
  if (vector.storageType === 'u') {
    const vectorKey = deletionVectorKey(vector.pathOrInlineDv)
    objects.set(encodePath(vectorKey), vectorKey)
    return { file: cloned, objects }
  }
  const { descriptor, key: vectorKey } = vectorAtRoot(vector)
  objects.set(vector.pathOrInlineDv, vectorKey)
  return { file: { ...cloned, deletionVector: descriptor }, objects }
}

function keyOf(path: string, location: string): string {
  const place = locateDataFile(location, path)
  if (place.kind === 'key') return place.key
  const segments = place.path.split('/')
  const folders = segments.slice(0, -1)
  // folders of partitions stay, for people who look
  const kept = folders.slice(folders.findLastIndex((folder) => !folder.includes('=')) + 1)
  return [...kept, segments.at(-1)].join('/')
}
