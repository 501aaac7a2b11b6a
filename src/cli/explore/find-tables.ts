/** Finds the Delta tables below a local folder. */
import { type Dirent, existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { causeText, deltaError } from '../../errors/index.ts'

const MAX_DEPTH = 5
const MAX_TABLES = 1000

export interface FoundTable {
  /** path relative to the folder, `/` between segments; `.` for the folder itself */
  readonly name: string
  readonly path: string
}

/**
 * The tables in a folder, down to five levels, at most a thousand, by name. A folder inside a table is not entered.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND` when the folder cannot be read or holds no table
 */
export async function findTables(root: string): Promise<readonly FoundTable[]> {
  const found: FoundTable[] = []
  let level = [root]
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0 && found.length < MAX_TABLES; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (existsSync(join(folder, '_delta_log'))) found.push({ name: nameOf(root, folder), path: folder })
      else next.push(...(await subfolders(root, folder)))
    }
    level = next
  }
  if (found.length === 0) {
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: root, reason: 'no folder below it holds a _delta_log folder' })
  }
  return found.slice(0, MAX_TABLES).sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function subfolders(root: string, folder: string): Promise<readonly string[]> {
  let entries: Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    if (folder !== root) return []
    throw deltaError('DELTA_TABLE_NOT_FOUND', { path: root, reason: causeText(cause) }, { cause })
  }
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !entry.name.startsWith('_'))
    .map((entry) => join(folder, entry.name))
}

function nameOf(root: string, folder: string): string {
  return relative(root, folder).split(sep).join('/') || '.'
}
