import { describe, expect, test } from 'vitest'
import { field, longType, stringType, structType } from '../../schema/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { collect } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { jsonLogEngine } from '../snapshot/test-log.ts'
import { createTable } from './create-table.ts'
import { planMetadataChange } from './plan-metadata.ts'
import { beginTransaction, type Transaction } from './transaction.ts'

const clock = { now: () => 1_700_000_000_000 }
const schema = structType([field('id', longType), field('country', stringType)])
const tracked = new Map([['delta.enableRowTracking', 'true']])

async function tableOf(configuration: ReadonlyMap<string, string> = tracked): Promise<ObjectStore> {
  const store = memoryStore({ clock })
  await createTable(store, jsonLogEngine, { schema, configuration }, { operation: 'CREATE TABLE', clock })
  return store
}

const load = (store: ObjectStore) => loadSnapshot(store, jsonLogEngine)

function file(path: string, numRecords = 1): AddFile {
  const stats = `{"numRecords":${numRecords}}`
  return { path, partitionValues: new Map(), size: 10, modificationTime: 0, dataChange: true, stats }
}

const begin = (snapshot: Snapshot, operation = 'WRITE'): Transaction => beginTransaction(snapshot, { operation })

async function commit(transaction: Transaction): Promise<void> {
  expect((await transaction.commit({ clock, firstDelayMs: 1 })).kind).toBe('committed')
}

async function append(store: ObjectStore, ...files: AddFile[]): Promise<void> {
  await commit(begin(await load(store)).addFiles(files))
}

/** path → base row id and default commit version, with the table's mark */
async function ids(store: ObjectStore): Promise<{ files: Record<string, string>; mark: string | undefined }> {
  const snapshot = await load(store)
  const files = (await collect(snapshot.files.select())).flat()
  return {
    files: Object.fromEntries(files.map((f) => [f.path, `${f.baseRowId ?? '-'} @${f.defaultRowCommitVersion ?? '-'}`])),
    mark: snapshot.domains.get('delta.rowTracking')?.configuration,
  }
}

const mark = (value: number) => `{"rowIdHighWaterMark":${value},"domainName":"delta.rowTracking"}`

describe('a table that tracks its rows', () => {
  test('says so by its protocol and names columns for moved rows', async () => {
    const { protocol, configuration } = await load(await tableOf())
    expect(protocol.writerFeatures).toEqual(['appendOnly', 'domainMetadata', 'invariants', 'rowTracking'])
    expect(configuration.get('delta.rowTracking.materializedRowIdColumnName')).toMatch(/^_row-id-col-[-0-9a-f]{36}$/)
    expect(configuration.get('delta.rowTracking.materializedRowCommitVersionColumnName')).toMatch(
      /^_row-commit-version-col-[-0-9a-f]{36}$/,
    )
  })

  test('counts rows on from file to file and from commit to commit', async () => {
    const store = await tableOf()
    await append(store, file('a', 3), file('b', 2))
    await append(store, file('c', 1))
    expect(await ids(store)).toEqual({ files: { a: '0 @1', b: '3 @1', c: '5 @2' }, mark: mark(5) })
  })

  test('gives ids anew behind every winner', async () => {
    const store = await tableOf()
    const late = begin(await load(store)).addFiles([file('late', 2)])
    await append(store, file('a', 3))
    await append(store, file('b', 4))
    await commit(late)
    expect(await ids(store)).toEqual({ files: { a: '0 @1', b: '3 @2', late: '7 @3' }, mark: mark(8) })
  })

  test('a file that comes back with a deletion vector keeps its ids', async () => {
    const store = await tableOf(new Map([...tracked, ['delta.enableDeletionVectors', 'true']]))
    await append(store, file('a', 3))
    const snapshot = await load(store)
    const live = (await snapshot.files.find('a'))!
    const deletionVector = { storageType: 'i', pathOrInlineDv: 'x', sizeInBytes: 1, cardinality: 1 } as const
    await commit(
      begin(snapshot, 'DELETE')
        .readsTable()
        .removeFiles([live])
        .addFiles([{ ...live, deletionVector }]),
    )
    expect(await ids(store)).toEqual({ files: { a: '0 @1' }, mark: mark(2) })
  })

  test('a file without a number of rows is refused', async () => {
    const snapshot = await load(await tableOf())
    const { stats: _, ...bare } = file('a')
    await expect(begin(snapshot).addFiles([bare]).commit({ clock })).rejects.toMatchObject({
      code: 'DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS',
    })
  })

  test('a mark above 2^53 is counted exactly, and the last id is the end', async () => {
    const store = await tableOf()
    await commit(
      begin(await load(store)).setDomain({
        domain: 'delta.rowTracking',
        configuration: '{"rowIdHighWaterMark":9223372036854775805}',
        removed: false,
      }),
    )
    await append(store, file('a', 1))
    expect((await ids(store)).files).toEqual({ a: '9223372036854775806 @2' })
    await expect(
      begin(await load(store))
        .addFiles([file('b', 2)])
        .commit({ clock }),
    ).rejects.toMatchObject({
      code: 'LAKE_ROW_IDS_EXHAUSTED',
    })
  })

  test('gives out no ids while it is suspended', async () => {
    const store = await tableOf()
    const snapshot = await load(store)
    const set = new Map([
      ['delta.enableRowTracking', 'false'],
      ['delta.rowTrackingSuspended', 'true'],
    ])
    await commit(begin(snapshot).setMetadata(planMetadataChange(snapshot, { set }, 'here').metadata))
    await append(store, file('a', 3))
    expect(await ids(store)).toEqual({ files: { a: '- @-' }, mark: undefined })
  })

  test('cannot be enabled and suspended at once', () => {
    const both = new Map([...tracked, ['delta.rowTrackingSuspended', 'true']])
    return expect(tableOf(both)).rejects.toMatchObject({
      code: 'DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION',
      sqlState: '55000',
    })
  })
})

