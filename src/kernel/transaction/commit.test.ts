import { describe, expect, test } from 'vitest'
import { deltaError, isDeltaError } from '../../errors/index.ts'
import { arrayType, field, integerType, longType, printSchema, stringType, structType } from '../../schema/index.ts'
import { faulty, memoryStore, type ObjectStore } from '../../storage/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { readCommit } from '../log/index.ts'
import { commitKey } from '../paths/index.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { jsonLogEngine } from '../snapshot/test-log.ts'
import type { CommitOptions, CommitOutcome } from './commit.ts'
import { createTable } from './create-table.ts'
import { IDENTITY_MARK } from './identity-marks.ts'
import { planMetadataChange, type TableSpec } from './plan-metadata.ts'
import { beginTransaction, type Transaction } from './transaction.ts'

const clock = { now: () => 1_700_000_000_000 }
const schema = structType([field('id', longType), field('country', stringType)])

async function tableOf(
  spec: Partial<TableSpec> = {},
  store: ObjectStore = memoryStore({ clock }),
): Promise<ObjectStore> {
  await createTable(store, jsonLogEngine, { schema, ...spec }, { operation: 'CREATE TABLE', clock })
  return store
}

const load = (store: ObjectStore) => loadSnapshot(store, jsonLogEngine)

function file(path: string, partition: Record<string, string | null> = {}): AddFile {
  return {
    path,
    partitionValues: new Map(Object.entries(partition)),
    size: 10,
    modificationTime: 0,
    dataChange: true,
    stats: '{"numRecords":1}',
  }
}

const write = (snapshot: Snapshot): Transaction => beginTransaction(snapshot, { operation: 'WRITE' })
const quick: CommitOptions = { clock, firstDelayMs: 1, settleMs: 50, random: () => 0.5 }

async function liveFiles(store: ObjectStore): Promise<string[]> {
  const paths: string[] = []
  for await (const page of (await load(store)).files.select()) paths.push(...page.map((f) => f.path))
  return paths.sort()
}

const code = (outcome: CommitOutcome) => (outcome.kind === 'conflict' ? outcome.error.code : outcome.kind)

