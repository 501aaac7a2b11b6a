/** Folders that a command made on its way, for taking them away again where nothing came of it. */
import { existsSync } from 'node:fs'
import { readdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Looks which folders of a path are there.
 *
 * @returns removes those that were not and are empty now, with what is empty inside them; whatever holds a file stays
 */
export function rememberFolders(path: string): () => Promise<void> {
  let uppermost: string | undefined
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) uppermost = at
  return async () => {
    if (uppermost !== undefined) await removeEmpty(uppermost)
  }
}

async function removeEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(folder, entry.name))
  // a folder with something in it refuses, and is another's
  await rmdir(folder).catch(() => undefined)
}
