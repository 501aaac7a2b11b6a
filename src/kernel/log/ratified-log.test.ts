import { describe, expect, it } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { commitKey } from '../paths/index.ts'
import { history } from '../snapshot/history.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import { add, jsonLogEngine, lines, logOf, METADATA, metadata, remove } from '../snapshot/test-log.ts'
import { type RatifiedCommit, ratifiedLog } from './index.ts'

const PROTOCOL = {
  protocol: {
    minReaderVersion: 3,
    minWriterVersion: 7,
    readerFeatures: ['catalogManaged'],
    writerFeatures: ['catalogManaged', 'inCommitTimestamp'],
  },
}
const UUID = 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d'

function commit(version: number): RatifiedCommit {
  return { version, fileName: `${String(version).padStart(20, '0')}.${UUID}.json`, size: 1, modifiedMs: 7 }
}

/** Versions 0 and 1 are published, 2 is staged; a file of version 3 lies there that nobody ratified. */
async function managed(): Promise<ObjectStore> {
  const info = (inCommitTimestamp: number) => ({ commitInfo: { inCommitTimestamp, operation: 'WRITE' } })
  const { metaData } = metadata({ configuration: { 'delta.enableInCommitTimestamps': 'true' } })
  const store = await logOf([
    [info(100), PROTOCOL, { metaData: metaData! }, add('a')],
    [info(200), add('published')],
    undefined,
    [info(900), add('nobody')],
  ])
  const staged = (version: number) => `_delta_log/_staged_commits/${commit(version).fileName}`
  await store.put(staged(1), lines([info(201), add('ratified')]))
  await store.put(staged(2), lines([info(300), remove('a'), add('c')]))
  return store
}

async function filesOf(store: ObjectStore, version?: number): Promise<string[]> {
  const snapshot = await loadSnapshot(store, jsonLogEngine, version === undefined ? {} : { version })
  const paths: string[] = []
  for await (const page of snapshot.files.select()) paths.push(...page.map(({ path }) => path))
  return paths.sort()
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error = await work.catch((caught: unknown) => caught)
  return isDeltaError(error) ? error.code : undefined
}

describe('a table that a catalog manages', () => {
  it('is refused without the catalog', async () => {
    const store = await managed()
    await store.delete(commitKey(3))
    expect(await codeOf(loadSnapshot(store, jsonLogEngine))).toBe('LAKE_CATALOG_COMMITS_NEEDED')
  })

  it('reads what is ratified, before what is published, and nothing newer', async () => {
    const store = await managed()
    const published = ratifiedLog(store, { latestVersion: 1, commits: [] })
    expect(await filesOf(published)).toEqual(['a', 'published'])
    const catalog = { latestVersion: 2, commits: [commit(2), commit(1)] }
    const ratified = ratifiedLog(store, catalog)
    expect(await filesOf(ratified)).toEqual(['c', 'ratified'])
    expect(await filesOf(ratified, 1)).toEqual(['a', 'ratified'])
    expect(await codeOf(filesOf(ratified, 3))).toBe('DELTA_VERSION_NOT_FOUND')
    const entries = await history(ratified, jsonLogEngine)
    expect(entries.map(({ version, timestampMs }) => [version, timestampMs])).toEqual([
      [2, 300],
      [1, 201],
      [0, 100],
    ])
    expect(await codeOf(ratified.putIfAbsent('x', new Uint8Array()))).toBe('LAKE_STORAGE_READ_ONLY')
  })

  it('reads alike where the store cannot list', async () => {
    const store = await managed()
    const probed = { ...store, capabilities: { ...store.capabilities, list: false } }
    expect(await filesOf(ratifiedLog(probed, { latestVersion: 2, commits: [commit(2)] }))).toEqual(['c', 'published'])
  })

  it('takes no commit that is not named by its version', async () => {
    const store = await logOf([[METADATA]])
    for (const wrong of [{ ...commit(2), fileName: '../x.json' }, { ...commit(1), version: 2 }, commit(3)]) {
      const ratify = async () => ratifiedLog(store, { latestVersion: 2, commits: [wrong] })
      expect(await codeOf(ratify())).toBe('LAKE_CATALOG_COMMITS_INVALID')
    }
  })
})
