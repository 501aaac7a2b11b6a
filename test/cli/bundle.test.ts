import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { repositoryRoot } from '../support/shared.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-bundle-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const says = (what: string) =>
  `export const processTerminal = () => {}; export const runCommandLine = () => { console.log('${what}') }`

/** A package whose command says what it was loaded from; ages in seconds. */
async function packageOf({ bundle, compiled }: { bundle?: number; compiled?: number }): Promise<string> {
  const cli = join(folder, 'dist/cli')
  await mkdir(join(cli, 'bundle'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const name of ['main.js', 'load-command-line.js']) {
    await cp(join(repositoryRoot, 'dist/cli', name), join(cli, name))
  }
  await writeFile(join(cli, 'command-line.js'), says('modules'))
  const place = async (name: string, text: string, age: number) => {
    await writeFile(join(folder, name), text)
    const at = Date.now() / 1000 - age
    await utimes(join(folder, name), at, at)
  }
  if (bundle !== undefined) await place('dist/cli/bundle/command-line.js', says('bundle'), bundle)
  if (compiled !== undefined) {
    await mkdir(join(folder, 'dist/.tsbuild'))
    await place('dist/.tsbuild/old.tsbuildinfo', '', 1000)
    await place('dist/.tsbuild/cli.tsbuildinfo', '', compiled)
  }
  return join(cli, 'main.js')
}

test.each([
  [{}, 'modules'],
  [{ compiled: 20 }, 'modules'],
  [{ bundle: 10, compiled: 20 }, 'bundle'],
  [{ bundle: 20, compiled: 10 }, 'modules'],
  [{ bundle: 20 }, 'bundle'],
])('the newest form of the command runs: %j', async (ages, expected) => {
  const { stdout } = await promisify(execFile)(process.execPath, [await packageOf(ages)])
  expect(stdout.trim()).toBe(expected)
})
