import { describe, expect, it } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { isDeltaTable, latestVersion, readCommit } from '../log/index.ts'
import { checkpointKey, commitKey, LAST_CHECKPOINT_KEY } from '../paths/index.ts'
import type { LogEngine } from './file-index.ts'
import { loadSnapshot, type SnapshotOptions } from './load.ts'
import type { Snapshot } from './snapshot.ts'
import {
  add,
  jsonLogEngine,
  lines,
  logOf,
  METADATA,
  metadata,
  oneFileEach,
  PROTOCOL,
  putCheckpoint,
  remove,
} from './test-log.ts'

function load(store: ObjectStore, options: SnapshotOptions = {}): Promise<Snapshot> {
  return loadSnapshot(store, jsonLogEngine, options)
}

async function paths(snapshot: Snapshot): Promise<string[]> {
  const found: string[] = []
  for await (const page of snapshot.files.select()) found.push(...page.map((file) => file.path))
  return found.sort()
}

function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (isDeltaError(error) ? `${error.code}: ${error.message}` : String(error)),
  )
}

describe('a partition column', () => {
  it('is one of the schema in its own spelling, for values go by it', async () => {
    const fields = metadata({ partitionColumns: ['Country'] })
    const store = await logOf([[PROTOCOL, fields, add('a', { partitionValues: { Country: 'DE' } })]])
    await expect(load(store)).rejects.toMatchObject({ code: 'DELTA_INVALID_SCHEMA' })
  })
})

