/** Where this package lies: its package.json and what it serves. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A path inside the package. The module that asks may be one of a bundle, at another depth than its source. */
export function packagePath(...names: readonly string[]): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return join(folder, ...names)
}
