import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { memoryStore, type ObjectStore } from '../storage/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from './index.ts'

let store: ObjectStore
let tables: DeltaTables

beforeEach(() => {
  store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  tables = deltaTables(() => backend)
})

async function makeTable(ddl: string, properties: Record<string, string> = {}, partitionBy: string[] = []) {
  return await tables
    .create()
    .location('/t')
    .addColumns(ddl)
    .partitionedBy(...partitionBy)
    .properties(properties)
    .execute()
}

/** Rows as JSON texts, sorted. */
async function rows(table: DeltaTable, select?: string[]): Promise<string[]> {
  return (await table.rows(select ? { select } : {}))
    .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? Number(value) : value)))
    .sort()
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

const VECTORS = { 'delta.enableDeletionVectors': 'true' }
const FEED = { 'delta.enableChangeDataFeed': 'true' }

/** What a version did, a line an action. */
async function actions(table: DeltaTable, version: number): Promise<string[]> {
  const commit = await table.commit(version)
  return commit.actions.flatMap((action) => {
    if ('add' in action) return [`add ${marks(action.add.deletionVector)}`]
    if ('remove' in action) return [`remove ${marks(action.remove.deletionVector)}`]
    return 'cdc' in action ? ['cdc'] : []
  })
}

function marks(vector: { readonly cardinality: number } | undefined): string {
  return vector === undefined ? 'whole' : `but ${vector.cardinality}`
}

async function changes(table: DeltaTable, version: number): Promise<string[]> {
  const feed = await table.changes({ from: version, to: version, select: ['id', 'x', '_change_type'] }).rows()
  return feed.map(({ id, x, _change_type }) => `${_change_type} ${id} ${x}`).sort()
}

async function five(properties: Record<string, string>) {
  const table = await makeTable('id INT, x INT', properties)
  await table.append([1, 2, 3, 4, 5].map((id) => ({ id, x: id * 10 })))
  return table
}