describe('loadSnapshot', () => {
  it('replays commits from version 0', async () => {
    const store = await logOf([[PROTOCOL, METADATA, add('a'), add('b', { size: 5 })], [remove('a')], [add('c')]])
    const snapshot = await load(store)
    expect(snapshot.version).toBe(2)
    expect(await paths(snapshot)).toEqual(['b', 'c'])
    expect(await snapshot.files.totals()).toEqual({ numFiles: 2, sizeInBytes: 15 })
    expect(snapshot.schema.fields.map((field) => field.name)).toEqual(['order', 'country'])
    expect(snapshot.segment).toEqual({ checkpointVersion: undefined, commits: [0, 1, 2] })
    expect(snapshot.timestampMs).toBe(1000)
  })

  it('gives an older version when asked', async () => {
    const store = await logOf(oneFileEach(5))
    expect(await paths(await load(store, { version: 2 }))).toEqual(['f0', 'f1', 'f2'])
  })

  it('names the versions there are when another is asked for', async () => {
    const store = await logOf(oneFileEach(3))
    expect(await errorOf(load(store, { version: 7 }))).toBe(
      'DELTA_VERSION_NOT_FOUND: version 7 is not in the log of memory; it holds 0 to 2',
    )
  })

  it('says the same of what can be no version', async () => {
    const store = await logOf(oneFileEach(3))
    for (const version of [-1, 1.5, Number.NaN, 2 ** 60]) {
      expect(await errorOf(load(store, { version }))).toMatch(/^DELTA_VERSION_NOT_FOUND.*it holds 0 to 2$/)
      expect(await errorOf(readCommit(store, version))).toMatch(/^DELTA_VERSION_NOT_FOUND/)
    }
  })

  it('keeps the newest txn of an application and the newest domain, removed ones left out', async () => {
    const domain = (configuration: string, removed = false) => ({
      domainMetadata: { domain: 'd', configuration, removed },
    })
    const txn = (version: string) => ({ txn: { appId: 'app', version } })
    const store = await logOf([
      [PROTOCOL, METADATA, txn('9007199254740993'), domain('1')],
      [txn('5')],
      [domain('', true)],
    ])
    const first = await load(store, { version: 0 })
    expect(first.transactions.get('app')?.version).toBe(9007199254740993n)
    expect(first.domains.get('d')?.configuration).toBe('1')
    const last = await load(store)
    expect(last.transactions.get('app')?.version).toBe(5n)
    expect(last.domains.size).toBe(0)
  })

  it('starts from the newest complete checkpoint', async () => {
    const store = await logOf([undefined, undefined, undefined, [add('new')]])
    await putCheckpoint(store, 2, [PROTOCOL, METADATA, add('old'), remove('gone')])
    const snapshot = await load(store)
    expect(await paths(snapshot)).toEqual(['new', 'old'])
    expect(snapshot.segment).toEqual({ checkpointVersion: 2, commits: [3] })
  })

  it('falls back to an older checkpoint, then to version 0, when one cannot be read', async () => {
    const store = await logOf(oneFileEach(6))
    await putCheckpoint(store, 2, [PROTOCOL, METADATA, add('f0'), add('f1'), add('f2')])
    await store.put('_delta_log/00000000000000000004.checkpoint.parquet', encodeUtf8('{"cut'))
    const warnings: string[] = []
    const snapshot = await load(store, { onWarning: (text) => warnings.push(text) })
    expect(snapshot.segment.checkpointVersion).toBe(2)
    expect(await paths(snapshot)).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5'])
    expect(warnings.filter((text) => text.includes('00000000000000000004.checkpoint'))).toHaveLength(1)
    await store.put('_delta_log/00000000000000000002.checkpoint.parquet', encodeUtf8('{"cut'))
    expect((await load(store)).segment.checkpointVersion).toBeUndefined()
  })

  it('falls back below the version its hint names', async () => {
    const store = await logOf(oneFileEach(6))
    await putCheckpoint(store, 1, [PROTOCOL, METADATA, add('f0'), add('f1')])
    await store.put('_delta_log/00000000000000000004.checkpoint.parquet', encodeUtf8('{"cut'))
    await store.put(LAST_CHECKPOINT_KEY, encodeUtf8('{"version":4,"size":3}'))
    const snapshot = await load(store)
    expect(snapshot.segment.checkpointVersion).toBe(1)
    expect((await snapshot.files.totals()).numFiles).toBe(6)
  })

  it('names the checkpoint when it is damaged and there is nothing else', async () => {
    const store = await logOf([undefined, undefined, [add('a')]])
    await store.put('_delta_log/00000000000000000001.checkpoint.parquet', encodeUtf8('{"cut'))
    const warnings: string[] = []
    expect(await errorOf(load(store, { onWarning: (text) => warnings.push(text) }))).toMatch(
      /^FAILED_READ_FILE.NO_HINT: _delta_log\/\d{19}1.checkpoint.parquet cannot be read: [^;]*; nothing else in the log gives this version$/,
    )
    expect(warnings.filter((text) => text.includes('passed over'))).toEqual([])
  })

  it('says once that a commit cannot be read', async () => {
    const store = await logOf([[PROTOCOL, METADATA], [add('a')]])
    await store.put(commitKey(1), encodeUtf8('{"add":5'))
    expect(await errorOf(load(store))).toMatch(
      /^FAILED_READ_FILE.NO_HINT: _delta_log\/\d{19}1.json cannot be read: line 1: not JSON [^;]*; version 0 may still be readable$/,
    )
  })

  it('does not blame a checkpoint for a damaged commit', async () => {
    const store = await logOf([undefined, undefined, [add('a')]])
    await putCheckpoint(store, 1, [PROTOCOL, METADATA])
    await store.put(commitKey(2), encodeUtf8('{"add":{"path":"a"}}'))
    expect(await errorOf(load(store))).toMatch(
      /^FAILED_READ_FILE.NO_HINT: _delta_log\/00000000000000000002.json.*size is missing/,
    )
  })

  it('reads a checkpoint with sidecars, and passes one over whose sidecar is missing', async () => {
    const store = await logOf(oneFileEach(3))
    const sidecar = { sidecar: { path: 's%201.parquet', sizeInBytes: 1, modificationTime: 0 } }
    const main = '_delta_log/00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json'
    await store.put(main, lines([{ checkpointMetadata: { version: 1 } }, PROTOCOL, METADATA, sidecar]))
    await store.put('_delta_log/_sidecars/s 1.parquet', lines([add('f0'), add('f1')]))
    const whole = await load(store)
    expect(whole.segment.checkpointVersion).toBe(1)
    expect(await paths(whole)).toEqual(['f0', 'f1', 'f2'])
    await store.delete('_delta_log/_sidecars/s 1.parquet')
    const fallen = await load(store)
    expect(await paths(fallen)).toEqual(['f0', 'f1', 'f2'])
    expect(fallen.warnings.filter((text) => text.includes('was passed over'))).toHaveLength(1)
  })

  it('uses a multi-part checkpoint only when all parts are there', async () => {
    const store = await logOf(oneFileEach(3))
    const part = (n: number) => `_delta_log/00000000000000000001.checkpoint.000000000${n}.0000000002.parquet`
    await store.put(part(1), lines([PROTOCOL, METADATA, add('f0')]))
    expect((await load(store)).segment.checkpointVersion).toBeUndefined()
    await store.put(part(2), lines([add('f1')]))
    const snapshot = await load(store)
    expect(snapshot.segment.checkpointVersion).toBe(1)
    expect(await paths(snapshot)).toEqual(['f0', 'f1', 'f2'])
  })

  it('lets a compacted file stand in only for commits that are gone', async () => {
    const store = await logOf(oneFileEach(4))
    const compacted = '_delta_log/00000000000000000001.00000000000000000002.compacted.json'
    await store.put(compacted, lines([add('wrong')]))
    expect(await paths(await load(store))).toEqual(['f0', 'f1', 'f2', 'f3'])
    await store.put(compacted, lines([add('f1'), add('f2')]))
    await store.delete(commitKey(1))
    const warnings: string[] = []
    expect(await paths(await load(store, { onWarning: (text) => warnings.push(text) }))).toEqual([
      'f0',
      'f1',
      'f2',
      'f3',
    ])
    expect(warnings).toEqual([`the commits 1 to 2 are gone; ${compacted} stands in for them`])
  })

  it('refuses an unknown reader feature by its name, before anything else', async () => {
    const protocol = { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ['blahabl', 'deletionVectors'] }
    const store = await logOf([[{ protocol: { ...protocol, writerFeatures: [] } }, metadata({ schemaString: '{' })]])
    expect(await errorOf(load(store))).toBe(
      'DELTA_UNSUPPORTED_FEATURES_FOR_READ: reading memory needs the table features blahabl, which this version does not read',
    )
  })

  it('refuses versions that do not exist and protocols that are no pair', async () => {
    const withProtocol = (protocol: Record<string, number>) => logOf([[{ protocol }, METADATA]])
    expect(await errorOf(load(await withProtocol({ minReaderVersion: 5, minWriterVersion: 7 })))).toMatch(
      /^DELTA_INVALID_PROTOCOL_VERSION/,
    )
    expect(await errorOf(load(await withProtocol({ minReaderVersion: 3, minWriterVersion: 5 })))).toMatch(
      /^LAKE_PROTOCOL_MALFORMED/,
    )
  })

  it('says which action a log lacks', async () => {
    expect(await errorOf(load(await logOf([[PROTOCOL]])))).toMatch(/^DELTA_STATE_RECOVER_ERROR.*metaData/)
    expect(await errorOf(load(await logOf([[METADATA]])))).toMatch(/^DELTA_STATE_RECOVER_ERROR.*protocol/)
  })

  it('refuses a commit with two protocols or two metaData actions', async () => {
    const twice = await logOf([[PROTOCOL, METADATA, METADATA]])
    expect(await errorOf(load(twice))).toMatch(/^FAILED_READ_FILE.NO_HINT.*it holds 2 metaData actions/)
  })

  it('refuses a commit that adds a file twice, in whatever spelling and under whatever deletion vector', async () => {
    const deletionVector = { storageType: 'u', pathOrInlineDv: 'x', offset: 1, sizeInBytes: 36, cardinality: 2 }
    for (const again of [add('a b'), add('a%20b'), add('a%20b', { deletionVector })]) {
      const twice = await logOf([[PROTOCOL, METADATA, add('a%20b'), add('other'), again]])
      expect(await errorOf(load(twice))).toMatch(/^FAILED_READ_FILE.NO_HINT.*it adds a(%20| )b twice/)
    }
  })

  it('says where no table is', async () => {
    const store = await logOf([])
    await store.put('_delta_log/_commit_1.json.tmp', encodeUtf8('{}'))
    expect(await isDeltaTable(store)).toBe(false)
    expect(await errorOf(load(store))).toMatch(/^DELTA_TABLE_NOT_FOUND/)
    expect(await errorOf(latestVersion(store))).toMatch(/^DELTA_TABLE_NOT_FOUND/)
  })

  it('lists again when commits were cleaned up behind its back', async () => {
    const store = await logOf(oneFileEach(4))
    const { list } = store
    let listings = 0
    store.list = async function* (options) {
      listings++
      yield* list(options)
      if (listings > 1) return
      await putCheckpoint(store, 2, [PROTOCOL, METADATA, add('all')])
      for (const version of [0, 1, 2]) await store.delete(commitKey(version))
    }
    const snapshot = await load(store)
    expect(snapshot.segment).toEqual({ checkpointVersion: 2, commits: [3] })
    expect(listings).toBe(2)
  })

  it('stops when its signal is aborted', async () => {
    const store = await logOf(oneFileEach(2))
    expect(await errorOf(load(store, { signal: AbortSignal.abort() }))).toMatch(/^LAKE_CANCELLED/)
  })
})

