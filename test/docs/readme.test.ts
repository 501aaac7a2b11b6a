/** What the README shows is what happens: its console blocks and its program are run. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../support/shared.ts'

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bayou-readme-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(repositoryRoot, join(folder, 'node_modules/bayou'))
  const script = `#!/bin/sh\nexec "${process.execPath}" "${join(repositoryRoot, 'dist/cli/main.js')}" "$@"\n`
  writeFileSync(join(folder, 'bayou'), script, { mode: 0o755 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string): string {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, NO_COLOR: '1' }
  const { stdout, stderr } = spawnSync('sh', ['-c', `${command} 2>&1`], { cwd: folder, env, encoding: 'utf8' })
  return stdout + stderr
}

/** What differs from run to run, or with the compressor at hand, is made equal: names of files, sizes, room between columns. */
function evened(output: string): string {
  return output
    .replace(/(?:part-)?[0-9a-f-]{32,36}[.\w]*\.parquet/g, 'FILE')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[-0-9a-f]{21}\b/g, 'VERSION')
    .replaceAll(folder, '/srv')
    .replace(/\b\d+ B\b/g, 'SIZE')
    .replace(/ {2,}/g, '  ')
}

/** A line that ends in … stands for whatever goes on there. */
function likeness(expected: string): RegExp {
  const parts = evened(expected).split(/…(?:\n|$)/)
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*')}$`)
}

describe('README', () => {
  test('is short', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(100)
  })

  test('its commands print what it says', () => {
    for (const block of blocks('console')) {
      for (const [, command, expected] of block.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
        expect(evened(run(command!)), command).toMatch(likeness(expected!))
      }
    }
  })

  test('its program runs', () => {
    const [program] = blocks('ts')
    rmSync(join(folder, 'orders'), { recursive: true, force: true })
    writeFileSync(join(folder, 'program.mjs'), program!)
    const output = run(`"${process.execPath}" program.mjs`)
    expect(output).toBe("9007199254740993n\n[ { order_id: '1043', country: 'DE', quantity: 2n } ]\n[ { n: 2n } ]\n")
  })
})
