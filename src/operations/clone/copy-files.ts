/** Copies objects from one store into another, whole or not at all. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { openDataFile, type Snapshot } from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { compareBytes, mapParallel, throwIfAborted } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { ClonedFile } from './cloned-files.ts'

/** Copies under way at once; of a store that takes objects whole each holds one in memory. */
const PARALLEL = 4
const CHUNK_BYTES = 8 * 1024 * 1024
/** At the end of a file stands what its columns hold: files that agree there and in size are one. */
const COMPARED_BYTES = 64 * 1024

/**
 * An object that lies there already and is the same is the copy of an earlier run.
 *
 * @returns the keys written, to be deleted when no commit names them
 * @throws DeltaError a `LAKE_STORAGE_…` code, `LAKE_OBJECT_NOT_FOUND` for a file of the source that is gone; what was
 * copied is deleted
 */
export async function copyFiles(
  files: readonly ClonedFile[],
  source: Snapshot,
  context: OperationContext,
): Promise<readonly string[]> {
  const objects = new Map(files.flatMap(({ objects }) => [...objects]))
  const { store, options } = context
  const written: string[] = []
  const done = { rows: 0, bytes: 0, files: 0 }
  try {
    await mapParallel([...objects], PARALLEL, async ([path, key]) => {
      throwIfAborted(options.signal, 'CLONE')
      const from = openDataFile(source.store, path)
      const meta = await from.store.head(from.key, options)
      const to = { store, key }
      if (!(await isCopied(from, to, meta.size))) {
        await copy(from, to, meta.size, context)
        written.push(key)
      }
      done.files++
      done.bytes += meta.size
      options.onProgress?.({ ...done })
    })
  } catch (error) {
    for (const key of written) await store.delete(key).catch(() => undefined)
    throw error
  }
  return written
}

/**
 * Whether the copy lies there.
 *
 * @throws DeltaError `LAKE_CLONE_NAME_TAKEN` where something else does: it may be a file of the clone's own
 */
async function isCopied(from: Place, to: Place, size: number): Promise<boolean> {
  const there = await sizeOf(to)
  if (there === undefined) return false
  const range = { start: Math.max(0, size - COMPARED_BYTES), end: size }
  const isSame =
    there === size &&
    compareBytes(await from.store.getRange(from.key, range), await to.store.getRange(to.key, range)) === 0
  if (!isSame) throw deltaError('LAKE_CLONE_NAME_TAKEN', { key: to.key, path: to.store.location })
  return true
}

async function sizeOf({ store, key }: Place): Promise<number | undefined> {
  try {
    return (await store.head(key)).size
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}

interface Place {
  readonly store: ObjectStore
  readonly key: string
}

async function copy(from: Place, to: Place, size: number, { options }: OperationContext): Promise<void> {
  if (to.store.putChunks === undefined) {
    return await to.store.put(to.key, await from.store.get(from.key, options), options)
  }
  await to.store.putChunks(to.key, chunksOf(from, size, options), options)
}

async function* chunksOf(
  { store, key }: Place,
  size: number,
  options: OperationContext['options'],
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    yield await store.getRange(key, { start, end: Math.min(size, start + CHUNK_BYTES) }, options)
  }
}