describe('delete', () => {
  test.each([{}, VECTORS])('UP-15: a row whose condition is NULL stays, with %o', async (properties) => {
    const table = await makeTable('id INT, x INT', properties)
    await table.append([
      { id: 1, x: 6 },
      { id: 2, x: null },
      { id: 3, x: 5 },
    ])
    expect((await table.delete('x > 5')).numAffectedRows).toBe(1)
    expect(await rows(table, ['id'])).toEqual(['{"id":2}', '{"id":3}'])
    expect((await table.delete('NOT (x > 5)')).numAffectedRows).toBe(1)
    expect(await rows(table, ['id'])).toEqual(['{"id":2}'])
    expect((await table.delete('x IS NULL')).metrics).toMatchObject({ numDeletedRows: 1, numRemovedFiles: 1 })
    expect(await rows(table)).toEqual([])
  })

  test('without deletion vectors the rows that stay are written anew', async () => {
    const table = await five({})
    const { version, metrics } = await table.delete('id IN (2, 4)')
    expect(version).toBe(2)
    expect(metrics).toMatchObject({ numRemovedFiles: 1, numAddedFiles: 1, numCopiedRows: 3, numDeletedRows: 2 })
    expect(metrics).toMatchObject({ numDeletionVectorsAdded: 0, numAddedChangeFiles: 0 })
    expect(await actions(table, 2)).toEqual(['remove whole', 'add whole'])
    const [entry] = await table.history(1)
    expect(entry).toMatchObject({ operation: 'DELETE', isBlindAppend: false })
    expect(entry!.operationParameters).toEqual({ predicate: '["(id IN (2, 4))"]' })
    expect(entry!.operationMetrics).toMatchObject({ numDeletedRows: '2', numCopiedRows: '3' })
  })

  test('with deletion vectors rows are marked, then marked together, then the file goes', async () => {
    const table = await five(VECTORS)
    expect((await table.delete('id = 2')).metrics).toMatchObject({
      numDeletionVectorsAdded: 1,
      numDeletionVectorsRemoved: 0,
      numDeletionVectorsUpdated: 0,
      numRemovedFiles: 0,
      numCopiedRows: 0,
    })
    expect((await table.delete('id >= 4')).metrics).toMatchObject({
      numDeletionVectorsAdded: 1,
      numDeletionVectorsRemoved: 1,
      numDeletionVectorsUpdated: 1,
      numDeletedRows: 2,
    })
    expect(await rows(table, ['id'])).toEqual(['{"id":1}', '{"id":3}'])
    expect(await actions(table, 3)).toEqual(['remove but 1', 'add but 3'])
    for await (const { path, numRecords } of table.files()) expect([path, numRecords]).toBeDefined()
    expect((await table.delete('x < 1000')).metrics).toMatchObject({
      numDeletionVectorsAdded: 0,
      numDeletionVectorsRemoved: 1,
      numDeletionVectorsUpdated: 0,
      numRemovedFiles: 1,
    })
    expect(await actions(table, 4)).toEqual(['remove but 3'])
  })

  test('statistics of a file with marked rows say that they bound loosely', async () => {
    const table = await five(VECTORS)
    await table.delete('id = 5')
    const { actions: all } = await table.commit(2)
    const add = all.find((action) => 'add' in action)!
    const stats = JSON.parse(('add' in add && add.add.stats) || '{}')
    expect(stats).toMatchObject({ numRecords: 5, maxValues: { id: 5 }, tightBounds: false })
  })

  test('a condition on partitions removes whole files from the log alone', async () => {
    const table = await makeTable('id INT, p STRING', {}, ['p'])
    await table.append([
      { id: 1, p: 'a' },
      { id: 2, p: 'b' },
      { id: 3, p: null },
    ])
    expect((await table.delete("p = 'a' OR p IS NULL")).metrics).toMatchObject({
      numRemovedFiles: 2,
      numDeletedRows: 2,
    })
    expect(await actions(table, 2)).toEqual(['remove whole', 'remove whole'])
    expect(await rows(table)).toEqual(['{"id":2,"p":"b"}'])
  })

  test('without a condition every row goes; where nothing is touched there is no version', async () => {
    const table = await five({})
    expect(await table.delete('id = 99')).toMatchObject({ version: null, numAffectedRows: 0 })
    expect(await table.delete()).toMatchObject({ version: 2, numAffectedRows: 5 })
    expect((await table.history(1))[0]!.operationParameters).toEqual({ predicate: '["true"]' })
    expect(await table.delete()).toMatchObject({ version: null, numAffectedRows: 0 })
  })

  test.each([undefined, '', ' ', null])('a condition that was given and is %o is refused', async (where) => {
    const table = await five({})
    expect(await refusal(table.delete(where as string))).toMatch(/^LAKE_USAGE/)
    expect(await refusal(table.update({ where: where as string, set: { x: '1' } }))).toMatch(/^LAKE_USAGE/)
    expect(await table.version()).toBe(1)
  })

  test('conditions are refused under the names of the reference', async () => {
    const table = await five({})
    expect(await refusal(table.delete('nope = 1'))).toMatch(/^UNRESOLVED_COLUMN.WITH_SUGGESTION/)
    expect(await refusal(table.delete('id IN (SELECT 1)'))).toMatch(/^DELTA_UNSUPPORTED_SUBQUERY/)
    expect(await refusal(table.delete('id = (SELECT max(id) FROM t)'))).toMatch(/^DELTA_UNSUPPORTED_SUBQUERY/)
    expect(await refusal(table.delete('rand() > 0.5'))).toMatch(/^INVALID_NON_DETERMINISTIC_EXPRESSIONS/)
    expect(await refusal(table.delete('sum(id) > 1'))).toMatch(/^UNSUPPORTED_EXPR_FOR_OPERATOR/)
    expect(await refusal(table.delete('id'))).toMatch(/^DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN/)
    expect(await table.version()).toBe(1)
  })

  test('an append-only table keeps its rows', async () => {
    const table = await five({ 'delta.appendOnly': 'true' })
    expect(await refusal(table.delete('id = 1'))).toMatch(/^DELTA_CANNOT_MODIFY_APPEND_ONLY/)
    expect(await refusal(table.update({ set: { id: '5' } }))).toMatch(/^DELTA_CANNOT_MODIFY_APPEND_ONLY/)
    expect(await refusal(table.delete())).toMatch(/^DELTA_CANNOT_MODIFY_APPEND_ONLY/)
  })
})

