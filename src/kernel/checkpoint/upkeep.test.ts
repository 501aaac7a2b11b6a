import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { field, longType, structType } from '../../schema/index.ts'
import { faulty, memoryStore, type ObjectStore } from '../../storage/index.ts'
import { collect, DAY_MS, decodeUtf8, encodeUtf8, type JsonObject, parseJson, printJson } from '../../support/index.ts'
import type { Action, AddFile } from '../actions/actions.ts'
import { parseCommitText } from '../actions/commit-text.ts'
import {
  checkpointKey,
  checksumKey,
  commitKey,
  LAST_CHECKPOINT_KEY,
  LOG_PREFIX,
  SIDECAR_PREFIX,
} from '../paths/index.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { jsonLogEngine } from '../snapshot/test-log.ts'
import { createTable } from '../transaction/create-table.ts'
import type { TableSpec } from '../transaction/plan-metadata.ts'
import { beginTransaction } from '../transaction/transaction.ts'
import { afterCommit, isCheckpointDue } from './after-commit.ts'
import { cleanupLog } from './log-cleanup.ts'
import { writeChecksum } from './version-checksum.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

/** A clock that a test turns on by hand. */
class Hand {
  ms = 100 * DAY_MS
  now(): number {
    return this.ms
  }
}

const schema = structType([field('id', longType)])
const quick = { firstDelayMs: 1, settleMs: 50 }
const load = (store: ObjectStore, version?: number) =>
  loadSnapshot(store, jsonLogEngine, version === undefined ? {} : { version })

function file(path: string): AddFile {
  const stats = '{"numRecords":1}'
  return { path, partitionValues: new Map(), size: 10, modificationTime: 0, dataChange: true, stats }
}

async function append(store: ObjectStore, path: string, clock: Hand): Promise<Snapshot> {
  const snapshot = await load(store)
  const outcome = await beginTransaction(snapshot, { operation: 'WRITE' })
    .addFiles([file(path)])
    .commit({ clock, ...quick })
  if (outcome.kind !== 'committed') throw new Error(outcome.kind)
  return snapshot.refresh()
}

async function create(store: ObjectStore, clock: Hand, spec: Partial<TableSpec> = {}): Promise<void> {
  await createTable(store, jsonLogEngine, { schema, ...spec }, { operation: 'CREATE TABLE', clock })
}

/** A log as the protocol's example has it: commits 0 to 25, one a day, checkpoints at 10 and 20. */
async function exampleLog(clock: Hand, spec: Partial<TableSpec> = {}): Promise<ObjectStore> {
  const store = memoryStore({ clock })
  await create(store, clock, spec)
  for (let version = 1; version <= 25; version++) {
    clock.ms += DAY_MS
    const snapshot = await append(store, `f${version}`, clock)
    if (version % 10 === 0) await writeCheckpoint(snapshot, { clock })
    await store.put(checksumKey(version), encodeUtf8('{}'))
  }
  return store
}

async function logNames(store: ObjectStore): Promise<string[]> {
  const pages = await collect(store.list({ prefix: LOG_PREFIX }))
  return pages.flat().map((meta) => meta.key.slice(LOG_PREFIX.length))
}

async function liveFiles(store: ObjectStore, version?: number): Promise<string[]> {
  const pages = await collect((await load(store, version)).files.select())
  return pages
    .flat()
    .map((f) => f.path)
    .sort()
}

const expected = (version: number) => Array.from({ length: version }, (_, i) => `f${i + 1}`).sort()

/** 30 days after the day before version 14 was committed: the cutoff stands at version 13. */
function turnToCutoff13(clock: Hand): void {
  clock.ms = 100 * DAY_MS + (13 + 30) * DAY_MS + 1
}

