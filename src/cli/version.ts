/** The version of the package, from its package.json. */
import { readFileSync } from 'node:fs'
import { packagePath } from './package-folder.ts'

export function versionText(): string {
  const text = readFileSync(packagePath('package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
