/** Lakes for tests: those recorded for this project, of which the repository carries some. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localStore } from '../../src/storage/fs/index.ts'
import { repositoryRoot, sharedPath } from '../support/shared.ts'

const carried = join(repositoryRoot, 'test/fixtures/ducklake')

/** All of them where the shared folder is, else those that are carried. */
export const lakesFolder = existsSync(sharedPath('ducklake')) ? sharedPath('ducklake') : carried

/** A file of a lake that is carried. */
export function lakePath(...path: string[]): string {
  return join(carried, ...path)
}

export const openStore = localStore

/** A folder of its own, that goes with `remove`. */
export function makeRoot(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'bayou-lake-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