describe('update', () => {
  test.each([{}, VECTORS])('columns change where the condition is TRUE, with %o', async (properties) => {
    const table = await five(properties)
    const { version, numAffectedRows, metrics } = await table.update({ where: 'id <= 2', set: { x: 'x + id' } })
    expect([version, numAffectedRows]).toEqual([2, 2])
    const marked = properties === VECTORS
    expect(metrics).toMatchObject({
      numUpdatedRows: 2,
      numCopiedRows: marked ? 0 : 3,
      numRemovedFiles: 1,
      numAddedFiles: 1,
      numDeletionVectorsAdded: marked ? 1 : 0,
    })
    expect(await rows(table)).toEqual([
      '{"id":1,"x":11}',
      '{"id":2,"x":22}',
      '{"id":3,"x":30}',
      '{"id":4,"x":40}',
      '{"id":5,"x":50}',
    ])
    const [entry] = await table.history(1)
    expect(entry).toMatchObject({ operation: 'UPDATE', operationParameters: { predicate: '["(id <= 2)"]' } })
    expect((await table.update({ set: { x: 'NULL' } })).numAffectedRows).toBe(5)
    expect((await table.history(1))[0]).toMatchObject({ operationParameters: { predicate: '[]' } })
    expect(await table.count({ where: 'x IS NULL' })).toBe(5)
    expect(await table.update({ where: 'id = 99', set: { x: '1' } })).toMatchObject({
      version: null,
      numAffectedRows: 0,
    })
  })

  test('values are of the old row', async () => {
    const table = await five({})
    await table.updateExpr({ where: 'id = 3', set: { id: 'x', x: 'id' } })
    expect(await rows(table)).toContain('{"id":30,"x":3}')
  })

  test('UP-15: a row for which NOT of a NULL is asked stays', async () => {
    const table = await makeTable('id INT, x INT')
    await table.append([
      { id: 1, x: null },
      { id: 2, x: 1 },
    ])
    await table.update({ where: 'NOT (x > 5)', set: { id: '0' } })
    expect(await rows(table)).toEqual(['{"id":0,"x":1}', '{"id":1,"x":null}'])
  })

  test.each([{}, VECTORS])('rows move to the partition they then belong to, with %o', async (properties) => {
    const table = await makeTable('id INT, p STRING', properties, ['p'])
    await table.append([
      { id: 1, p: 'a' },
      { id: 2, p: 'a' },
      { id: 3, p: 'b' },
    ])
    await table.update({ where: 'id = 2', set: { p: "'b b'" } })
    expect(await rows(table, ['id'])).toHaveLength(3)
    expect(await table.rows({ where: "p = 'b b'" })).toEqual([{ id: 2, p: 'b b' }])
    const partitions: unknown[] = []
    for await (const file of table.files({ where: "p = 'b b'" })) partitions.push(file.partitionValues)
    expect(partitions).toEqual([{ p: 'b b' }])
  })

  test('members of structs are set, the others stay; a null struct becomes one', async () => {
    const table = await makeTable('id INT, s STRUCT<a: INT, t: STRUCT<b: STRING, c: INT>>, `a.b` INT')
    await table.append([
      { id: 1, s: { a: 1, t: { b: 'x', c: 2 } }, 'a.b': 1 },
      { id: 2, s: null, 'a.b': 2 },
    ])
    await table.update({ set: { 'S.t.B': "'new'", 's.a': 's.a + 1', '`a.b`': '7' } })
    expect(await rows(table)).toEqual([
      '{"id":1,"s":{"a":2,"t":{"b":"new","c":2}},"a.b":7}',
      '{"id":2,"s":{"a":null,"t":{"b":"new","c":null}},"a.b":7}',
    ])
    await table.update({ where: 'id = 1', set: { s: "named_struct('t', named_struct('c', '5', 'b', 1), 'a', 9L)" } })
    expect(await rows(table, ['s'])).toContain('{"s":{"a":9,"t":{"b":"1","c":5}}}')
    expect(await refusal(table.update({ set: { s: "named_struct('a', 1)" } }))).toMatch(
      /^DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION/,
    )
  })

  test('assignments are refused under the names of the reference', async () => {
    const table = await makeTable('id INT, s STRUCT<a: INT>, arr ARRAY<STRUCT<x: INT>>, t TINYINT')
    await table.append([{ id: 1, s: { a: 1 }, arr: [], t: 1 }])
    const set = (values: Record<string, string>) => refusal(table.update({ set: values }))
    expect(await set({ nope: '1' })).toMatch(/^UNRESOLVED_COLUMN.WITH_SUGGESTION/)
    expect(await set({ 's.nope': '1' })).toMatch(/^FIELD_NOT_FOUND/)
    expect(await set({ id: "'abc'" })).toMatch(/^CAST_INVALID_INPUT/)
    expect(await set({ id: '1', ID: '2' })).toMatch(/^DELTA_CONFLICT_SET_COLUMN/)
    expect(await set({ s: 'NULL', 's.a': '2' })).toMatch(/^DELTA_CONFLICT_SET_COLUMN/)
    expect(await set({ 'arr.x': '5' })).toMatch(/^DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE/)
    expect(await set({ 'arr[0]': '5' })).toMatch(/^LAKE_USAGE/)
    expect(await set({ t: '300' })).toMatch(/^DELTA_CAST_OVERFLOW_IN_TABLE_WRITE/)
    expect(await set({ t: 'id + 200' })).toMatch(/^DELTA_CAST_OVERFLOW_IN_TABLE_WRITE/)
    expect(await set({ id: "DATE '2020-01-01'" })).toMatch(/^DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION/)
    expect(await set({})).toMatch(/^LAKE_USAGE/)
    expect(await refusal(table.update({ where: 'id IN (SELECT 1)', set: { id: '1' } }))).toMatch(/SUBQUERY/)
    expect(await table.version()).toBe(1)
  })

  test('NOT NULL and declared lengths hold for new values', async () => {
    const table = await makeTable('id INT NOT NULL, x INT, v VARCHAR(3)')
    await table.append([{ id: 1, x: 5, v: 'a' }])
    expect(await refusal(table.update({ set: { id: 'NULL' } }))).toMatch(/^DELTA_NOT_NULL_CONSTRAINT_VIOLATED/)
    expect(await refusal(table.update({ set: { v: "'long'" } }))).toMatch(/^DELTA_EXCEED_CHAR_VARCHAR_LIMIT/)
    expect(await table.version()).toBe(1)
  })
})

