/** The version of the package, from its package.json. */
import { readFileSync } from 'node:fs'

export function versionText(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
