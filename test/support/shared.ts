/** Where material of other engines lies, for the tests that read it. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root. */
export const repositoryRoot = resolve(fileURLToPath(new URL('../..', import.meta.url)))

const sharedRoot = process.env.BAYOU_SHARED ?? resolve(repositoryRoot, '../shared')

/** The sentence a test that needs a shared folder skips with, or undefined when the folder is there. */
export function sharedMissing(...path: string[]): string | undefined {
  const folder = sharedPath(...path)
  return existsSync(folder)
    ? undefined
    : `the folder ${path.join('/')} of shared test material is not here (set BAYOU_SHARED)`
}

/** Folders of the project's own content, of which this repository carries a copy. */
const CARRIED = new Set(['tables-spark'])

/** The place of shared material, in this repository where it carries a copy. */
export function sharedPath(...path: string[]): string {
  const isCarried = CARRIED.has(path[0] ?? '')
  return isCarried ? join(repositoryRoot, 'test/fixtures', ...path) : join(sharedRoot, ...path)
}