describe('the change feed', () => {
  const images = ['update_postimage 1 0', 'update_postimage 2 0', 'update_preimage 1 10', 'update_preimage 2 20']

  test.each([FEED, { ...FEED, ...VECTORS }])('tells of an update before and after, with %o', async (properties) => {
    const table = await five(properties)
    expect((await table.update({ where: 'id < 3', set: { x: '0' } })).metrics.numAddedChangeFiles).toBe(2)
    expect(await changes(table, 2)).toEqual(images)
    expect(await actions(table, 2)).toContain('cdc')
  })

  test('tells of deleted rows in a file where files are written anew, and lets the log speak elsewhere', async () => {
    const table = await five(FEED)
    await table.delete('id = 1')
    expect(await actions(table, 2)).toEqual(['remove whole', 'add whole', 'cdc'])
    expect(await changes(table, 2)).toEqual(['delete 1 10'])
    await table.delete('x > 0')
    expect(await actions(table, 3)).toEqual(['remove whole'])
    expect(await changes(table, 3)).toEqual(['delete 2 20', 'delete 3 30', 'delete 4 40', 'delete 5 50'])
  })

  test('a delete that ends one file and changes another tells of all its rows', async () => {
    const table = await five(FEED)
    await table.append([{ id: 1, x: 1 }])
    await table.delete('id = 1')
    expect(await actions(table, 3)).toEqual(['remove whole', 'remove whole', 'add whole', 'cdc'])
    expect(await changes(table, 3)).toEqual(['delete 1 1', 'delete 1 10'])
  })

  test('needs no file of its own where rows are marked', async () => {
    const table = await five({ ...FEED, ...VECTORS })
    await table.delete('id = 1')
    expect(await actions(table, 2)).toEqual(['remove whole', 'add but 1'])
    expect(await changes(table, 2)).toEqual(['delete 1 10'])
  })
})

describe('rows that are tracked', () => {
  const TRACKED = { 'delta.enableRowTracking': 'true' }
  test.each([TRACKED, { ...TRACKED, ...VECTORS }])('keep their ids, with %o', async (properties) => {
    const table = await five(properties)
    const ids = async () => (await table.rows({ rowIds: true })).map((row) => Object.values(row).map(Number)).sort()
    const before = (await ids()).map(([id, , rowId]) => [id, rowId])
    await table.update({ where: 'id = 2', set: { x: '0' } })
    await table.delete('id = 5')
    const after = await ids()
    expect(after.map(([id, , rowId]) => [id, rowId])).toEqual(before.filter(([id]) => id !== 5))
    expect(after.map(([id, , , version]) => [id, version])).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 1],
    ])
  })
})
