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

export function sharedPath(...path: string[]): string {
  return join(sharedRoot, ...path)
}