describe('a checkpoint', () => {
  test('is due where the interval divides the version', () => {
    expect([0, 1, 9, 10, 20].filter((version) => isCheckpointDue(new Map(), version))).toEqual([10, 20])
    expect(isCheckpointDue(new Map([['delta.checkpointInterval', '1']]), 1)).toBe(true)
  })

  test('holds protocol, metaData, applications, domains, live files and young tombstones, and nothing more', async () => {
    const clock = new Hand()
    const store = memoryStore({ clock })
    const configuration = new Map([['delta.feature.domainMetadata', 'supported']])
    await create(store, clock, { configuration })
    await append(store, 'old', clock)
    const first = await append(store, 'young', clock)
    const live = await Promise.all(['old', 'young'].map((path) => first.files.find(path)))
    const one = await beginTransaction(first, { operation: 'DELETE' })
      .removeFiles([live[0]!])
      .commit({ clock, ...quick })
    clock.ms += 8 * DAY_MS
    const second = await first.refresh()
    await beginTransaction(second, { operation: 'DELETE' })
      .removeFiles([live[1]!])
      .addFiles([file('now')])
      .setTransaction({ appId: 'app', version: 7n })
      .setDomain({ domain: 'mine', configuration: '{}', removed: false })
      .commit({ clock, ...quick })
    expect(one.kind).toBe('committed')
    const snapshot = await load(store)
    const hint = await writeCheckpoint(snapshot, { clock })
    const actions = parseCommitText(await store.get(checkpointKey(snapshot.version)))
    const kinds = actions.map((action: Action) => Object.keys(action)[0])
    expect(kinds).toEqual(['protocol', 'metaData', 'txn', 'domainMetadata', 'add', 'remove'])
    expect(actions.find((action) => 'remove' in action)).toMatchObject({ remove: { path: 'young' } })
    expect(hint).toMatchObject({ version: 4, size: 6, numOfAddFiles: 1 })
    expect(decodeUtf8(await store.get(LAST_CHECKPOINT_KEY))).toContain('"checksum":"')
  })

  test('holds checkpointMetadata where the table asks for the v2 form', async () => {
    const clock = new Hand()
    const store = memoryStore({ clock })
    await create(store, clock, { configuration: new Map([['delta.checkpointPolicy', 'v2']]) })
    const hint = await writeCheckpoint(await append(store, 'f1', clock), { clock })
    const { key, sidecars } = hint.v2Checkpoint!
    expect(key).toMatch(/^_delta_log\/00000000000000000001\.checkpoint\.[-0-9a-f]{36}\.parquet$/)
    expect(sidecars).toHaveLength(1)
    const main = parseCommitText(await store.get(key))
    expect(main.map((action: Action) => Object.keys(action)[0])).toEqual([
      'protocol',
      'metaData',
      'checkpointMetadata',
      'sidecar',
    ])
    const bytes = String(sidecars[0]!.sizeInBytes)
    const tags = new Map([
      ['sidecarNumActions', '1'],
      ['sidecarSizeInBytes', bytes],
      ['numOfAddFiles', '1'],
    ])
    expect(main[2]).toEqual({ checkpointMetadata: { version: 1, tags } })
    expect(hint).toMatchObject({ version: 1, size: 5, numOfAddFiles: 1 })
  })

  test.each(['parquet', 'json'] as const)(
    'of the v2 form, main file %s, has sidecars of bounded size',
    async (mainFile) => {
      const clock = new Hand()
      const store = memoryStore({ clock })
      await create(store, clock, { configuration: new Map([['delta.checkpointPolicy', 'v2']]) })
      for (const path of ['f1', 'f2', 'f3', 'f4', 'f5']) await append(store, path, clock)
      const before = await load(store)
      const hint = await writeCheckpoint(before, { clock, mainFile, sidecarActions: 2 })
      expect(hint.v2Checkpoint!.sidecars).toHaveLength(3)
      for (let version = 0; version <= 5; version++) await store.delete(commitKey(version))
      const after = await load(store)
      expect(await liveFiles(store)).toEqual(expected(5))
      expect([after.protocol, after.metadata, after.segment.checkpointVersion]).toEqual([
        before.protocol,
        before.metadata,
        5,
      ])
    },
  )

  test('of the v2 form that fails leaves no sidecar behind', async () => {
    for (let failCall = 1; ; failCall++) {
      const clock = new Hand()
      const store = memoryStore({ clock })
      await create(store, clock, { configuration: new Map([['delta.checkpointPolicy', 'v2']]) })
      for (const path of ['f1', 'f2', 'f3']) await append(store, path, clock)
      const bad = faulty(store, { failCall, when: 'after-effect', methods: ['put'] })
      const snapshot = Object.assign(Object.create(await load(store)), { store: bad }) as Snapshot
      const failed = await writeCheckpoint(snapshot, { clock, sidecarActions: 1 }).then(
        () => false,
        () => true,
      )
      if (!failed) break
      expect((await logNames(store)).filter((name) => /sidecars|checkpoint\./.test(name))).toEqual([])
      expect(failCall).toBeLessThan(10)
    }
  })

  test('gives the same table with every commit before it gone', async () => {
    const clock = new Hand()
    const store = memoryStore({ clock })
    await create(store, clock)
    for (const path of ['f1', 'f2', 'f3']) await append(store, path, clock)
    const before = await load(store)
    await writeCheckpoint(before, { clock })
    for (let version = 0; version < 3; version++) await store.delete(commitKey(version))
    const after = await load(store)
    expect(await liveFiles(store)).toEqual(expected(3))
    expect([after.protocol, after.metadata]).toEqual([before.protocol, before.metadata])
  })

  test('an engine that loses actions is caught, and the file taken back', async () => {
    const clock = new Hand()
    const store = memoryStore({ clock })
    await create(store, clock)
    const snapshot = await append(store, 'f1', clock)
    const writer: typeof jsonLogEngine.writeCheckpoint = async (target, key, pages, options) => {
      const written = await jsonLogEngine.writeCheckpoint(target, key, pages, options)
      return { ...written, numActions: written.numActions - 1 }
    }
    const lossy = Object.assign(Object.create(snapshot), {
      log: { ...jsonLogEngine, writeCheckpoint: writer },
    }) as Snapshot
    await expect(writeCheckpoint(lossy, { clock })).rejects.toMatchObject({ code: 'LAKE_INTERNAL' })
    expect(await logNames(store)).not.toContain('00000000000000000001.checkpoint.parquet')
  })
})

