import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { commitKey } from '../kernel/index.ts'
import { memoryStore, type ObjectStore } from '../storage/index.ts'
import { encodeUtf8 } from '../support/index.ts'
import { type DeltaTable, deltaTables, type FollowOptions, localBackend, type MicroBatch } from './index.ts'

const PATH = '/lake/t'

let now: number
let store: ObjectStore
let tables: ReturnType<typeof deltaTables>

beforeEach(() => {
  now = Date.parse('2026-01-01T12:00:00Z')
  const clock = { now: () => (now += 1000) }
  store = memoryStore({ location: PATH, clock })
  const backend = localBackend({ openStore: async () => store, engine: jsEngine(), clock })
  tables = deltaTables(() => backend)
})

async function makeTable(properties: Record<string, string> = {}): Promise<DeltaTable> {
  await tables.write(PATH, [{ id: 1n }], { properties, schema: 'id BIGINT' })
  return await tables.forPath(PATH)
}

interface Followed {
  /** ids of each batch */
  readonly ids: unknown[][]
  readonly offset: MicroBatch['offset'] | undefined
  /** the code of the error that ended it */
  readonly error?: string
}

async function readAll(table: DeltaTable, options: FollowOptions = {}): Promise<Followed> {
  const ids: unknown[][] = []
  let offset: Followed['offset'] = options.offset as Followed['offset']
  try {
    for await (const batch of table.follow({ untilLatest: true, pollMs: 1, ...options })) {
      ids.push((await batch.rows()).map((row) => row.id ?? null))
      offset = batch.offset
    }
  } catch (error) {
    if (isDeltaError(error)) return { ids, offset, error: error.code }
    throw error
  }
  return { ids, offset }
}

/** A commit as another writer makes it. */
async function commit(version: number, ...actions: object[]): Promise<void> {
  const text = [{ commitInfo: { operation: 'TEST' } }, ...actions].map((action) => JSON.stringify(action)).join('\n')
  await store.put(commitKey(version), encodeUtf8(text))
}