describe('a commit', () => {
  test('is the next version, commitInfo first', async () => {
    const store = await tableOf()
    const outcome = await beginTransaction(await load(store), {
      operation: 'WRITE',
      operationParameters: { mode: 'Append', partitionBy: '[]' },
      userMetadata: 'hello',
      engineInfo: 'test',
    })
      .addFiles([file('a')])
      .setTransaction({ appId: 'app', version: 9007199254740993n })
      .setMetrics({ numFiles: 1, numOutputRows: 1n })
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'committed', version: 1, timestampMs: clock.now(), losses: 0 })
    const { actions } = await readCommit(store, 1)
    expect(actions[0]).toEqual({
      commitInfo: {
        timestamp: clock.now(),
        operation: 'WRITE',
        operationParameters: { mode: 'Append', partitionBy: '[]' },
        readVersion: 0,
        isolationLevel: 'Serializable',
        isBlindAppend: true,
        operationMetrics: { numFiles: '1', numOutputRows: '1' },
        userMetadata: 'hello',
        engineInfo: 'test',
        txnId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    })
    const snapshot = await load(store)
    expect(snapshot.transactions.get('app')?.version).toBe(9007199254740993n)
  })

  test('a removed file repeats the text of its path and keeps its place', async () => {
    const store = await tableOf({ partitionColumns: ['country'] })
    const path = 'country=a%2520b/part%20one'
    await write(await load(store))
      .addFiles([file(path, { country: 'a b' })])
      .commit(quick)
    const snapshot = await load(store)
    const live = (await snapshot.files.find(path))!
    await write(snapshot)
      .readsTable()
      .removeFiles([live])
      .addFiles([file('new', { country: null })])
      .commit(quick)
    const { actions } = await readCommit(store, 2)
    expect(actions.find((action) => 'remove' in action)).toEqual({
      remove: {
        path,
        dataChange: true,
        extendedFileMetadata: true,
        partitionValues: new Map([['country', 'a b']]),
        size: 10,
        deletionTimestamp: clock.now(),
      },
    })
    expect(await liveFiles(store)).toEqual(['new'])
  })

  test('an append-only table keeps its rows', async () => {
    const store = await tableOf({ configuration: new Map([['delta.appendOnly', 'true']]) })
    await write(await load(store))
      .addFiles([file('a')])
      .commit(quick)
    const snapshot = await load(store)
    const live = [(await snapshot.files.find('a'))!]
    await expect(write(snapshot).removeFiles(live).commit(quick)).rejects.toMatchObject({
      code: 'DELTA_CANNOT_MODIFY_APPEND_ONLY',
    })
    const compaction = write(snapshot)
      .removeFiles(live, { dataChange: false })
      .addFiles([{ ...file('b'), dataChange: false }])
    expect((await compaction.commit(quick)).kind).toBe('committed')
  })

  test('a file without its partition values is a fault of the caller', async () => {
    const store = await tableOf({ partitionColumns: ['country'] })
    await expect(
      write(await load(store))
        .addFiles([file('a')])
        .commit(quick),
    ).rejects.toMatchObject({
      code: 'LAKE_INTERNAL',
    })
    expect((await load(store)).version).toBe(0)
  })

  test('in-commit timestamps rise, whatever the clock says', async () => {
    const store = await tableOf({ configuration: new Map([['delta.enableInCommitTimestamps', 'true']]) })
    for (const path of ['a', 'b'])
      await write(await load(store))
        .addFiles([file(path)])
        .commit(quick)
    const times = []
    for (const version of [0, 1, 2]) {
      const [first] = (await readCommit(store, version)).actions
      times.push(first !== undefined && 'commitInfo' in first && first.commitInfo.inCommitTimestamp)
    }
    expect(times).toEqual([clock.now(), clock.now() + 1, clock.now() + 2])
  })

  test('a table that gets in-commit timestamps later says from when on', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const set = new Map([['delta.enableInCommitTimestamps', 'true']])
    const { metadata, protocol } = planMetadataChange(snapshot, { set }, 'here')
    await write(snapshot).setMetadata(metadata).setProtocol(protocol!).commit(quick)
    const { configuration, protocol: after } = await load(store)
    expect(configuration.get('delta.inCommitTimestampEnablementVersion')).toBe('1')
    expect(configuration.get('delta.inCommitTimestampEnablementTimestamp')).toBe(String(clock.now() + 1))
    expect(after.writerFeatures).toEqual(['appendOnly', 'inCommitTimestamp', 'invariants'])
  })
})

describe('UP-01: an answer that was lost', () => {
  test('is settled by the log at every call, and the rows stand once', async () => {
    for (const when of ['before', 'after-effect'] as const) {
      for (let failCall = 1; failCall <= 3; failCall++) {
        const store = await tableOf()
        const snapshot = await load(store)
        const bad = faulty(store, { failCall, when })
        const outcome = await beginTransaction({ ...snapshot, store: bad } as unknown as Snapshot, {
          operation: 'WRITE',
        })
          .addFiles([file('a')])
          .commit(quick)
        expect(outcome).toMatchObject({ kind: 'committed', version: 1 })
        expect(await liveFiles(store)).toEqual(['a'])
        expect((await load(store)).version).toBe(1)
      }
    }
  })

  test('an exists that hides our own first try is ours', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const hiding: ObjectStore = {
      ...store,
      putIfAbsent: async (key, bytes) => {
        await store.putIfAbsent(key, bytes)
        return 'exists'
      },
    }
    const outcome = await beginTransaction({ ...snapshot, store: hiding } as unknown as Snapshot, {
      operation: 'WRITE',
    })
      .addFiles([file('a')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'committed', version: 1, losses: 0 })
  })

  test("another's commit is a loss, and the data files go into the next version", async () => {
    const store = await tableOf()
    const [first, second] = [await load(store), await load(store)]
    await write(first)
      .addFiles([file('a')])
      .commit(quick)
    const outcome = await write(second)
      .addFiles([file('b')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'committed', version: 2, losses: 1 })
    expect(await liveFiles(store)).toEqual(['a', 'b'])
  })

  test('is unknown while the log cannot be read, and is never sent again', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    let puts = 0
    const dark: ObjectStore = {
      ...store,
      putIfAbsent: async (key, bytes) => {
        puts++
        await store.putIfAbsent(key, bytes)
        throw new Error('the connection was reset')
      },
      get: () => Promise.reject(new Error('the connection was reset')),
    }
    const outcome = await beginTransaction({ ...snapshot, store: dark } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('a')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'unknown', version: 1 })
    expect(puts).toBe(1)
  })
})