test('a version checksum says what the table comes to, and is never replaced', async () => {
  const clock = new Hand()
  const store = memoryStore({ clock })
  await create(store, clock, { configuration: new Map([['delta.enableInCommitTimestamps', 'true']]) })
  const snapshot = await append(store, 'f1', clock)
  await writeChecksum(snapshot)
  const text = decodeUtf8(await store.get(checksumKey(1)))
  const { metadata, protocol, fileSizeHistogram: _, allFiles: __, ...rest } = parseJson(text) as JsonObject
  expect(rest).toEqual({
    tableSizeBytes: 10,
    numFiles: 1,
    numMetadata: 1,
    numProtocol: 1,
    inCommitTimestampOpt: clock.now() + 1,
    setTransactions: [],
    domainMetadata: [],
  })
  expect(metadata).toMatchObject({ id: snapshot.metadata.id, schemaString: snapshot.metadata.schemaString })
  expect(protocol).toMatchObject({ minReaderVersion: 1, minWriterVersion: 7 })
  await writeChecksum(Object.assign(Object.create(snapshot), { timestampMs: 5 }) as Snapshot)
  expect(decodeUtf8(await store.get(checksumKey(1)))).toBe(text)
})

describe('UP-13: cleanup', () => {
  test('keeps the checkpoint behind the cutoff, its commit, and all that is later', async () => {
    const clock = new Hand()
    const store = await exampleLog(clock)
    turnToCutoff13(clock)
    expect(await cleanupLog(await load(store), { clock })).toBe(19)
    for (let version = 10; version <= 25; version++) expect(await liveFiles(store, version)).toEqual(expected(version))
    const versions = (await logNames(store)).map((name) => Number.parseInt(name, 10)).filter((v) => !Number.isNaN(v))
    expect(Math.min(...versions)).toBe(10)
    await expect(load(store, 9)).rejects.toSatisfy((error) => isDeltaError(error))
    expect(await cleanupLog(await load(store), { clock })).toBe(0)
  })

  test('never takes the only checkpoint, and nothing without one', async () => {
    const clock = new Hand()
    const store = await exampleLog(clock)
    clock.ms += 1000 * DAY_MS
    await store.delete(checkpointKey(10))
    await cleanupLog(await load(store), { clock })
    expect(await logNames(store)).toContain('00000000000000000020.checkpoint.parquet')
    expect(await liveFiles(store)).toEqual(expected(25))

    const bare = memoryStore({ clock })
    await create(bare, clock)
    await append(bare, 'f1', clock)
    clock.ms += 1000 * DAY_MS
    expect(await cleanupLog(await load(bare), { clock })).toBe(0)
  })

  test('passes over a checkpoint that cannot be read', async () => {
    const clock = new Hand()
    const store = await exampleLog(clock)
    clock.ms += 1000 * DAY_MS
    await store.put(checkpointKey(20), encodeUtf8(`${printJson({ add: { path: 'x' } })}`.slice(0, 9)))
    await cleanupLog(await load(store), { clock })
    for (let version = 10; version <= 25; version++) expect(await liveFiles(store, version)).toEqual(expected(version))
  })

  test('is left alone where delta.enableExpiredLogCleanup is false', async () => {
    const clock = new Hand()
    const store = await exampleLog(clock, { configuration: new Map([['delta.enableExpiredLogCleanup', 'false']]) })
    clock.ms += 1000 * DAY_MS
    expect(await cleanupLog(await load(store), { clock })).toBe(0)
  })

  test.each([
    ['15, every protocol below known', '15', undefined, true],
    ['10, all protected versions gone at once', '10', 'liquid', true],
    ['15, an unknown feature below', '15', 'liquid', false],
  ])('of a table that protects versions below %s', async (_, before, feature, allowed) => {
    const clock = new Hand()
    const configuration = new Map([
      ['delta.feature.checkpointProtection', 'supported'],
      ['delta.requireCheckpointProtectionBeforeVersion', before],
    ])
    const store = await exampleLog(clock, { configuration })
    if (feature !== undefined) {
      const text = decodeUtf8(await store.get(commitKey(0)))
      clock.ms = 100 * DAY_MS
      await store.put(commitKey(0), encodeUtf8(text.replace('"writerFeatures":[', `"writerFeatures":["${feature}",`)))
    }
    turnToCutoff13(clock)
    const snapshot = await load(store)
    const deleted = await cleanupLog(snapshot, { clock })
    expect(deleted > 0).toBe(allowed)
    expect(await liveFiles(store)).toEqual(expected(25))
  })

  test('of a table with v2 checkpoints leaves one under the classic name', async () => {
    const clock = new Hand()
    const store = await exampleLog(clock, { configuration: new Map([['delta.checkpointPolicy', 'v2']]) })
    turnToCutoff13(clock)
    expect(await cleanupLog(await load(store), { clock })).toBeGreaterThan(0)
    expect(decodeUtf8(await store.get(checkpointKey(10)))).toContain('"sidecar":')
    for (let version = 10; version <= 25; version++) expect(await liveFiles(store, version)).toEqual(expected(version))
  })

  test('takes sidecars that no checkpoint names once they are a day old', async () => {
    const clock = new Hand()
    const store = await exampleLog(clock)
    await store.put(`${SIDECAR_PREFIX}orphan.parquet`, encodeUtf8(''))
    await store.put(`${SIDECAR_PREFIX}named.parquet`, encodeUtf8(''))
    const sidecar = printJson({ sidecar: { path: 'named.parquet', sizeInBytes: 0, modificationTime: 0 } })
    const text = decodeUtf8(await store.get(checkpointKey(20)))
    await store.put(checkpointKey(20), encodeUtf8(`${text}${sidecar}\n`))
    turnToCutoff13(clock)
    await store.put(`${SIDECAR_PREFIX}young.parquet`, encodeUtf8(''))
    await cleanupLog(await load(store, 19), { clock })
    const names = await logNames(store)
    expect(names.filter((name) => name.startsWith('_sidecars/'))).toEqual([
      '_sidecars/named.parquet',
      '_sidecars/young.parquet',
    ])
  })

  test('leaves a table that loads whichever delete fails, before or after its effect', async () => {
    for (const when of ['before', 'after-effect'] as const) {
      for (let failCall = 1; ; failCall++) {
        const clock = new Hand()
        const store = await exampleLog(clock)
        turnToCutoff13(clock)
        const bad = faulty(store, { failCall, when, methods: ['delete'] })
        const cleanup = cleanupLog(Object.assign(Object.create(await load(store)), { store: bad }) as Snapshot, {
          clock,
        })
        if (
          await cleanup.then(
            () => true,
            () => false,
          )
        )
          break
        expect(await liveFiles(store)).toEqual(expected(25))
        expect(await liveFiles(store, 12)).toEqual(expected(12))
        await cleanupLog(await load(store), { clock })
        expect(await liveFiles(store, 10)).toEqual(expected(10))
        expect(failCall).toBeLessThan(100)
      }
    }
  })
})

