import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rememberFolders } from './made-folders.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bayou-folders-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('folders that were made and hold nothing go, those that were there stay', async () => {
  mkdirSync(join(root, 'lake', 'other'), { recursive: true })
  const remove = rememberFolders(join(root, 'lake', 'new', 'table'))
  mkdirSync(join(root, 'lake', 'new', 'table', '_delta_log'), { recursive: true })
  await remove()
  expect(existsSync(join(root, 'lake', 'new'))).toBe(false)
  expect(existsSync(join(root, 'lake', 'other'))).toBe(true)
  await rememberFolders(join(root, 'lake', 'other'))()
  expect(existsSync(join(root, 'lake', 'other'))).toBe(true)
})

test('a folder that holds a file stays, with those above it', async () => {
  const remove = rememberFolders(join(root, 'a', 'b'))
  mkdirSync(join(root, 'a', 'b', 'empty'), { recursive: true })
  writeFileSync(join(root, 'a', 'b', 'file'), '')
  await remove()
  expect(existsSync(join(root, 'a', 'b', 'file'))).toBe(true)
  expect(existsSync(join(root, 'a', 'b', 'empty'))).toBe(false)
})
