import { describe, expect, it } from 'vitest'
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, type JsonObject } from '../../support/index.ts'
import { checkpointPartKey, commitKey, LAST_CHECKPOINT_KEY } from '../paths/index.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import {
  add,
  jsonLogEngine,
  lines,
  logOf,
  METADATA,
  oneFileEach,
  PROTOCOL,
  putCheckpoint,
} from '../snapshot/test-log.ts'
import { isDeltaTable, latestVersion } from './table-log.ts'

/** The same store without `list`, which answers 403 for what is not there, and remembers what was asked. */
function withoutList(store: ObjectStore): ObjectStore & { readonly asked: string[] } {
  const asked: string[] = []
  const denied = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    asked.push(key)
    try {
      return await work()
    } catch (cause) {
      if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
      throw deltaError('LAKE_STORAGE_ACCESS_DENIED', { operation: 'GET', key, cause: '403' })
    }
  }
  return {
    ...store,
    asked,
    capabilities: { write: false, list: false },
    get: (key, options) => denied(key, () => store.get(key, options)),
    head: (key, options) => denied(key, () => store.head(key, options)),
    list: () => {
      throw deltaError('LAKE_STORAGE_UNSUPPORTED', { store: 'test', operation: 'list' })
    },
  }
}

const hint = (json: JsonObject) => encodeUtf8(JSON.stringify(json))
const files = async (store: ObjectStore, version?: number) => {
  const snapshot = await loadSnapshot(store, jsonLogEngine, version === undefined ? {} : { version })
  return [snapshot.version, (await snapshot.files.totals()).numFiles, snapshot.segment.checkpointVersion]
}

describe('a store that cannot list', () => {
  it('is probed from version 0 without a hint', async () => {
    const store = withoutList(await logOf(oneFileEach(70)))
    expect(await files(store)).toEqual([69, 70, undefined])
    expect(await files(store, 12)).toEqual([12, 13, undefined])
    expect(await latestVersion(store)).toBe(69)
    expect(await isDeltaTable(store)).toBe(true)
  })

  it('is probed from its hint on', async () => {
    const inner = await logOf(oneFileEach(25))
    for (let version = 0; version <= 20; version++) await inner.delete(commitKey(version))
    await putCheckpoint(inner, 20, [PROTOCOL, METADATA, add('all')])
    await inner.put(LAST_CHECKPOINT_KEY, hint({ version: 20, size: 3 }))
    const store = withoutList(inner)
    expect(await files(store)).toEqual([24, 5, 20])
    expect(store.asked.filter((key) => key.endsWith('.json') && key < commitKey(20))).toEqual([])
    expect(await files(store, 22)).toEqual([22, 3, 20])
  })

  it('finds the parts of a multi-part checkpoint and the main file of a V2 one', async () => {
    const inner = await logOf(oneFileEach(4))
    await inner.put(checkpointPartKey(2, 1, 2), lines([PROTOCOL, METADATA]))
    await inner.put(checkpointPartKey(2, 2, 2), lines([add('all')]))
    await inner.put(LAST_CHECKPOINT_KEY, hint({ version: 2, size: 3, parts: 2 }))
    expect(await files(withoutList(inner))).toEqual([3, 2, 2])
    const path = '00000000000000000002.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json'
    await inner.put(`_delta_log/${path}`, lines([PROTOCOL, METADATA, add('a'), add('b')]))
    await inner.put(LAST_CHECKPOINT_KEY, hint({ version: 2, size: 4, v2Checkpoint: { path } }))
    expect(await files(withoutList(inner))).toEqual([3, 3, 2])
  })

  it('gives versions below the hint from an older checkpoint that no file names', async () => {
    const inner = await logOf(oneFileEach(60))
    for (let version = 0; version < 10; version++) await inner.delete(commitKey(version))
    await putCheckpoint(inner, 10, [PROTOCOL, METADATA, add('ten')])
    await putCheckpoint(inner, 50, [PROTOCOL, METADATA, add('fifty')])
    await inner.put(LAST_CHECKPOINT_KEY, hint({ version: 50, size: 3 }))
    const store = withoutList(inner)
    expect(await files(store, 47)).toEqual([47, 38, 10])
    expect(await files(store)).toEqual([59, 10, 50])
  })

  it('does without a hint that lies', async () => {
    const inner = await logOf(oneFileEach(5))
    await inner.put(LAST_CHECKPOINT_KEY, hint({ version: 3, size: 3, parts: 9 }))
    expect(await files(withoutList(inner))).toEqual([4, 5, undefined])
  })

  it('is refreshed by probing', async () => {
    const inner = await logOf(oneFileEach(3))
    const snapshot = await loadSnapshot(withoutList(inner), jsonLogEngine)
    await inner.put(commitKey(3), lines([add('f3')]))
    expect((await snapshot.refresh()).version).toBe(3)
  })

  it('is no table when it answers with nothing', async () => {
    const store = withoutList(await logOf([]))
    expect(await isDeltaTable(store)).toBe(false)
    await expect(latestVersion(store)).rejects.toThrow('there is no Delta table at memory')
  })
})
