import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { memoryStore } from '../storage/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from './index.ts'

let tables: DeltaTables

beforeEach(() => {
  const store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  tables = deltaTables(() => backend)
})

async function makeTable(ddl: string, partitionBy: string[], properties: Record<string, string> = {}) {
  const builder = tables.create().location('/t').addColumns(ddl)
  return await builder
    .partitionedBy(...partitionBy)
    .properties(properties)
    .execute()
}

async function rows(table: DeltaTable): Promise<string[]> {
  return (await table.rows()).map((row) => Object.values(row).join(' ')).sort()
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isDeltaError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

async function changes(table: DeltaTable, version: number): Promise<string[]> {
  const feed = await table.changes({ from: version, to: version, select: ['id', '_change_type'] }).rows()
  return feed.map(({ id, _change_type }) => `${_change_type} ${id}`).sort()
}

const VECTORS = { 'delta.enableDeletionVectors': 'true' }
const FEED = { 'delta.enableChangeDataFeed': 'true' }

describe('replaceWhere', () => {
  const days = [
    { id: 1, d: '2024-01-01' },
    { id: 2, d: '2024-01-02' },
    { id: 3, d: '2024-02-01' },
  ]

  test('replaces the partitions of a predicate', async () => {
    const table = await makeTable('id INT, d DATE', ['d'])
    await table.append(days)
    const replaceWhere = "d >= '2024-01-01' AND d < '2024-02-01'"
    const result = await table.overwrite([{ id: 10, d: '2024-01-02' }], { replaceWhere })
    expect(result).toMatchObject({ version: 2, numFiles: 1, numRemovedFiles: 2 })
    expect(await rows(table)).toEqual(['10 2024-01-02', '3 2024-02-01'])
    const [entry] = await table.history(1)
    expect(entry!.operationParameters).toEqual({ mode: 'Overwrite', partitionBy: '[]', predicate: replaceWhere })
    expect(entry!.operationMetrics).toMatchObject({
      numFiles: '1',
      numOutputRows: '1',
      numRemovedFiles: '2',
      numDeletedRows: '2',
      numCopiedRows: '0',
      numAddedChangeFiles: '0',
    })
    expect(entry).toMatchObject({ operation: 'WRITE', isBlindAppend: false })
  })

  test.each([{}, VECTORS])('replaces the rows of a predicate over data, with %o', async (properties) => {
    const table = await makeTable('id INT, d DATE', [], properties)
    await table.append(days)
    await table.overwrite([{ id: 2, d: '2030-01-01' }], { replaceWhere: 'id = 2' })
    expect(await rows(table)).toEqual(['1 2024-01-01', '2 2030-01-01', '3 2024-02-01'])
    expect((await table.history(1))[0]!.operationMetrics).toMatchObject({ numDeletedRows: '1', numCopiedRows: '2' })
  })

  test.each([
    [{ id: 11, d: '2025-01-02' }, "d = '2024-02-01'"],
    [{ id: null, d: '2024-02-01' }, 'id < 5'],
  ])('refuses %o for %s and leaves the table as it was', async (row, replaceWhere) => {
    const table = await makeTable('id INT, d DATE', ['d'])
    await table.append(days)
    const refused = await refusal(table.overwrite([row], { replaceWhere }))
    expect(refused).toMatch(/^DELTA_REPLACE_WHERE_MISMATCH/)
    expect(await table.version()).toBe(1)
    expect(await refusal(table.overwrite([row], { replaceWhere: 'nope = 1' }))).toMatch(/^UNRESOLVED_COLUMN/)
    expect(await refusal(table.overwrite([row], { replaceWhere: '' }))).toMatch(/^PARSE_SYNTAX_ERROR/)
  })

  test('without rows takes out those of the predicate; without any of them makes no version', async () => {
    const table = await makeTable('id INT, d DATE', [])
    await table.append(days)
    expect(await table.overwrite([], { replaceWhere: 'id > 1' })).toMatchObject({ version: 2, numOutputRows: 0 })
    expect(await rows(table)).toEqual(['1 2024-01-01'])
    expect(await table.overwrite([], { replaceWhere: 'id > 1' })).toMatchObject({ version: null, skipped: 'no rows' })
  })

  test.each([FEED, { ...FEED, ...VECTORS }])('the change feed tells of both, with %o', async (properties) => {
    const table = await makeTable('id INT, d DATE', [], properties)
    await table.append(days)
    await table.overwrite([{ id: 20, d: '2024-03-01' }], { replaceWhere: 'id = 2 OR id > 10' })
    expect(await changes(table, 2)).toEqual(['delete 2', 'insert 20'])
    await table.overwrite([{ id: 30, d: '2024-03-01' }], { replaceWhere: 'id > 2' })
    expect(await changes(table, 3)).toEqual(['delete 20', 'delete 3', 'insert 30'])
  })

  test('adds columns together with mergeSchema', async () => {
    const table = await makeTable('id INT, d DATE', [])
    await table.append(days)
    const row = { id: 1, d: '2024-05-05', extra: 'x' }
    await table.overwrite([row], { replaceWhere: 'id = 1', mergeSchema: true })
    expect(await table.rows({ where: 'id < 3' })).toEqual([{ id: 2, d: '2024-01-02', extra: null }, row])
  })
})

describe('dynamic partition overwrite', () => {
  const dynamic = { partitionOverwriteMode: 'dynamic' } as const
  const given = [
    { id: 1, p: 'a', q: 1 },
    { id: 2, p: 'a', q: 2 },
    { id: 3, p: 'b', q: 1 },
    { id: 4, p: null, q: null },
  ]

  test('replaces the partitions that rows are written to', async () => {
    const table = await makeTable('id INT, p STRING, q INT', ['p', 'q'])
    await table.append(given)
    await table.overwrite(
      [
        { id: 20, p: 'b', q: 1 },
        { id: 21, p: 'c', q: 9 },
      ],
      dynamic,
    )
    expect(await rows(table)).toEqual(['1 a 1', '2 a 2', '20 b 1', '21 c 9', '4  '])
    const [entry] = await table.history(1)
    expect(entry!.operationParameters).toEqual({
      mode: 'Overwrite',
      partitionBy: '[]',
      isDynamicPartitionOverwrite: 'true',
    })
    expect(entry!.operationMetrics).toMatchObject({ numFiles: '2', numRemovedFiles: '1' })
  })

  test('UP-15: the NULL partition is one like any other', async () => {
    const table = await makeTable('id INT, p STRING, q INT', ['p', 'q'])
    await table.append(given)
    await table.overwrite([{ id: 40, p: null, q: null }], dynamic)
    expect(await rows(table)).toEqual(['1 a 1', '2 a 2', '3 b 1', '40  '])
    await table.overwrite([{ id: 41, p: '', q: null }], dynamic)
    expect(await rows(table)).toEqual(['1 a 1', '2 a 2', '3 b 1', '41  '])
  })

  test('knows a partition by its value, not by its spelling', async () => {
    const table = await makeTable('id INT, x DOUBLE', ['x'])
    await table.append([
      { id: 1, x: 0 },
      { id: 2, x: -0 },
      { id: 3, x: Number.NaN },
      { id: 4, x: 1e21 },
    ])
    await table.overwrite(
      [
        { id: 5, x: -0 },
        { id: 6, x: Number.NaN },
        { id: 7, x: 1e21 },
      ],
      dynamic,
    )
    expect((await table.rows({ select: ['id'] })).map(({ id }) => id).sort()).toEqual([1, 5, 6, 7])
  })

  test('without rows replaces nothing', async () => {
    const table = await makeTable('id INT, p STRING, q INT', ['p', 'q'])
    await table.append(given)
    expect(await table.overwrite([], dynamic)).toMatchObject({ version: null })
    expect(await rows(table)).toHaveLength(4)
  })

  test('a table without partitions is replaced whole', async () => {
    const table = await makeTable('id INT', [])
    await table.append([{ id: 1 }, { id: 2 }])
    await table.overwrite([{ id: 3 }], dynamic)
    expect(await rows(table)).toEqual(['3'])
  })
})

describe('options that contradict each other', () => {
  test.each([
    [
      { replaceWhere: 'id = 1', partitionOverwriteMode: 'dynamic' },
      'DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE',
    ],
    [
      { overwriteSchema: true, partitionOverwriteMode: 'dynamic' },
      'DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE',
    ],
    [{ overwriteSchema: true, replaceWhere: 'id = 1' }, 'LAKE_INVALID_OPTION'],
    [{ partitionOverwriteMode: 'sometimes' }, 'LAKE_INVALID_OPTION'],
  ] as const)('%o is refused', async (options, code) => {
    const table = await makeTable('id INT, p INT', ['p'])
    expect(await refusal(table.overwrite([{ id: 1, p: 1 }], options as never))).toContain(code)
    const appended = tables.write('/t', [{ id: 1, p: 1 }], { mode: 'append', replaceWhere: 'id = 1' })
    expect(await refusal(appended)).toMatch(/^LAKE_INVALID_OPTION/)
    expect(await table.version()).toBe(0)
  })

  test('an append-only table is not overwritten', async () => {
    const table = await makeTable('id INT', [], { 'delta.appendOnly': 'true' })
    await table.append([{ id: 1 }])
    const code = /^DELTA_CANNOT_MODIFY_APPEND_ONLY/
    expect(await refusal(table.overwrite([{ id: 1 }], { replaceWhere: 'id = 1' }))).toMatch(code)
    expect(await refusal(table.overwrite([{ id: 1 }]))).toMatch(code)
  })
})
