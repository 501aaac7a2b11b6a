import { expect, test } from 'vitest'
import { field, longType, structType } from '../../schema/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { collect, decodeUtf8, encodeUtf8 } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { afterCommit } from '../checkpoint/index.ts'
import { type CommitCatalog, MemoryCommitCatalog, managedLog, readCommit } from '../log/index.ts'
import { checkpointKey, commitKey, LOG_PREFIX } from '../paths/index.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import { jsonLogEngine } from '../snapshot/test-log.ts'
import { createTable } from './create-table.ts'
import { planMetadataChange } from './plan-metadata.ts'
import { beginTransaction, type Transaction } from './transaction.ts'

const clock = { now: () => 1_700_000_000_000 }
const quick = { clock, firstDelayMs: 1, settleMs: 50 }

/** A table whose first version lists the feature, in the care of a catalog. */
async function managedTable(): Promise<{ bare: ObjectStore; catalog: MemoryCommitCatalog; store: ObjectStore }> {
  const bare = memoryStore({ clock })
  const configuration = new Map([
    ['delta.enableInCommitTimestamps', 'true'],
    ['delta.checkpointInterval', '2'],
    ['delta.feature.vacuumProtocolCheck', 'supported'],
  ])
  const spec = { schema: structType([field('id', longType)]), configuration }
  await createTable(bare, jsonLogEngine, spec, { operation: 'CREATE TABLE', clock })
  const text = decodeUtf8(await bare.get(commitKey(0)))
  const managed = text.replaceAll('Features":[', 'Features":["catalogManaged",')
  await bare.put(commitKey(0), encodeUtf8(managed))
  const catalog = new MemoryCommitCatalog(0)
  return { bare, catalog, store: managedLog(bare, catalog) }
}

function file(path: string): AddFile {
  const stats = '{"numRecords":1}'
  return { path, partitionValues: new Map(), size: 10, modificationTime: 0, dataChange: true, stats }
}

async function append(store: ObjectStore, path: string): Promise<Transaction> {
  return beginTransaction(await loadSnapshot(store, jsonLogEngine), { operation: 'WRITE' }).addFiles([file(path)])
}

async function live(store: ObjectStore): Promise<string[]> {
  const { files } = await loadSnapshot(store, jsonLogEngine)
  return (await collect(files.select()))
    .flat()
    .map(({ path }) => path)
    .sort()
}

async function names(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await collect(store.list({ prefix: `${LOG_PREFIX}${prefix}` }))).flat().map(({ key }) => key)
}

test('a commit is staged, ratified and published, with a time of its own', async () => {
  const { bare, catalog, store } = await managedTable()
  expect(await (await append(store, 'a')).commit(quick)).toMatchObject({ kind: 'committed', version: 1 })
  expect(await live(store)).toEqual(['a'])
  expect(await catalog.commits()).toEqual({ latestVersion: 1, commits: [] })
  expect(await names(bare, '_staged_commits/')).toHaveLength(1)
  const [info] = (await readCommit(store, 1)).actions
  expect(info).toMatchObject({ commitInfo: { inCommitTimestamp: clock.now() + 1, txnId: expect.any(String) } })
  expect(decodeUtf8(await bare.get(commitKey(1)))).toContain('"path":"a"')
})

test('writers race through the catalog: every append stands once', async () => {
  const { catalog, store, bare } = await managedTable()
  const others = [store, managedLog(bare, catalog), managedLog(bare, catalog)]
  const writers = Array.from({ length: 9 }, async (_, i) => (await append(others[i % 3]!, `f${i}`)).commit(quick))
  const versions = (await Promise.all(writers)).map((outcome) => (outcome.kind === 'committed' ? outcome.version : -1))
  expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(await live(store)).toHaveLength(9)
  expect(await names(bare, '_staged_commits/')).toHaveLength(9)
})

test('a commit that cannot be published yet is part of the table, and the next one makes up for it', async () => {
  const { bare, catalog } = await managedTable()
  let isDark = true
  const dark: ObjectStore = {
    ...bare,
    putIfAbsent: (key, bytes) => (isDark ? Promise.reject(new Error('dark')) : bare.putIfAbsent(key, bytes)),
  }
  const store = managedLog(dark, catalog)
  expect((await (await append(store, 'a')).commit(quick)).kind).toBe('committed')
  expect(await names(bare, '000')).toEqual([commitKey(0)])
  expect(await live(managedLog(bare, catalog))).toEqual(['a'])
  const second = await append(store, 'b')
  await second.commit(quick)
  const snapshot = await loadSnapshot(store, jsonLogEngine)
  // an unpublished version has no checkpoint
  expect((await afterCommit(snapshot, { version: 2, clock })).checkpoint).toBeUndefined()
  isDark = false
  expect((await (await append(store, 'c')).commit(quick)).kind).toBe('committed')
  expect(await names(bare, '000')).toEqual([0, 1, 2, 3].map(commitKey))
  expect(await live(store)).toEqual(['a', 'b', 'c'])
})

test.each([1, 2])(
  'an answer of the catalog that is lost, behind its effect or before it (%i), is settled',
  async (lost) => {
    const { bare, catalog } = await managedTable()
    let calls = 0
    const losing: CommitCatalog = {
      commits: () => catalog.commits(),
      published: (version) => catalog.published(version),
      ratify: async (commit) => {
        if (++calls > 1) return await catalog.ratify(commit)
        if (lost === 1) await catalog.ratify(commit)
        throw new Error('the connection was reset')
      },
    }
    const outcome = await (await append(managedLog(bare, losing), 'a')).commit(quick)
    const rows = await live(managedLog(bare, catalog))
    if (lost === 1) expect([outcome.kind, rows]).toEqual(['committed', ['a']])
    else expect([outcome.kind, rows]).toEqual(['unknown', []])
  },
)

test('conflicts are found in what others had ratified, and a checkpoint sums up what is published', async () => {
  const { store, bare } = await managedTable()
  const snapshot = await loadSnapshot(store, jsonLogEngine)
  const change = beginTransaction(snapshot, { operation: 'DELETE' })
    .readsTable()
    .addFiles([file('x')])
  await (await append(store, 'a')).commit(quick)
  expect(await change.commit(quick)).toMatchObject({
    kind: 'conflict',
    error: { code: 'DELTA_CONCURRENT_APPEND.WITHOUT_HINT' },
  })
  await (await append(store, 'b')).commit(quick)
  const report = await afterCommit(await loadSnapshot(store, jsonLogEngine), { version: 2, clock })
  expect(report).toMatchObject({ checkpoint: 2, deleted: 0, failures: [] })
  await expect(bare.head(checkpointKey(2))).resolves.toBeDefined()
})

test('its properties may change, and by path alone nobody writes to it', async () => {
  const { store, bare } = await managedTable()
  const snapshot = await loadSnapshot(store, jsonLogEngine)
  const { metadata, protocol } = planMetadataChange(snapshot, { set: new Map([['owner', 'me']]) }, 'here')
  expect(protocol).toBeUndefined()
  const outcome = await beginTransaction(snapshot, { operation: 'SET TBLPROPERTIES' })
    .setMetadata(metadata)
    .commit(quick)
  expect(outcome.kind).toBe('committed')
  const byPath = Object.assign(Object.create(snapshot), { store: bare })
  expect(() => beginTransaction(byPath, { operation: 'WRITE' })).toThrow(/catalogManaged/)
})