/** Creation, appends, a checkpoint and a cleanup: everything a writer does to a log. */
async function scenario(store: ObjectStore, clock: Hand, landed: string[]): Promise<void> {
  await create(store, clock, { configuration: new Map([['delta.checkpointInterval', '2']]) })
  for (let i = 1; i <= 4; i++) {
    clock.ms += 20 * DAY_MS
    const snapshot = await append(store, `f${i}`, clock)
    landed.push(`f${i}`)
    await afterCommit(snapshot, { version: snapshot.version, clock })
  }
}

describe('failing every call of a writer in turn', () => {
  test.each(['before', 'after-effect'] as const)('%s its effect leaves what was committed, once', async (when) => {
    let clean = false
    for (let failCall = 1; !clean; failCall++) {
      const clock = new Hand()
      const store = memoryStore({ clock })
      const landed: string[] = []
      const bad = faulty(store, { failCall, when })
      await scenario(bad, clock, landed).catch(() => undefined)
      clean = !bad.hasFailed()
      if ((await logNames(store)).length === 0) continue
      const live = await liveFiles(store)
      expect(new Set(live).size).toBe(live.length)
      for (const path of landed) expect(live).toContain(path)
      expect(live.length - landed.length).toBeLessThanOrEqual(1)
      await append(store, 'afterwards', clock)
      expect(await liveFiles(store)).toEqual([...live, 'afterwards'].sort())
      expect(failCall).toBeLessThan(500)
    }
  })
})

test('upkeep that fails is reported and does not throw', async () => {
  const clock = new Hand()
  const store = memoryStore({ clock })
  await create(store, clock)
  const snapshot = await append(store, 'f1', clock)
  const broken: typeof jsonLogEngine.writeCheckpoint = () => Promise.reject(new Error('disk full'))
  const withBroken = Object.assign(Object.create(snapshot), { log: { ...jsonLogEngine, writeCheckpoint: broken } })
  const report = await afterCommit(withBroken as Snapshot, { version: 10, clock })
  expect(report).toMatchObject({ checkpoint: undefined, deleted: 0, failures: [new Error('disk full')] })
})