describe('UP-34: answers of a store', () => {
  test('nine taken versions cost one listing, not nine tries', async () => {
    const store = await tableOf()
    const late = await load(store)
    for (let i = 0; i < 9; i++)
      await write(await load(store))
        .addFiles([file(`f${i}`)])
        .commit(quick)
    let lists = 0
    let puts = 0
    const counting: ObjectStore = {
      ...store,
      list: (options) => {
        lists++
        return store.list(options)
      },
      putIfAbsent: (key, bytes) => {
        puts++
        return store.putIfAbsent(key, bytes)
      },
    }
    const outcome = await beginTransaction({ ...late, store: counting } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('late')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'committed', version: 10, losses: 1 })
    expect([lists, puts]).toEqual([1, 2])
  })

  test('a refusal is thrown and leaves nothing behind', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const denied: ObjectStore = {
      ...store,
      putIfAbsent: async () => {
        throw deltaError('LAKE_STORAGE_ACCESS_DENIED', {
          operation: 'putIfAbsent',
          key: 'k',
          cause: '403',
        })
      },
    }
    const commit = beginTransaction({ ...snapshot, store: denied } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('a')])
      .commit(quick)
    await expect(commit).rejects.toMatchObject({ code: 'LAKE_STORAGE_ACCESS_DENIED' })
    expect((await load(store)).version).toBe(0)
  })

  test('a store that keeps failing leaves the end open, for what was sent may still arrive', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const failing: ObjectStore = {
      ...store,
      putIfAbsent: (key) =>
        Promise.reject(deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'putIfAbsent', key, cause: '503' })),
    }
    const outcome = await beginTransaction({ ...snapshot, store: failing } as unknown as Snapshot, {
      operation: 'WRITE',
    })
      .addFiles([file('a')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'unknown', version: 1, cause: { code: 'LAKE_STORAGE_UNAVAILABLE' } })
  })

  test('a commit cancelled before it was sent is not there; one cancelled behind its effect is', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const signal = AbortSignal.abort()
    const commit = write(snapshot)
      .addFiles([file('a')])
      .commit({ ...quick, signal })
    await expect(commit).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
    expect((await load(store)).version).toBe(0)

    const controller = new AbortController()
    const cut: ObjectStore = {
      ...store,
      putIfAbsent: async (key, bytes) => {
        await store.putIfAbsent(key, bytes)
        controller.abort()
        throw deltaError('LAKE_CANCELLED', { what: 'the put' })
      },
    }
    const outcome = await beginTransaction({ ...snapshot, store: cut } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('a')])
      .commit({ ...quick, signal: controller.signal })
    expect(outcome).toMatchObject({ kind: 'committed', version: 1 })
  })

  test('a refusal behind an unanswered try leaves the end open too', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const answers = ['LAKE_STORAGE_UNAVAILABLE', 'LAKE_STORAGE_ACCESS_DENIED'] as const
    let call = 0
    const moody: ObjectStore = {
      ...store,
      putIfAbsent: (key) => Promise.reject(deltaError(answers[call++]!, { operation: 'putIfAbsent', key, cause: 'x' })),
    }
    const outcome = await beginTransaction({ ...snapshot, store: moody } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('a')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'unknown', cause: { code: 'LAKE_STORAGE_ACCESS_DENIED' } })
  })

  test('so many real losses end it', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    let version = 0
    const busy: ObjectStore = {
      ...store,
      putIfAbsent: async (key, bytes) => {
        version++
        await write(await load(store))
          .addFiles([file(`other${version}`)])
          .commit(quick)
        return store.putIfAbsent(key, bytes)
      },
    }
    const outcome = await beginTransaction({ ...snapshot, store: busy } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('a')])
      .commit({ ...quick, maxLosses: 8 })
    expect(code(outcome)).toBe('DELTA_MAX_COMMIT_RETRIES_EXCEEDED')
    expect(version).toBe(8)
  })

  test('a listing that misses a commit made while it went on is looked at again', async () => {
    const store = await tableOf()
    const late = await load(store)
    for (let i = 0; i < 4; i++)
      await write(await load(store))
        .addFiles([file(`f${i}`)])
        .commit(quick)
    let lists = 0
    const growing: ObjectStore = {
      ...store,
      list: async function* (options) {
        const isFirst = lists++ === 0
        for await (const page of store.list(options)) yield page.filter(({ key }) => !isFirst || key !== commitKey(3))
      },
    }
    const outcome = await beginTransaction({ ...late, store: growing } as unknown as Snapshot, { operation: 'WRITE' })
      .addFiles([file('late')])
      .commit(quick)
    expect(outcome).toMatchObject({ kind: 'committed', version: 5, losses: 1 })
    lists = 0
    expect((await loadSnapshot(growing, jsonLogEngine)).version).toBe(5)
  })

  test('a gap behind the lost version is an error naming it', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    await write(snapshot)
      .addFiles([file('a')])
      .commit(quick)
    await store.put(commitKey(5), encodeUtf8('{"commitInfo":{}}\n'))
    const late = write(snapshot)
      .addFiles([file('b')])
      .commit(quick)
    await expect(late).rejects.toMatchObject({ code: 'DELTA_VERSIONS_NOT_CONTIGUOUS', details: { missing: 2 } })
  })
})

