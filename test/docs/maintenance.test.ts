/** What the page about maintenance shows is run: its program, its commands; its statements are read. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseStatement } from '../../src/sql/parser/index.ts'
import { repositoryRoot } from '../support/shared.ts'

const page = readFileSync(join(repositoryRoot, 'docs/maintenance.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bayou-maintenance-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(repositoryRoot, join(folder, 'node_modules/bayou'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** In a folder of its own instead of the one the page names. */
function placed(text: string): string {
  return text.replaceAll('/tmp/maintenance', join(folder, 'lake'))
}

test('its program runs', () => {
  writeFileSync(join(folder, 'program.mjs'), placed(blocks('ts').join('\n')))
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toContain('[ 4 ] 3 1')
})

test('its commands run on the tables of the program', () => {
  for (const block of blocks('console')) {
    for (const [, line] of block.matchAll(/^\$ bayou (.*)$/gm)) {
      const command = `"${process.execPath}" "${join(repositoryRoot, 'dist/cli/main.js')}" ${placed(line!)}`
      const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
      expect([line, stderr, status]).toEqual([line, '', 0])
    }
  }
})

test('its statements are read', () => {
  const statements = blocks('sql').flatMap((block) => block.trim().split('\n'))
  expect(statements.length).toBeGreaterThan(4)
  for (const statement of statements) expect(() => parseStatement(statement), statement).not.toThrow()
})
