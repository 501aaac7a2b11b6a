/** Data and delete files into a repository: put only if absent, and never another under the same name. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { compareBytes } from '../../support/index.ts'
import { type Repository, sizeIfThere } from './repository.ts'
import type { SourceFile } from './source.ts'

export interface PutFiles {
  readonly files: number
  readonly bytes: number
}

/**
 * @param isKnown files that a version before has under the same name and size; they are not looked at again
 * @throws DeltaError `DUCKLAKE_FILE_CONFLICT`, `DUCKLAKE_FILE_MISSING`
 */
export async function putFiles(
  repository: Repository,
  files: readonly SourceFile[],
  isKnown: (file: SourceFile) => boolean,
): Promise<PutFiles> {
  const put = { files: 0, bytes: 0 }
  const seen = new Set<string>()
  for (const file of files) {
    if (seen.has(file.target) || isKnown(file)) continue
    seen.add(file.target)
    if (!(await putFile(repository, file))) continue
    put.files++
    put.bytes += file.bytes
  }
  return put
}

/** @returns whether the file is new */
async function putFile({ store, root }: Repository, file: SourceFile): Promise<boolean> {
  const { target, from } = file
  if (isSamePlace(store.localPath?.(target), from?.store.localPath?.(from.key))) {
    if ((await sizeIfThere(store, target)) === undefined) throw missing(target)
    return false
  }
  if (from === undefined && file.content === undefined) {
    if ((await sizeIfThere(store, target)) === undefined) throw missing(target)
    return false
  }
  const bytes = file.content ?? (await readSource(file))
  if ((await store.putIfAbsent(target, bytes)) === 'created') return true
  const held = await sizeIfThere(store, target)
  const isSame = held === bytes.length && compareBytes(await store.get(target), bytes) === 0
  if (!isSame) throw deltaError('DUCKLAKE_FILE_CONFLICT', { root, object: target })
  return false
}

function isSamePlace(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && a === b
}

async function readSource({ from, target, bytes: size }: SourceFile): Promise<Uint8Array> {
  try {
    const bytes = await from!.store.get(from!.key)
    if (bytes.length === size) return bytes
    const reason = `it has ${bytes.length} bytes, and the catalog says ${size}`
    throw deltaError('DUCKLAKE_FILE_CORRUPT', { file: from!.key, table: 'the lake', reason })
  } catch (error) {
    throw isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND') ? missing(from?.key ?? target) : error
  }
}

function missing(file: string) {
  return deltaError('DUCKLAKE_FILE_MISSING', { file, table: 'the lake' })
}
