/** OPTIMIZE and REORG on both engines: rows stay, files change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { type ErrorCode, isDeltaError } from '../../src/errors/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { collect } from '../../src/support/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../src/table/index.ts'

let duckdb: Engine

beforeAll(() => {
  duckdb = duckdbEngine({ threads: 2, memoryLimit: '500MB' })
})

afterAll(() => duckdb.close())

interface Ground {
  readonly store: ObjectStore
  readonly tables: DeltaTables
}

function groundOf(engine: Engine, store: ObjectStore = memoryStore()): Ground {
  const backend = localBackend({ openStore: async () => store, engine })
  return { store, tables: deltaTables(() => backend) }
}

async function makeTable(
  { tables }: Ground,
  ddl: string,
  { properties = {}, partitionBy = [], clusterBy = [] }: TableParts = {},
): Promise<DeltaTable> {
  const builder = tables
    .create()
    .location('/t')
    .addColumns(ddl)
    .partitionedBy(...partitionBy)
    .properties(properties)
  return await (clusterBy.length > 0 ? builder.clusterBy(...clusterBy) : builder).execute()
}

interface TableParts {
  readonly properties?: Record<string, string>
  readonly partitionBy?: readonly string[]
  readonly clusterBy?: readonly string[]
}

async function rowsOf(table: DeltaTable, select?: string[]): Promise<string[]> {
  const rows = await table.rows(select ? { select } : {})
  return rows
    .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    .sort()
}

async function filesOf(table: DeltaTable) {
  return await collect(table.files())
}

async function refusal(work: Promise<unknown>): Promise<ErrorCode | 'accepted'> {
  try {
    await work
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
  return 'accepted'
}

async function infoOf(table: DeltaTable, version: number) {
  const { actions } = await table.commit(version)
  const info = actions.flatMap((action) => ('commitInfo' in action ? [action.commitInfo] : []))[0]!
  return info as Record<string, never> & { operationParameters: object; operationMetrics: Record<string, string> }
}

describe.each([
  ['js', () => jsEngine()],
  ['duckdb', () => duckdb],
])('on %s', (_, engine) => {
  const ground = () => groundOf(engine())

  test('small files of an unpartitioned table become one, and nothing is left to do', async () => {
    const table = await makeTable(ground(), 'id INT, s STRING')
    for (let i = 0; i < 4; i++) await table.append([{ id: i, s: `v${i}` }])
    const before = await rowsOf(table)
    const { versions, metrics } = await table.optimize().executeCompaction()
    expect(versions).toEqual([5])
    expect(metrics).toMatchObject({
      numFilesAdded: 1,
      numFilesRemoved: 4,
      partitionsOptimized: 1,
      numBins: 1,
      numBatches: 1,
      totalConsideredFiles: 4,
      totalFilesSkipped: 0,
      zOrderStats: null,
      clusteringStats: null,
      deletionVectorStats: null,
      numTableColumns: 2,
      numTableColumnsWithStats: 2,
    })
    expect(await rowsOf(table)).toEqual(before)
    const [file, ...others] = await filesOf(table)
    expect(others).toEqual([])
    expect(JSON.parse(file!.stats!)).toMatchObject({
      numRecords: 4,
      minValues: { id: 0, s: 'v0' },
      maxValues: { id: 3 },
    })
    const info = await infoOf(table, 5)
    expect(info).toMatchObject({
      operation: 'OPTIMIZE',
      operationParameters: { predicate: '[]', zOrderBy: '[]', clusterBy: '[]', auto: false },
      isolationLevel: 'SnapshotIsolation',
      isBlindAppend: false,
    })
    expect(Object.keys(info.operationMetrics).sort()).toEqual([
      'maxFileSize',
      'minFileSize',
      'numAddedBytes',
      'numAddedFiles',
      'numDeletionVectorsRemoved',
      'numRemovedBytes',
      'numRemovedFiles',
      'p25FileSize',
      'p50FileSize',
      'p75FileSize',
    ])
    const again = await table.optimize().executeCompaction()
    expect(again.versions).toEqual([])
    expect(again.metrics).toMatchObject({
      numFilesAdded: 0,
      filesAdded: { min: null, max: null, avg: 0, totalFiles: 0, totalSize: 0 },
      numBins: 0,
      numBatches: 1,
      totalConsideredFiles: 1,
      totalFilesSkipped: 1,
    })
    expect(await table.version()).toBe(5)
  })

  test('every commit of it says that no data changed', async () => {
    const table = await makeTable(ground(), 'id INT')
    await table.append([{ id: 1 }])
    await table.append([{ id: 2 }])
    await table.optimize().executeCompaction()
    const { actions } = await table.commit(3)
    const changes = actions.flatMap((a) =>
      'add' in a ? [a.add.dataChange] : 'remove' in a ? [a.remove.dataChange] : [],
    )
    expect(changes).toEqual([false, false, false])
  })

  test('WHERE takes partitions, by value and not by text', async () => {
    const table = await makeTable(ground(), 'id INT, p INT', { partitionBy: ['p'] })
    await table.append([
      { id: 1, p: 0 },
      { id: 2, p: 1 },
      { id: 7, p: null },
    ])
    await table.append([
      { id: 3, p: 0 },
      { id: 4, p: 1 },
      { id: 8, p: null },
    ])
    const before = await rowsOf(table)
    const first = await table.optimize().where('p = 0').executeCompaction()
    expect(first.metrics).toMatchObject({ numFilesRemoved: 2, numFilesAdded: 1, totalConsideredFiles: 2 })
    const second = await table.optimize().executeCompaction()
    expect(second.metrics).toMatchObject({
      numFilesRemoved: 4,
      numFilesAdded: 2,
      partitionsOptimized: 2,
      totalConsideredFiles: 5,
      totalFilesSkipped: 1,
    })
    expect(await rowsOf(table)).toEqual(before)
    expect(await refusal(table.optimize().where('id = 1').executeCompaction())).toBe(
      'DELTA_NON_PARTITION_COLUMN_REFERENCE',
    )
    expect(await refusal(table.optimize().executeZOrderBy('p'))).toBe('DELTA_ZORDERING_ON_PARTITION_COLUMN')
    expect(await refusal(table.optimize().executeZOrderBy('nope'))).toBe('DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST')
    expect(await table.version()).toBe(4)
  })

  test('Z-order writes all files anew, with columns in order of the statement', async () => {
    const table = await makeTable(ground(), 'x INT, y INT, s STRING')
    for (const part of [0, 1]) {
      await table.append(
        Array.from({ length: 50 }, (_, i) => ({ x: i % 10, y: part * 5 + Math.floor(i / 10), s: 'a' })),
      )
    }
    const before = await rowsOf(table)
    const { metrics, versions } = await table.optimize().executeZOrderBy('X', 'y')
    expect(metrics.zOrderStats).toMatchObject({
      strategyName: 'all',
      inputCubeFiles: { num: 0, size: 0 },
      inputOtherFiles: { num: 2 },
      mergedFiles: { num: 2 },
      numOutputCubes: 1,
      mergedNumCubes: null,
    })
    expect((await infoOf(table, versions[0]!)).operationParameters).toMatchObject({ zOrderBy: '["x","y"]' })
    expect(await rowsOf(table)).toEqual(before)
    expect((await table.optimize().executeZOrderBy('s')).metrics.numFilesRemoved).toBe(1)
    expect(await rowsOf(table)).toEqual(before)
  })

  test('Z-order refuses a column without statistics', async () => {
    const properties = { 'delta.dataSkippingNumIndexedCols': '1' }
    const table = await makeTable(ground(), 'a INT, b INT, l ARRAY<INT>', { properties })
    await table.append([{ a: 1, b: 1, l: null }])
    expect(await refusal(table.optimize().executeZOrderBy('a', 'b'))).toBe('DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS')
    expect(await refusal(table.optimize().executeZOrderBy('l'))).toBe('DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS')
  })

  test('deleted rows leave files that have many of them, or that are packed with others', async () => {
    const table = await makeTable(ground(), 'id INT', { properties: { 'delta.enableDeletionVectors': 'true' } })
    await table.append(Array.from({ length: 100 }, (_, id) => ({ id })))
    await table.append(Array.from({ length: 100 }, (_, id) => ({ id: 100 + id })))
    await table.delete('id < 10 OR id BETWEEN 100 AND 102')
    const big = { minFileSize: 1 }
    // of 3 in 100 too few are deleted, and a file that is chosen alone stays as it is
    expect((await table.optimize(big).executeCompaction()).metrics).toMatchObject({ numFilesRemoved: 0 })
    await table.delete('id BETWEEN 103 AND 109')
    const { metrics } = await table.optimize(big).executeCompaction()
    expect(metrics).toMatchObject({
      numFilesRemoved: 2,
      numFilesAdded: 1,
      deletionVectorStats: { numDeletionVectorsRemoved: 2, numDeletionVectorRowsRemoved: 20 },
    })
    const [file] = await filesOf(table)
    expect(file!.deletionVector).toBeNull()
    expect(JSON.parse(file!.stats!)).toMatchObject({ numRecords: 180, tightBounds: true })
  })

  test('REORG takes deleted rows and dropped columns out of files, of chosen partitions', async () => {
    const properties = { 'delta.columnMapping.mode': 'name', 'delta.enableDeletionVectors': 'true' }
    const table = await makeTable(ground(), 'id INT, a STRING, b INT, p INT', { properties, partitionBy: ['p'] })
    await table.append([
      { id: 1, a: 'x', b: 1, p: 0 },
      { id: 2, a: 'y', b: 2, p: 1 },
    ])
    await table.dropColumn('b')
    await table.append([
      { id: 3, a: 'z', p: 0 },
      { id: 4, a: 'z', p: 0 },
    ])
    await table.delete('id = 4')
    const before = await rowsOf(table)
    const first = await table.purge({ where: 'p = 0' })
    expect(first.metrics).toMatchObject({ numFilesRemoved: 2, numFilesAdded: 1, totalConsideredFiles: 2 })
    expect(await infoOf(table, first.versions[0]!)).toMatchObject({
      operation: 'REORG',
      operationParameters: { applyPurge: true },
      isolationLevel: 'SnapshotIsolation',
    })
    const second = await table.purge()
    expect(second.metrics).toMatchObject({
      numFilesRemoved: 1,
      numFilesAdded: 1,
      totalConsideredFiles: 2,
      totalFilesSkipped: 1,
    })
    expect((await table.purge()).versions).toEqual([])
    expect(await rowsOf(table)).toEqual(before)
  })

  test('rows keep their ids', async () => {
    const table = await makeTable(ground(), 'id INT', { properties: { 'delta.enableRowTracking': 'true' } })
    await table.append([{ id: 1 }, { id: 2 }])
    await table.append([{ id: 3 }])
    const select = ['id', '_metadata.row_id', '_metadata.row_commit_version']
    const before = await rowsOf(table, select)
    const { versions } = await table.optimize().executeCompaction()
    expect(await rowsOf(table, select)).toEqual(before)
    expect(await infoOf(table, versions[0]!)).toMatchObject({ tags: { 'delta.rowTracking.preserved': 'true' } })
    await table.optimize().executeZOrderBy('id')
    expect(await rowsOf(table, select)).toEqual(before)
  })

  test('the change feed tells of nothing', async () => {
    const table = await makeTable(ground(), 'id INT', { properties: { 'delta.enableChangeDataFeed': 'true' } })
    await table.append([{ id: 1 }])
    await table.append([{ id: 2 }])
    const { versions } = await table.optimize().executeCompaction()
    expect(await table.changes({ from: versions[0]! }).rows()).toEqual([])
  })

  test('batches are commits of their own, each of whole bins', async () => {
    const table = await makeTable(ground(), 'id INT, p INT', { partitionBy: ['p'] })
    for (const id of [1, 2])
      await table.append([
        { id, p: 0 },
        { id, p: 1 },
        { id, p: 2 },
      ])
    const before = await rowsOf(table)
    const plan = await table.optimize({ batchSize: 1 }).plan()
    expect(plan).toMatchObject({ numFiles: 6, numBins: 3, numBatches: 3, numPartitions: 3, numConsidered: 6 })
    const { versions, metrics } = await table.optimize({ batchSize: 1 }).executeCompaction()
    expect(versions).toEqual([3, 4, 5])
    expect(metrics).toMatchObject({ numBatches: 3, numBins: 3, numFilesAdded: 3, numFilesRemoved: 6 })
    expect(await rowsOf(table)).toEqual(before)
  })

  test('an append beside it lands; a delete of the same file makes it fail and leave nothing behind', async () => {
    const { store, tables } = ground()
    const table = await makeTable({ store, tables }, 'id INT')
    await table.append([{ id: 1 }])
    await table.append([{ id: 2 }])
    const between = (work: (table: DeltaTable) => Promise<unknown>) => {
      let done = false
      const raced: ObjectStore = {
        ...bound(store),
        putIfAbsent: async (key, bytes, options) => {
          if (!done && key.endsWith('.json')) {
            done = true
            await work(table)
          }
          return await store.putIfAbsent(key, bytes, options)
        },
      }
      return groundOf(engine(), raced).tables.forPath('/t')
    }
    const appended = await between((other) => other.append([{ id: 3 }]))
    expect((await appended.optimize().executeCompaction()).versions).toEqual([4])
    expect(await rowsOf(table, ['id'])).toEqual(['{"id":1}', '{"id":2}', '{"id":3}'])
    const deleted = await between((other) => other.delete('id = 1'))
    expect(await refusal(deleted.optimize().executeCompaction())).toBe('DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT')
    expect(await rowsOf(table, ['id'])).toEqual(['{"id":2}', '{"id":3}'])
    const commented = await between((other) => other.setProperties({ note: 'x' }))
    expect((await commented.optimize().executeCompaction()).versions).toEqual([7])
    expect(await rowsOf(table, ['id'])).toEqual(['{"id":2}', '{"id":3}'])
  })

  test('a clustered table is sorted bit by bit, and as a whole when asked', async () => {
    const table = await makeTable(ground(), 'id INT, a STRING', { clusterBy: ['id', 'a'] })
    await table.append(Array.from({ length: 20 }, (_, id) => ({ id, a: `s${id % 3}` })))
    await table.append(Array.from({ length: 20 }, (_, id) => ({ id: id + 20, a: `s${id % 3}` })))
    const before = await rowsOf(table)
    const first = await table.optimize().executeCompaction()
    expect(first.metrics.clusteringStats).toMatchObject({
      inputZCubeFiles: { numFiles: 0, size: 0 },
      inputOtherFiles: { numFiles: 2 },
      inputNumZCubes: 0,
      mergedFiles: { numFiles: 2 },
      numOutputZCubes: 1,
    })
    expect((await infoOf(table, 3)).operationParameters).toEqual({
      isFull: false,
      predicate: '[]',
      zOrderBy: '[]',
      clusterBy: '["id","a"]',
      auto: false,
    })
    const added = (await table.commit(3)).actions.flatMap((action) => ('add' in action ? [action.add] : []))
    expect(added).toMatchObject([{ clusteringProvider: 'liquid' }])
    expect([...added[0]!.tags!.keys()]).toEqual(['ZCUBE_ID', 'ZCUBE_ZORDER_BY'])
    expect(added[0]!.tags!.get('ZCUBE_ZORDER_BY')).toBe('["id","a"]')
    expect((await table.optimize().executeCompaction()).versions).toEqual([])
    await table.clusterBy(['a'])
    await table.append([{ id: 100, a: 'x' }])
    const second = await table.optimize().executeCompaction()
    expect(second.metrics).toMatchObject({ numFilesRemoved: 1, clusteringStats: { mergedFiles: { numFiles: 1 } } })
    const full = await table.optimize().full().executeCompaction()
    expect(full.metrics).toMatchObject({ numFilesRemoved: 2, numFilesAdded: 1, clusteringStats: { inputNumZCubes: 2 } })
    expect(await refusal(table.optimize().executeZOrderBy('id'))).toBe('DELTA_CLUSTERING_WITH_ZORDER_BY')
    expect(await refusal(table.optimize().where('id = 1').executeCompaction())).toBe(
      'DELTA_CLUSTERING_WITH_PARTITION_PREDICATE',
    )
    expect((await rowsOf(table)).length).toBe(before.length + 1)
  })

  test('FULL is for clustered tables', async () => {
    const table = await makeTable(ground(), 'id INT')
    expect(await refusal(table.optimize().full().executeCompaction())).toBe('DELTA_OPTIMIZE_FULL_NOT_SUPPORTED')
  })
})

/** The methods of a store as members of their own. */
function bound(store: ObjectStore): ObjectStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(Object.getPrototypeOf(target))])],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
}