describe('follow', () => {
  test('gives what the table holds, then what it gains, and goes on behind an offset', async () => {
    const table = await makeTable()
    await table.append([{ id: 2n }])
    const first = await readAll(table)
    expect(first).toMatchObject({ ids: [[1n, 2n]], offset: { version: 2, index: 0, initialSnapshot: false } })
    await table.append([{ id: 3n }])
    const second = await readAll(table, { offset: JSON.stringify(first.offset) })
    expect(second.ids).toEqual([[3n]])
    expect(await readAll(table, { offset: second.offset! })).toMatchObject({ ids: [] })
  })

  test('waits for more until it is aborted', async () => {
    const table = await makeTable()
    const abort = new AbortController()
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const batch of table.follow({ pollMs: 1, signal: abort.signal })) {
        for (const row of await batch.rows()) seen.push(row.id)
        if (seen.length === 1) await table.append([{ id: 2n }])
        else abort.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
    expect(seen).toEqual([1n, 2n])
  })

  test('begins at a version, at a time, or behind the latest', async () => {
    const table = await makeTable()
    await table.append([{ id: 2n }])
    await table.append([{ id: 3n }])
    expect((await readAll(table, { startingVersion: 1 })).ids).toEqual([[2n, 3n]])
    expect((await readAll(table, { startingVersion: 'latest' })).ids).toEqual([])
    const [, second] = await table.history()
    expect((await readAll(table, { startingTimestamp: second!.timestamp })).ids).toEqual([[2n, 3n]])
    expect((await readAll(table, { startingVersion: 9 })).error).toBe('DELTA_VERSION_NOT_FOUND')
    expect(() => table.follow({ startingVersion: 1, startingTimestamp: 0 })).toThrow(
      expect.objectContaining({ code: 'DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET' }),
    )
  })

  test.each([{ maxFilesPerTrigger: 1 }, { maxBytesPerTrigger: 1 }])(
    'gives one file at a time with %j, in the same order from any offset',
    async (limit) => {
      const table = await makeTable()
      await table.append([{ id: 2n }])
      await table.append([{ id: 3n }])
      const offsets: MicroBatch['offset'][] = []
      for await (const { offset } of table.follow({ ...limit, untilLatest: true })) offsets.push(offset)
      expect(offsets.map(({ version, index, initialSnapshot }) => [version, index, initialSnapshot])).toEqual([
        [2, 1, true],
        [2, 2, true],
        [3, 0, false],
      ])
      for (const [i, offset] of offsets.entries()) {
        const left = [[1n], [2n], [3n]].slice(i + 1)
        expect((await readAll(table, { ...limit, offset })).ids).toEqual(left)
      }
    },
  )

  test('keeps to the columns and rows asked for', async () => {
    const table = await makeTable()
    await table.append([{ id: 2n }])
    for await (const batch of table.follow({ where: 'id > 1', select: ['ID'], untilLatest: true })) {
      expect(await batch.rows()).toEqual([{ id: 2n }])
    }
  })

  test('stops at a commit that changes the schema, and goes on from the last offset with the new one', async () => {
    const table = await makeTable()
    await table.append([{ id: 2n, name: 'b' }], { mergeSchema: true })
    await table.append([{ id: 3n, name: 'c' }])
    const stopped = await readAll(table, { startingVersion: 0 })
    expect(stopped).toMatchObject({ ids: [[1n]], error: 'DELTA_SCHEMA_CHANGED_WITH_VERSION' })
    const rows: unknown[] = []
    for await (const batch of table.follow({ offset: stopped.offset!, untilLatest: true })) {
      rows.push(...(await batch.rows()))
    }
    expect(rows).toEqual([
      { id: 2n, name: 'b' },
      { id: 3n, name: 'c' },
    ])
  })

  test('gives an empty batch where only the offset moves before a stop, so that it is not met again', async () => {
    const table = await makeTable()
    const started = await readAll(table)
    await commit(1)
    await commit(2, { protocol: { minReaderVersion: 1, minWriterVersion: 4 } })
    const stopped = await readAll(table, { offset: started.offset! })
    expect(stopped).toMatchObject({ ids: [[]], offset: { version: 2 }, error: 'DELTA_STREAMING_METADATA_EVOLUTION' })
    expect(await readAll(table, { offset: stopped.offset! })).toMatchObject({ ids: [] })
  })

  test('passes over commits that change rows only as it is told', async () => {
    const table = await makeTable()
    await table.overwrite([{ id: 2n }])
    await table.append([{ id: 3n }])
    const from = { startingVersion: 0 }
    expect(await readAll(table, from)).toMatchObject({ ids: [[1n]], error: 'DELTA_SOURCE_TABLE_IGNORE_CHANGES' })
    expect((await readAll(table, { ...from, ignoreDeletes: true })).error).toBe('DELTA_SOURCE_TABLE_IGNORE_CHANGES')
    expect((await readAll(table, { ...from, ignoreChanges: true })).ids).toEqual([[1n, 2n, 3n]])
    expect((await readAll(table, { ...from, skipChangeCommits: true })).ids).toEqual([[1n, 3n]])
  })

  test('passes over commits that delete files only as it is told', async () => {
    const table = await makeTable()
    await table.overwrite([])
    await table.append([{ id: 3n }])
    const from = { startingVersion: 0 }
    expect(await readAll(table, from)).toMatchObject({ ids: [[1n]], error: 'DELTA_SOURCE_IGNORE_DELETE' })
    for (const rule of [{ ignoreDeletes: true }, { ignoreChanges: true }, { skipChangeCommits: true }]) {
      expect((await readAll(table, { ...from, ...rule })).ids).toEqual([[1n, 3n]])
    }
  })

  test('gives the change feed, a version never parted', async () => {
    const table = await makeTable({ 'delta.enableChangeDataFeed': 'true' })
    await table.append([{ id: 2n }])
    await table.overwrite([{ id: 3n }])
    const batches: unknown[] = []
    for await (const batch of table.follow({
      startingVersion: 1,
      readChangeFeed: true,
      maxFilesPerTrigger: 1,
      untilLatest: true,
    })) {
      batches.push((await batch.rows()).map((row) => [row.id, row._change_type, row._commit_version]))
    }
    expect(batches).toEqual([
      [[2n, 'insert', 1n]],
      [
        [1n, 'delete', 2n],
        [2n, 'delete', 2n],
        [3n, 'insert', 2n],
      ],
    ])
    const first = await table.follow({ readChangeFeed: true, untilLatest: true }).next()
    expect(await first.value?.rows()).toMatchObject([{ id: 3n, _change_type: 'insert', _commit_version: 2n }])
  })

  test('gives changes the times that a range of changes has, in a log that was copied', async () => {
    const feed = { 'delta.enableChangeDataFeed': 'true' }
    const table = await makeTable(feed)
    await table.append([{ id: 2n }])
    await table.append([{ id: 3n }])
    const copy = memoryStore({ location: PATH, clock: { now: () => 1_000_000 } })
    for await (const page of store.list({ prefix: '' })) {
      for (const { key } of page) await copy.put(key, await store.get(key))
    }
    const backend = localBackend({ openStore: async () => copy, engine: jsEngine() })
    const copied = await deltaTables(() => backend).forPath(PATH)
    const times = (await copied.changes({ from: 1 }).rows()).map((row) => row._commit_timestamp)
    const batch = await copied.follow({ startingVersion: 1, readChangeFeed: true, untilLatest: true }).next()
    expect((await batch.value!.rows()).map((row) => row._commit_timestamp)).toEqual(times)
    expect(times).toEqual(['1970-01-01T00:16:40.001Z', '1970-01-01T00:16:40.002Z'])
  })

  test('of a table without a feed gives no change feed', async () => {
    expect((await readAll(await makeTable(), { readChangeFeed: true })).error).toBe('DELTA_MISSING_CHANGE_DATA')
  })

  test('refuses renamed mapped columns until it is allowed to go on', async () => {
    const table = await makeTable({ 'delta.columnMapping.mode': 'name' })
    const started = await readAll(table)
    const [metaData] = (await table.commit(0)).actions.flatMap((action) =>
      'metaData' in action ? [action.metaData] : [],
    )
    const schemaString = metaData!.schemaString!.replace('"name":"id"', '"name":"key"')
    const { id, partitionColumns, configuration } = metaData!
    const format = { provider: 'parquet', options: {} }
    await commit(1, {
      metaData: { id, format, schemaString, partitionColumns, configuration: Object.fromEntries(configuration) },
    })
    await table.append([{ key: 2n }])
    const refused = await readAll(table, { offset: started.offset! })
    expect(refused).toMatchObject({ ids: [], error: 'DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG' })
    const allowed = table.follow({ offset: started.offset!, allowSourceColumnRenameAndDrop: true, untilLatest: true })
    expect(await (await allowed.next()).value?.rows()).toEqual([{ key: 2n }])
  })

  test('refuses the offset of another table, one that is none, and a log that lost a version', async () => {
    const table = await makeTable()
    const { offset } = await readAll(table)
    const other = { ...offset!, tableId: 'other' }
    expect((await readAll(table, { offset: other })).error).toBe('DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE')
    expect(() => table.follow({ offset: '{"version":1}' })).toThrow(
      expect.objectContaining({ code: 'DELTA_INVALID_SOURCE_OFFSET_FORMAT' }),
    )
    await table.append([{ id: 2n }])
    await table.append([{ id: 3n }])
    await table.checkpoint()
    await store.delete(commitKey(1))
    expect((await readAll(table, { offset: offset! })).error).toMatch(/^DELTA_VERSION/)
  })
})