describe('the signal of a load', () => {
  it('goes with the reads of that load, and the signal of a question with those of the question', async () => {
    const store = await logOf(oneFileEach(3))
    await putCheckpoint(store, 1, [PROTOCOL, METADATA, add('all')])
    const signals: (AbortSignal | undefined)[] = []
    const { get } = store
    store.get = (key, options) => {
      if (key.includes('checkpoint.parquet')) signals.push(options?.signal)
      return get(key, options)
    }
    let later: ObjectStore | undefined
    const opened: (AbortSignal | undefined)[] = []
    const engine: LogEngine = {
      ...jsonLogEngine,
      openFileIndex: (source) => {
        later = source.store
        opened.push(source.signal)
        return jsonLogEngine.openFileIndex(source)
      },
    }
    const { signal } = new AbortController()
    const snapshot = await loadSnapshot(store, engine, { signal })
    expect(signals.length).toBeGreaterThan(0)
    expect(signals.every((given) => given === signal)).toBe(true)
    const question = new AbortController().signal
    await snapshot.files.totals({ signal: question })
    expect(opened).toEqual([question])
    signals.length = 0
    await later!.get(checkpointKey(1))
    expect(signals).toEqual([undefined])
  })
})

describe('the list of files', () => {
  function counting(): { engine: LogEngine; opened: number[] } {
    const opened: number[] = []
    const openFileIndex: LogEngine['openFileIndex'] = (source) => {
      opened.push(source.version)
      return jsonLogEngine.openFileIndex(source)
    }
    return { engine: { ...jsonLogEngine, openFileIndex }, opened }
  }

  it('is read when it is first asked for, with the commits that came before', async () => {
    const store = await logOf(oneFileEach(3))
    await putCheckpoint(store, 1, [PROTOCOL, METADATA, add('f0'), add('f1')])
    const { engine, opened } = counting()
    const old = await loadSnapshot(store, engine)
    await store.put(commitKey(3), lines([remove('f0'), add('f3')]))
    const fresh = await old.refresh()
    expect(opened).toEqual([])
    expect(await paths(fresh)).toEqual(['f1', 'f2', 'f3'])
    expect(await paths(fresh)).toEqual(['f1', 'f2', 'f3'])
    expect(opened).toEqual([3])
    expect(await paths(old)).toEqual(['f0', 'f1', 'f2'])
    expect(opened).toEqual([3, 2])
  })

  it('is read anew where the log was cleaned up since the load', async () => {
    const store = await logOf(oneFileEach(3))
    await putCheckpoint(store, 1, [PROTOCOL, METADATA, add('f0'), add('f1')])
    // too large to be held
    const { list } = store
    store.list = async function* (options) {
      for await (const page of list(options)) yield page.map((object) => ({ ...object, size: 2 ** 30 }))
    }
    const snapshot = await load(store)
    await putCheckpoint(store, 2, [PROTOCOL, METADATA, add('f0'), add('f1'), add('f2')])
    await store.delete(checkpointKey(1))
    expect(await paths(snapshot)).toEqual(['f0', 'f1', 'f2'])
  })

  it('is asked for again after a question that was cancelled', async () => {
    const store = await logOf(oneFileEach(3))
    const { engine, opened } = counting()
    const { files } = await loadSnapshot(store, engine)
    const cancelled = errorOf(files.totals({ signal: AbortSignal.abort() }))
    const other = files.totals()
    expect(await cancelled).toMatch(/^LAKE_CANCELLED/)
    expect((await other).numFiles).toBe(3)
    expect(opened).toEqual([2, 2])
  })
})

