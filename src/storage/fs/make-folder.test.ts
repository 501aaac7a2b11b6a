import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

test('folders are made from the uppermost that is missing; a second call makes none', async () => {
  const root = mkdtempSync(join(tmpdir(), 'bayou-test-'))
  try {
    expect(await makeFolder(join(root, 'a/b/c'))).toEqual(['a', 'a/b', 'a/b/c'].map((name) => join(root, name)))
    expect(await makeFolder(join(root, 'a/b/c'))).toEqual([])
    const racing = await Promise.all(Array.from({ length: 10 }, () => makeFolder(join(root, 'x/y/z'))))
    expect(racing.some((made) => made.length > 0)).toBe(true)
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('a place where no folder can be made ends in an error, not in a loop', async ({ skip }) => {
  if (!existsSync('/proc/self')) skip('this system has no /proc')
  await expect(makeFolder('/proc/bayou/a')).rejects.toMatchObject({ code: 'ENOENT' })
})