test('racing appends all land, each in a version of its own', async () => {
  const store = await tableOf()
  const writers = Array.from({ length: 20 }, async (_, i) => {
    const snapshot = await load(store)
    return write(snapshot)
      .addFiles([file(`f${i}`)])
      .commit({ clock, firstDelayMs: 1 })
  })
  const versions = (await Promise.all(writers)).map((outcome) => (outcome.kind === 'committed' ? outcome.version : -1))
  expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  expect(await liveFiles(store)).toHaveLength(20)
})

describe('two writers', () => {
  type Step = (snapshot: Snapshot) => Promise<Transaction>

  const append: Step = async (s) => write(s).addFiles([file('new', { country: 'DE' })])
  const appendFrance: Step = async (s) => write(s).addFiles([file('new-fr', { country: 'FR' })])
  const overwrite: Step = async (s) => {
    const live = [(await s.files.find('de'))!, (await s.files.find('fr'))!]
    return write(s)
      .readsTable()
      .removeFiles(live)
      .addFiles([file('all', { country: 'DE' })])
  }
  const germany = {
    kind: 'compare',
    op: '=',
    value: 'DE',
    column: { path: ['country'], name: ['country'], type: stringType, partition: true },
  } as const
  const updateGermany: Step = async (s) => {
    const live = [(await s.files.find('de'))!]
    return write(s)
      .reads(germany, live)
      .removeFiles(live)
      .addFiles([file('de2', { country: 'DE' })])
  }
  const compact: Step = async (s) => {
    const live = [(await s.files.find('de'))!]
    return write(s)
      .removeFiles(live, { dataChange: false })
      .addFiles([{ ...file('de-compact', { country: 'DE' }), dataChange: false }])
  }
  const addColumn: Step = async (s) => {
    const wider = structType([...s.schema.fields, field('amount', integerType)])
    return write(s).setMetadata(planMetadataChange(s, { schema: wider }, 'here').metadata)
  }
  const setProperty =
    (key: string, value: string): Step =>
    async (s) => {
      const { metadata, protocol } = planMetadataChange(s, { set: new Map([[key, value]]) }, 'here')
      const t = write(s).setMetadata(metadata)
      return protocol === undefined ? t : t.setProtocol(protocol)
    }
  const moveMark: Step = async (s) => {
    const [first, ...rest] = s.schema.fields
    const marked = structType([{ ...first!, metadata: { ...first!.metadata, [IDENTITY_MARK]: 7 } }, ...rest])
    return write(s).setMetadata({ ...s.metadata, schemaString: printSchema(marked) })
  }
  const enableFeature =
    (name: string): Step =>
    async (s) => {
      const set = new Map([[`delta.feature.${name}`, 'supported']])
      return write(s).setProtocol(planMetadataChange(s, { set }, 'here').protocol!)
    }
  const forApp: Step = async (s) =>
    write(s)
      .addFiles([file('app', { country: 'DE' })])
      .setTransaction({ appId: 'a', version: 1n })
  const setDomain: Step = async (s) => write(s).setDomain({ domain: 'mine', configuration: '{}', removed: false })

  test.each<[string, Step, Step, string]>([
    ['append, append', append, appendFrance, 'committed'],
    ['append, overwrite', append, overwrite, 'committed'],
    ['append, compaction', append, compact, 'committed'],
    ['overwrite, append', overwrite, append, 'DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT'],
    ['overwrite, overwrite', overwrite, overwrite, 'DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT'],
    ['update of a partition, append to it', updateGermany, append, 'DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT'],
    ['update of a partition, append to another', updateGermany, appendFrance, 'committed'],
    ['update of a partition, compaction of it', updateGermany, compact, 'DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT'],
    ['compaction, compaction', compact, compact, 'DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT'],
    ['compaction, append', compact, append, 'committed'],
    ['append, add column', append, addColumn, 'DELTA_METADATA_CHANGED'],
    ['add column, append', addColumn, append, 'committed'],
    ['append, a property of the user', append, setProperty('owner', 'me'), 'DELTA_METADATA_CHANGED'],
    ['append, enabling deletion vectors', append, setProperty('delta.enableDeletionVectors', 'true'), 'committed'],
    ['append, a mark of an identity column', append, moveMark, 'committed'],
    ['a mark of an identity column, another', moveMark, moveMark, 'DELTA_METADATA_CHANGED'],
    ['append, a feature that binds nobody', append, enableFeature('vacuumProtocolCheck'), 'committed'],
    ['append, a feature that binds everybody', append, enableFeature('allowColumnDefaults'), 'DELTA_PROTOCOL_CHANGED'],
    ['append, a feature not kept here', append, enableFeature('domainMetadata'), 'committed'],
    ['one application twice', forApp, forApp, 'DELTA_CONCURRENT_TRANSACTION'],
    ['one domain twice', setDomain, setDomain, 'DELTA_CONCURRENT_DOMAIN_METADATA'],
  ])('%s', async (_, mine, theirs, expected) => {
    const store = await tableOf({ partitionColumns: ['country'] })
    const files = [file('de', { country: 'DE' }), file('fr', { country: 'FR' })]
    await write(await load(store))
      .addFiles(files)
      .commit(quick)
    const transaction = await mine(await load(store))
    expect((await (await theirs(await load(store))).commit(quick)).kind).toBe('committed')
    const outcome = await transaction.commit(quick)
    expect(code(outcome)).toBe(expected)
    if (outcome.kind === 'conflict') expect(outcome.error).toMatchObject({ sqlState: '2D521', retryable: true })
  })

  test('a delete of a file that was read', async () => {
    const store = await tableOf()
    await write(await load(store))
      .addFiles([file('a'), file('b')])
      .commit(quick)
    const snapshot = await load(store)
    const reader = write(snapshot)
      .reads({ kind: 'never' }, [(await snapshot.files.find('a'))!])
      .addFiles([file('c')])
    await write(snapshot)
      .removeFiles([(await snapshot.files.find('a'))!])
      .commit(quick)
    expect(code(await reader.commit(quick))).toBe('DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT')
  })

  test('of a table that does not exist yet: one creates it, the other hears of it', async () => {
    const store = memoryStore({ clock })
    const create = () => createTable(store, jsonLogEngine, { schema }, { operation: 'CREATE TABLE', ...quick })
    const outcomes = await Promise.all([create(), create()])
    expect(outcomes.map(code).sort()).toEqual(['DELTA_TABLE_ALREADY_EXISTS', 'committed'])
  })
})