describe('refresh', () => {
  it('takes in new commits and leaves the older snapshot as it was', async () => {
    const store = await logOf(oneFileEach(3))
    const old = await load(store)
    expect(await old.refresh()).toBe(old)
    await store.put(commitKey(3), lines([remove('f0'), add('f3'), { txn: { appId: 'a', version: 1 } }]))
    await store.put(commitKey(4), lines([add('f4')]))
    const fresh = await old.refresh()
    expect(fresh.version).toBe(4)
    expect(await paths(fresh)).toEqual(['f1', 'f2', 'f3', 'f4'])
    expect((await fresh.files.totals()).numFiles).toBe(4)
    expect(fresh.transactions.get('a')?.version).toBe(1n)
    expect(await paths(old)).toEqual(['f0', 'f1', 'f2'])
    expect(old.transactions.size).toBe(0)
  })

  it('reads nothing but the new commits', async () => {
    const store = await logOf(oneFileEach(3))
    const old = await load(store)
    await store.put(commitKey(3), lines([add('f3')]))
    const reads: string[] = []
    const get = store.get
    store.get = async (key, options) => {
      reads.push(key)
      return await get(key, options)
    }
    await old.refresh()
    expect(reads).toEqual([commitKey(3)])
  })

  it('goes on from the newest when an older snapshot is refreshed again', async () => {
    const store = await logOf(oneFileEach(1))
    const old = await load(store)
    await store.put(commitKey(1), lines([add('f1')]))
    const [first, second] = await Promise.all([old.refresh(), old.refresh()])
    expect(second).toBe(first)
    await store.put(commitKey(2), lines([add('f2')]))
    expect(await paths(await old.refresh())).toEqual(['f0', 'f1', 'f2'])
    await first.close()
    await store.put(commitKey(3), lines([add('f3')]))
    expect(await paths(await old.refresh())).toEqual(['f0', 'f1', 'f2', 'f3'])
  })

  it('loads the table anew when commits are gone or partitioning changed', async () => {
    const store = await logOf(oneFileEach(2))
    const old = await load(store)
    await putCheckpoint(store, 4, [PROTOCOL, METADATA, add('x')])
    await store.put(commitKey(5), lines([add('y')]))
    expect(await paths(await old.refresh())).toEqual(['x', 'y'])
    const next = await old.refresh()
    await store.put(commitKey(6), lines([metadata({ partitionColumns: ['country'] })]))
    const partitioned = await next.refresh()
    expect(partitioned.partitionColumns).toEqual(['country'])
  })

  it('recovers after a refresh that failed', async () => {
    const store = await logOf(oneFileEach(2))
    const old = await load(store)
    await store.put(commitKey(2), new Uint8Array())
    expect(await errorOf(old.refresh())).toMatch(/^FAILED_READ_FILE.NO_HINT/)
    await store.put(commitKey(2), lines([add('f2')]))
    expect(await paths(await old.refresh())).toEqual(['f0', 'f1', 'f2'])
  })

  it('checks the protocol of new commits', async () => {
    const store = await logOf(oneFileEach(2))
    const old = await load(store)
    const protocol = { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ['x'], writerFeatures: ['x'] }
    await store.put(commitKey(2), lines([{ protocol }]))
    expect(await errorOf(old.refresh())).toMatch(/^DELTA_UNSUPPORTED_FEATURES_FOR_READ/)
  })
})

describe('readCommit', () => {
  it('gives all actions with the time of the file', async () => {
    const store = await logOf([[PROTOCOL, METADATA, add('a'), { newKind: { x: 1 } }]])
    const commit = await readCommit(store, 0)
    expect(commit.actions.map((action) => Object.keys(action)[0])).toEqual(['protocol', 'metaData', 'add', 'unknown'])
    expect(commit.modifiedMs).toBe(1000)
    expect(await errorOf(readCommit(store, 1))).toMatch(/^DELTA_VERSION_NOT_FOUND.*it holds 0 to 0/)
  })
})
