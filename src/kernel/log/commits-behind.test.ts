import { describe, expect, test } from 'vitest'
import { deltaError } from '../../errors/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { commitKey } from '../paths/index.ts'
import { commitsBehind } from './commits-behind.ts'
import { KnownCommits } from './known-commits.ts'

const bytes = encodeUtf8('{"commitInfo":{}}\n')

interface Watched {
  readonly store: ObjectStore
  readonly calls: string[]
}

/** A store that looks like a local folder and keeps a list of what it is asked. */
async function logOf(versions: readonly number[], local = true): Promise<Watched> {
  const inner = memoryStore()
  for (const version of versions) await inner.put(commitKey(version), bytes)
  const calls: string[] = []
  const store: ObjectStore = {
    ...inner,
    head: async (key) => {
      calls.push(`head ${Number(key.slice(11, 31))}`)
      return await inner.head(key)
    },
    list: (options) => {
      calls.push('list')
      return inner.list(options)
    },
    ...(local && { localPath: (key: string) => key }),
  }
  return { store, calls }
}

const recent = { isRecent: true }
const versionsOf = async (store: ObjectStore, from: number, options: Parameters<typeof commitsBehind>[2]) => {
  const behind = await commitsBehind(store, from, options)
  return behind && { newest: behind.newest, commits: behind.commits.map(({ version }) => version) }
}

describe('commits behind a version', () => {
  test('a local folder is asked for names, any other store lists once', async () => {
    const local = await logOf([0, 1, 2, 3])
    expect(await versionsOf(local.store, 1, recent)).toEqual({ newest: 3, commits: [2, 3] })
    expect(local.calls).toEqual(['head 2', 'head 3', 'head 4'])
    const remote = await logOf([0, 1, 2, 3], false)
    expect(await versionsOf(remote.store, 1, recent)).toEqual({ newest: 3, commits: [2, 3] })
    expect(remote.calls).toEqual(['list'])
  })

  test('where nothing is newer the version itself must be there', async () => {
    const { store, calls } = await logOf([0, 1])
    expect(await versionsOf(store, 1, recent)).toEqual({ newest: 1, commits: [] })
    expect(calls).toEqual(['head 2', 'head 1'])
    await store.delete(commitKey(1))
    await store.delete(commitKey(0))
    expect(await versionsOf(store, 1, recent)).toBeUndefined()
    expect(await versionsOf((await logOf([], false)).store, 1, recent)).toBeUndefined()
  })

  test('a version that was seen long ago may be followed by a gap: the folder is listed', async () => {
    const { store, calls } = await logOf([1, 7])
    expect(await versionsOf(store, 1, { isRecent: false })).toEqual({ newest: 7, commits: [7] })
    expect(calls).toContain('list')
  })

  test('many new commits are listed', async () => {
    const { store, calls } = await logOf(Array.from({ length: 40 }, (_, i) => i))
    expect((await versionsOf(store, 0, recent))?.commits).toHaveLength(39)
    expect(calls.at(-1)).toBe('list')
  })

  test('commits whose files are known are not asked for; what is behind them is', async () => {
    const { store, calls } = await logOf([0, 1, 2, 3])
    const known = new KnownCommits()
    known.add({ version: 1, bytes, modifiedMs: 5 })
    known.add({ version: 2, bytes, modifiedMs: undefined })
    const behind = await commitsBehind(store, 0, { ...recent, known })
    expect(behind?.commits[0]).toMatchObject({ version: 1, modifiedMs: 5, size: bytes.length })
    expect(calls).toEqual(['head 2', 'head 3', 'head 4'])
  })

  test('a store that fails is no log without commits', async () => {
    const { store } = await logOf([0])
    const failing: ObjectStore = {
      ...store,
      head: async (key) => {
        throw deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'head', key, location: '', cause: 'down' })
      },
    }
    await expect(commitsBehind(failing, 0, recent)).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
  })
})

test('known commits are kept up to a bound, the newest longest', () => {
  const known = new KnownCommits()
  for (let version = 0; version < 5; version++) {
    known.add({ version, bytes: new Uint8Array(6 * 1024 * 1024), modifiedMs: undefined })
  }
  expect([0, 1, 2, 3, 4].filter((version) => known.get(version) !== undefined)).toEqual([3, 4])
  known.forgetTo(3)
  expect(known.get(3)).toBeUndefined()
  expect(known.get(4)).toBeDefined()
})
