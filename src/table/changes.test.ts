import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { commitKey } from '../kernel/index.ts'
import { memoryStore, type ObjectStore } from '../storage/index.ts'
import { encodeUtf8 } from '../support/index.ts'
import { type ChangesOptions, type DeltaTable, deltaTables, localBackend } from './index.ts'

const PATH = '/lake/t'
const FEED = { 'delta.enableChangeDataFeed': 'true' }

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

/** Versions 0 to 2: one row each, the last of them in place of the others. */
async function makeTable(properties: Record<string, string> = FEED): Promise<DeltaTable> {
  await tables.write(PATH, [{ id: 1n }], { properties, schema: 'id BIGINT' })
  const table = await tables.forPath(PATH)
  await table.append([{ id: 2n }])
  await table.overwrite([{ id: 3n }])
  return table
}

/** `id change version`, or the code of the refusal. */
async function read(table: DeltaTable, options: ChangesOptions): Promise<string[] | string> {
  try {
    const rows = await table.changes(options).rows()
    return rows.map((row) => `${row.id ?? row.key} ${row._change_type} ${row._commit_version}`)
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
}

const ALL = ['1 insert 0', '2 insert 1', '1 delete 2', '2 delete 2', '3 insert 2']

async function metadataOf(table: DeltaTable) {
  const [metaData] = (await table.commit(0)).actions.flatMap((a) => ('metaData' in a ? [a.metaData] : []))
  const { id, partitionColumns, configuration, schemaString = '' } = metaData!
  const format = { provider: 'parquet', options: {} }
  return { id, format, partitionColumns, schemaString, configuration: Object.fromEntries(configuration) }
}

/** A commit as another writer makes it. */
async function commit(version: number, ...actions: object[]): Promise<void> {
  await store.put(commitKey(version), encodeUtf8(actions.map((action) => JSON.stringify(action)).join('\n')))
}

describe('changes', () => {
  test('come from one version to another, to the latest, or to a version that is not there yet', async () => {
    const table = await makeTable()
    expect(await read(table, { from: 0 })).toEqual(ALL)
    expect(await read(table, { from: 1, to: 1 })).toEqual(ALL.slice(1, 2))
    expect(await read(table, { from: 2, to: 99 })).toEqual(ALL.slice(2))
    expect(await read(table.versionAsOf(1), { from: 0 })).toEqual(ALL.slice(0, 2))
  })

  test('come from the first version at or after a time to the last at or before one', async () => {
    const table = await makeTable()
    const [newest, second, oldest] = (await table.history()).map(({ timestamp }) => Date.parse(timestamp))
    expect(await read(table, { fromTimestamp: 0 })).toEqual(ALL)
    expect(await read(table, { fromTimestamp: oldest! + 1, toTimestamp: newest! - 1 })).toEqual(ALL.slice(1, 2))
    expect(await read(table, { fromTimestamp: second!, toTimestamp: newest! + 9 })).toEqual(ALL.slice(1))
    expect(await read(table, { fromTimestamp: newest! + 1000 })).toBe('DELTA_TIMESTAMP_GREATER_THAN_COMMIT')
    expect(await read(table, { from: 0, toTimestamp: 0 })).toBe('DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION')
  })

  test('carry the time of their commit, written in it where the table has such times', async () => {
    const table = await makeTable({ ...FEED, 'delta.enableInCommitTimestamps': 'true' })
    const rows = await table.changes({ from: 0 }).rows()
    const times = new Map((await table.history()).map(({ version, timestamp }) => [BigInt(version), timestamp]))
    const written = (await table.commit(2)).actions.flatMap((a) => ('commitInfo' in a ? [a.commitInfo] : []))
    expect(Date.parse(String(rows.at(-1)?._commit_timestamp))).toBe(written[0]?.inCommitTimestamp)
    for (const row of rows) expect(row._commit_timestamp).toBe(times.get(row._commit_version as bigint))
  })

  test('are filtered by any column, cut to the columns asked for and to a number of rows over all versions', async () => {
    const table = await makeTable()
    const where = "_change_type = 'delete' OR _commit_version = 1 OR id = 3"
    expect(await read(table, { from: 0, where })).toEqual(ALL.slice(1))
    expect(
      await table.changes({ from: 0, where: 'id > 1', select: ['_commit_version', 'ID'], limit: 2 }).rows(),
    ).toEqual([
      { _commit_version: 1n, id: 2n },
      { _commit_version: 2n, id: 2n },
    ])
    const unknown = await read(table, { from: 0, select: ['nope'] })
    expect(unknown).toBe('UNRESOLVED_COLUMN.WITH_SUGGESTION')
  })

  test('are refused by name for a range that is none', async () => {
    const table = await makeTable()
    expect(await read(table, { from: 3 })).toBe('DELTA_CDC_START_VERSION_AFTER_LATEST')
    expect(await read(table, { from: 2, to: 1 })).toBe('DELTA_INVALID_CDC_RANGE')
    expect(await read(table, {})).toBe('DELTA_NO_START_FOR_CDC_READ')
    expect(await read(table, { from: 0, fromTimestamp: 0 })).toBe('DELTA_MULTIPLE_CDC_BOUNDARY')
    expect(await read(table, { from: -1 })).toBe('DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE')
  })

  test('are refused where the feed was off, and where a commit is gone', async () => {
    expect(await read(await makeTable({}), { from: 0 })).toBe('DELTA_MISSING_CHANGE_DATA')
    store = memoryStore({ location: PATH })
    const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
    tables = deltaTables(() => backend)
    const table = await makeTable()
    await table.checkpoint()
    await store.delete(commitKey(1))
    expect(await read(table, { from: 2 })).toEqual(ALL.slice(2))
    expect(await read(table, { from: 1 })).toMatch(/^DELTA_VERSION/)
  })

  test('have the newest columns, null where rows are older', async () => {
    const table = await makeTable()
    await table.append([{ id: 4n, name: 'd' }], { mergeSchema: true })
    const rows = await table.changes({ from: 2, where: "_change_type = 'insert'", select: ['id', 'name'] }).rows()
    expect(rows).toEqual([
      { id: 3n, name: null },
      { id: 4n, name: 'd' },
    ])
  })

  test('have the columns of their last version where the newest ones do not fit', async () => {
    const table = await makeTable()
    await table.overwrite([{ id: 'x' }], { overwriteSchema: true })
    expect(await read(table, { from: 0, to: 2 })).toEqual(ALL)
    expect(await read(table, { from: 0 })).toBe('DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA')
  })

  test('of mapped columns are read on either side of a rename, not across it', async () => {
    const table = await makeTable({ ...FEED, 'delta.columnMapping.mode': 'name' })
    const metaData = await metadataOf(table)
    const schemaString = metaData.schemaString.replace('"name":"id"', '"name":"key"')
    await commit(3, { metaData: { ...metaData, schemaString } })
    await table.append([{ key: 4n }])
    await commit(5, { metaData })
    expect(await read(table, { from: 0, to: 2 })).toEqual(ALL)
    expect(await read(table, { from: 3, to: 4 })).toEqual(['4 insert 4'])
    expect(await read(table, { from: 2, to: 4 })).toBe('DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA')
    expect(await read(table, { from: 0, to: 5 })).toBe('DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE')
  })

  test('of a table with a column that is called as one of the feed are refused', async () => {
    await tables.write(PATH, [{ _Change_Type: 'x' }], {})
    const metaData = await metadataOf(await tables.forPath(PATH))
    await commit(1, { metaData: { ...metaData, configuration: FEED } })
    expect(await read(await tables.forPath(PATH), { from: 1 })).toBe('DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS')
  })
})