describe('a table that gets the feature later', () => {
  async function withFeature(): Promise<ObjectStore> {
    const store = await tableOf(new Map())
    await append(store, file('a', 3), file('b', 2))
    const snapshot = await load(store)
    const set = new Map([['delta.feature.rowTracking', 'supported']])
    await commit(begin(snapshot).setProtocol(planMetadataChange(snapshot, { set }, 'here').protocol!))
    return store
  }

  async function backfill(store: ObjectStore): Promise<Transaction> {
    const snapshot = await load(store)
    const files = (await collect(snapshot.files.select())).flat().filter((f) => f.baseRowId === undefined)
    return begin(snapshot, 'ROW TRACKING BACKFILL').refreshFiles(files)
  }

  test('lists its files anew with ids', async () => {
    const store = await withFeature()
    await commit(await backfill(store))
    expect(await ids(store)).toEqual({ files: { a: '0 @3', b: '3 @3' }, mark: mark(4) })
  })

  test('an append that began before the feature was listed gets ids behind it', async () => {
    const store = await tableOf(new Map())
    const late = begin(await load(store)).addFiles([file('late', 2)])
    const snapshot = await load(store)
    const set = new Map([['delta.feature.rowTracking', 'supported']])
    await commit(begin(snapshot).setProtocol(planMetadataChange(snapshot, { set }, 'here').protocol!))
    await commit(late)
    expect(await ids(store)).toEqual({ files: { late: '0 @2' }, mark: mark(1) })
  })

  test('does not bring back a file that was removed meanwhile', async () => {
    const store = await withFeature()
    const late = await backfill(store)
    const snapshot = await load(store)
    await commit(begin(snapshot).removeFiles([(await snapshot.files.find('a'))!]))
    await commit(late)
    expect(await ids(store)).toEqual({ files: { b: '0 @4' }, mark: mark(1) })
  })

  test('a delete that a backfill overtakes keeps the ids of the file it marks', async () => {
    const store = await withFeature()
    const snapshot = await load(store)
    const live = (await snapshot.files.find('b'))!
    const deletionVector = { storageType: 'i', pathOrInlineDv: 'x', sizeInBytes: 1, cardinality: 1 } as const
    const late = begin(snapshot, 'DELETE')
      .reads({ kind: 'keep', reason: 'all' }, [live])
      .removeFiles([live])
      .addFiles([{ ...live, deletionVector }])
    await commit(await backfill(store))
    await commit(late)
    expect(await ids(store)).toEqual({ files: { a: '0 @3', b: '3 @3' }, mark: mark(4) })
  })

  test('turning the property on lets appends pass and stops whoever moves rows without their ids', async () => {
    const store = await withFeature()
    await commit(await backfill(store))
    const before = await load(store)
    const live = (await before.files.find('a'))!
    const append = begin(before).addFiles([file('c')])
    const rewrite = begin(before)
      .reads({ kind: 'never' }, [live])
      .removeFiles([live])
      .addFiles([file('a2', 3)])
    const set = new Map([['delta.enableRowTracking', 'true']])
    await commit(begin(before).setMetadata(planMetadataChange(before, { set }, 'here').metadata))
    await commit(append)
    expect(await rewrite.commit({ clock })).toMatchObject({
      kind: 'conflict',
      error: { code: 'DELTA_METADATA_CHANGED' },
    })
  })
})
