import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, encodeUtf8 } from '../../support/index.ts'
import { writeError } from './fs-error.ts'
import { localStore } from './index.ts'
import { pathOfKey, temporaryName } from './local-path.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-store-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const keysOf = async () => (await collect(localStore(folder).list({ prefix: '' }))).flat().map((meta) => meta.key)

describe('temporary files', () => {
  it('leaves none behind, neither as winner nor as loser', async () => {
    const store = localStore(folder)
    await store.put('x', encodeUtf8('1'))
    await Promise.all([1, 2, 3, 4].map((n) => store.putIfAbsent('y', encodeUtf8(String(n)))))
    expect((await readdir(folder)).sort()).toEqual(['x', 'y'])
  })

  it('hides one that a crash left', async () => {
    await writeFile(join(folder, temporaryName()), 'half')
    await writeFile(join(folder, '.bayou-tmp-mine'), 'a file of the user')
    expect(await keysOf()).toEqual(['.bayou-tmp-mine'])
  })

  it('refuses a key that is named as one', async () => {
    await expect(localStore(folder).put(`a/${temporaryName()}`, encodeUtf8('1'))).rejects.toMatchObject({
      code: 'LAKE_INVALID_KEY',
    })
  })
})

describe('what the operating system says', () => {
  it.each([
    ['ENOSPC', 'LAKE_STORAGE_FULL', false],
    ['EDQUOT', 'LAKE_STORAGE_FULL', false],
    ['EROFS', 'LAKE_STORAGE_READ_ONLY', false],
    ['EACCES', 'LAKE_STORAGE_ACCESS_DENIED', false],
    ['EPERM', 'LAKE_STORAGE_ACCESS_DENIED', false],
    ['ENAMETOOLONG', 'LAKE_INVALID_KEY', false],
    ['EIO', 'LAKE_STORAGE_UNAVAILABLE', true],
    ['EMFILE', 'LAKE_STORAGE_UNAVAILABLE', true],
  ])('maps %s to %s', (code, expected, retryable) => {
    const cause = Object.assign(new Error(`${code}: as node words it`), { code })
    const error = writeError(cause, { operation: 'put', key: 'a/b', location: '/lake' })
    expect(error).toMatchObject({ code: expected, retryable, cause })
    expect(error.message).toContain('a/b')
  })

  it('says a disk is full by LAKE_STORAGE_FULL and leaves nothing of the write', async () => {
    // Linux answers ENOSPC to every write to this device.
    const { open } = await import('node:fs/promises')
    const full = await open('/dev/full', 'w').catch(() => undefined)
    if (full === undefined) return console.log('skipped: this system has no /dev/full')
    const cause = await full.writeFile('x').then(
      () => undefined,
      (error: unknown) => error,
    )
    await full.close()
    expect(writeError(cause, { operation: 'put', key: 'x', location: '/dev' })).toMatchObject({
      code: 'LAKE_STORAGE_FULL',
    })
  })

  it('says a file in the way of a folder plainly', async () => {
    await writeFile(join(folder, 'x'), '')
    await expect(localStore(folder).get('x/y')).rejects.toMatchObject({ code: 'LAKE_OBJECT_NOT_FOUND' })
    await expect(localStore(folder).put('x/y', encodeUtf8('1'))).rejects.toMatchObject({
      code: 'LAKE_INVALID_KEY',
    })
  })
})

describe('what lies in the folder', () => {
  it('does not wait on a pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await expect(localStore(folder).get('pipe')).rejects.toMatchObject({ code: 'LAKE_OBJECT_NOT_FOUND' })
    expect(await keysOf()).toEqual([])
  })

  it('lists linked files, enters no linked folder, ignores links to nothing', async () => {
    await mkdir(join(folder, 'd'))
    await writeFile(join(folder, 'd/x'), '1')
    await symlink(join(folder, 'd/x'), join(folder, 'link'))
    await symlink(folder, join(folder, 'd/loop'))
    await symlink(join(folder, 'nowhere'), join(folder, 'dangling'))
    expect(await keysOf()).toEqual(['d/x', 'link'])
  })

  it('never overwrites through a link to nothing', async () => {
    await symlink(join(folder, 'nowhere'), join(folder, 'x'))
    expect(await localStore(folder).putIfAbsent('x', encodeUtf8('1'))).toBe('exists')
    expect(await readdir(folder)).toEqual(['x'])
  })

  it('gives the path engines open', async () => {
    const store = localStore(folder)
    await store.put('c=a b/x', encodeUtf8('1'))
    expect(await readFile(store.localPath!('c=a b/x'), 'utf8')).toBe('1')
  })
})

it.each(['a:b', 'a\\b', 'a/..b. ', 'con?', 'a.', 'a '])('on Windows the key %j is refused', (key) => {
  expect(() => pathOfKey('C:/lake', key, 'win32')).toThrow(expect.objectContaining({ code: 'LAKE_INVALID_KEY' }))
  expect(() => pathOfKey('/lake', key, 'linux')).not.toThrow()
})
