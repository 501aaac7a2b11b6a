/**
 * Folders made with those above them.
 *
 * `mkdir` with `recursive` does not do: it never ends where the system answers ENOENT for a folder whose parent is there
 * (`/proc`), and tells of a read-only file system as of a missing folder.
 */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from './fs-error.ts'

/**
 * Makes a folder; one that is there is left as it is.
 *
 * @returns the folders that were made, the uppermost first
 * @throws the system's own error
 */
export async function makeFolder(folder: string): Promise<string[]> {
  const outcome = await makeOne(folder)
  if (outcome !== 'no parent') return outcome === 'made' ? [folder] : []
  const above = await makeFolder(dirname(folder))
  await makeOneOrFail(folder)
  return [...above, folder]
}

async function makeOne(folder: string): Promise<'made' | 'there' | 'no parent'> {
  try {
    await mkdir(folder)
    return 'made'
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'there'
    if (systemCode(error) === 'ENOENT' && dirname(folder) !== folder) return 'no parent'
    throw error
  }
}

/** The parent is there now: whatever goes wrong is the answer. Another process may have been first. */
async function makeOneOrFail(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}