describe('UP-27: metadata discipline', () => {
  test('a schema change keeps id, creation time, properties, partitioning and column ids', async () => {
    const configuration = new Map([
      ['delta.columnMapping.mode', 'name'],
      ['owner', 'me'],
    ])
    const store = await tableOf({ partitionColumns: ['country'], configuration })
    const before = await load(store)
    const wider = structType([...before.schema.fields, field('tags', arrayType(structType([field('t', stringType)])))])
    const { metadata, protocol } = planMetadataChange(before, { schema: wider }, 'here')
    expect(protocol).toBeUndefined()
    await write(before).setMetadata(metadata).commit(quick)
    const after = await load(store)
    const { schemaString: _, configuration: __, ...kept } = before.metadata
    expect(after.metadata).toMatchObject(kept)
    expect(after.configuration.get('owner')).toBe('me')
    expect(after.configuration.get('delta.columnMapping.maxColumnId')).toBe('4')
    expect(after.schema.fields.slice(0, 2)).toEqual(before.schema.fields)
    expect(after.schema.fields[2]?.metadata).toMatchObject({ 'delta.columnMapping.id': 3 })
    const commit = await readCommit(store, 1)
    expect(commit.actions.filter((action) => 'metaData' in action)).toHaveLength(1)
  })

  test('two writers that add the same column: the loser reloads and finds it', async () => {
    const store = await tableOf()
    const [a, b] = [await load(store), await load(store)]
    const widen = (s: Snapshot) => {
      if (s.schema.fields.some(({ name }) => name === 'amount')) return undefined
      const wider = structType([...s.schema.fields, field('amount', integerType)])
      return write(s).setMetadata(planMetadataChange(s, { schema: wider }, 'here').metadata)
    }
    expect((await widen(a)!.commit(quick)).kind).toBe('committed')
    expect(code(await widen(b)!.commit(quick))).toBe('DELTA_METADATA_CHANGED')
    expect(widen(await b.refresh())).toBeUndefined()
  })
})

test('a table with a feature that is not kept here is refused by name before anything is written', async () => {
  const store = await tableOf()
  const snapshot = await load(store)
  for (const [features, refused] of [
    [['appendOnly', 'catalogManaged', 'inCommitTimestamp'], ['catalogManaged']],
    [['liquid'], ['liquid']],
  ] as const) {
    const protocol = { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: features }
    try {
      beginTransaction({ ...snapshot, protocol } as unknown as Snapshot, { operation: 'WRITE' })
      expect.unreachable()
    } catch (error) {
      if (!isDeltaError(error, 'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE')) throw error
      expect(error.details.features).toEqual(refused)
    }
  }
})
