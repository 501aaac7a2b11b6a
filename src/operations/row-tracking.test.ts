import { expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { type Action, beginTransaction, createTable, loadSnapshot, type Metadata, readCommit } from '../kernel/index.ts'
import { field, longType, structType } from '../schema/index.ts'
import { memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect, systemClock } from '../support/index.ts'
import type { OperationContext } from './context.ts'
import { prepareRowTracking } from './row-tracking.ts'

const engine = jsEngine()

function contextOf(store: ObjectStore): OperationContext {
  const leaseSnapshot = async () => {
    const snapshot = await loadSnapshot(store, engine)
    return { snapshot, release: () => snapshot.close() }
  }
  return {
    location: 'here',
    store,
    engine,
    clock: systemClock,
    options: {},
    warn: () => {},
    exists: async () => true,
    committed: () => {},
    leaseSnapshot,
    withSnapshot: async (_, work) => await work((await leaseSnapshot()).snapshot),
    open: async () => contextOf(store),
  }
}

async function tableWith(configuration: Metadata['configuration']): Promise<ObjectStore> {
  const store = memoryStore()
  const schema = structType([field('id', longType)])
  await createTable(store, engine, { schema, configuration }, { operation: 'CREATE TABLE' })
  const stats = '{"numRecords":3}'
  const plain = { partitionValues: new Map(), size: 1, modificationTime: 0, dataChange: true, stats }
  const files = ['a', 'b'].map((path) => ({ ...plain, path }))
  await beginTransaction(await loadSnapshot(store, engine), { operation: 'WRITE' })
    .addFiles(files)
    .commit()
  return store
}

async function story(store: ObjectStore): Promise<string[]> {
  const { version } = await loadSnapshot(store, engine)
  const commits = await Promise.all(Array.from({ length: version - 1 }, (_, i) => readCommit(store, i + 2)))
  return commits.map(({ actions }) => actions.map(print).join(' '))
}

function print(action: Action): string {
  if ('commitInfo' in action) return `${action.commitInfo.operation}:`
  if ('add' in action) return `${action.add.path}=${action.add.baseRowId} ${action.add.dataChange}`
  return Object.keys(action)[0]!
}

test('an existing table gets the feature, then ids for its files, as the reference does it', async () => {
  const store = await tableWith(new Map())
  await prepareRowTracking(contextOf(store))
  expect(await story(store)).toEqual([
    'UPGRADE PROTOCOL: protocol',
    'ROW TRACKING BACKFILL: domainMetadata a=0 false b=3 false',
  ])
  await prepareRowTracking(contextOf(store))
  expect(await story(store)).toHaveLength(2)
  const live = (await collect((await loadSnapshot(store, engine)).files.select())).flat()
  expect(live.map((file) => file.baseRowId)).toEqual([0n, 3n])
})

test('a table whose rows have ids already is left as it is', async () => {
  const store = await tableWith(new Map([['delta.enableRowTracking', 'true']]))
  await prepareRowTracking(contextOf(store))
  expect(await story(store)).toEqual([])
})
