/** Folders that hold nothing: what is left where all files of a partition went. */
import type { Dirent } from 'node:fs'
import { readdir, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText, throwIfAborted } from '../../support/index.ts'
import type { ObjectMeta } from '../index.ts'
import { readError, systemCode } from './fs-error.ts'

/** Folders below `root` that begin with a prefix and hold nothing, a folder's own at a time; links are not followed. */
export async function* emptyFolders(
  root: string,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ObjectMeta[]> {
  yield* walk('', { root, prefix, signal })
}

interface Walk {
  readonly root: string
  readonly prefix: string
  readonly signal: AbortSignal | undefined
}

async function* walk(folder: string, context: Walk): AsyncGenerator<readonly ObjectMeta[]> {
  const { root, prefix, signal } = context
  throwIfAborted(signal, `listing ${prefix}`)
  const names = (await entriesOf(folder, root)).filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const empty: ObjectMeta[] = []
  for (const name of names.sort(compareText)) {
    const key = `${folder}${name}`
    if (!key.startsWith(prefix) && !prefix.startsWith(`${key}/`)) continue
    if ((await entriesOf(`${key}/`, root)).length > 0) yield* walk(`${key}/`, context)
    else if (key.startsWith(prefix)) empty.push(...(await describe(key, root)))
  }
  if (empty.length > 0) yield empty
}

async function entriesOf(folder: string, root: string): Promise<Dirent[]> {
  try {
    return await readdir(join(root, ...folder.split('/')), { withFileTypes: true })
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause))) return []
    throw readError(cause, { operation: 'list', key: folder, location: root })
  }
}

/** @returns nothing for a folder that went away */
async function describe(key: string, root: string): Promise<readonly ObjectMeta[]> {
  const stats = await stat(join(root, ...key.split('/'))).catch(() => undefined)
  return stats === undefined ? [] : [{ key, size: 0, modifiedMs: Math.floor(stats.mtimeMs) }]
}

/** @returns false where the folder is not there, or holds something by now */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  try {
    await rmdir(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) return false
    throw error
  }
}
