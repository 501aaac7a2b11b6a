/**
 * The command as a bundle, where the build made one, else module by module.
 *
 * A worker is some four hundred modules, and finding and reading each takes Node longer than running any: from a bundle
 * the command starts in a third of the time. A compiler that ran since the bundle was made may have written other
 * modules, and its marks are newer then: the bundle is left alone. The published package has no such marks.
 */
import { readdirSync, statSync } from 'node:fs'

const BUNDLE = new URL('bundle/command-line.js', import.meta.url)
const COMPILER_MARKS = new URL('../.tsbuild/', import.meta.url)

export async function loadCommandLine(): Promise<typeof import('./command-line.ts')> {
  if (!isBundleCurrent()) return import('./command-line.ts')
  return (await import(BUNDLE.href)) as typeof import('./command-line.ts')
}

function isBundleCurrent(): boolean {
  const made = modifiedMs(BUNDLE)
  return made !== undefined && compilerMarks().every((mark) => (modifiedMs(mark) ?? 0) <= made)
}

function compilerMarks(): URL[] {
  try {
    return readdirSync(COMPILER_MARKS).map((name) => new URL(name, COMPILER_MARKS))
  } catch {
    return []
  }
}

function modifiedMs(file: URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}
