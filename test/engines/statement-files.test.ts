/** A statement opens only the files it can need: the others are taken away, and it answers all the same. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeEngine, openSession, type Session } from '../../src/session/index.ts'
import { Lake } from '../../src/sql/index.ts'

const root = mkdtempSync(join(tmpdir(), 'statement-'))
let session: Session
let lake: Lake

beforeAll(async () => {
  session = openSession({ engine: nodeEngine({ threads: 2 }) })
  const table = await session.tables
    .create()
    .location(join(root, 't'))
    .addColumn('id', 'BIGINT')
    .addColumn('note', 'STRING')
    .addColumn('country', 'STRING')
    .partitionedBy('country')
    .execute()
  await table.append([{ id: 1, note: 'a', country: 'DE' }])
  await table.append([{ id: 2, note: 'b', country: 'FR' }])
  await table.append([{ id: 3, note: 'c', country: 'DE' }])
  const { engine, openStore, backend } = session
  lake = new Lake({ engine, openStore, backend, tables: new Map([['t', join(root, 't')]]) }, async () => {})
})
afterAll(async () => {
  await lake.close()
  await session.close()
  rmSync(root, { recursive: true })
})

/** Without the files of some ids. */
async function without<T>(ids: readonly number[], work: () => Promise<T>): Promise<T> {
  const table = await session.tables.forPath(join(root, 't'))
  const store = await session.openStore(join(root, 't'))
  const away: [string, Uint8Array][] = []
  for (const id of ids) {
    for await (const { path } of table.files({ where: `id = ${id}` })) away.push([path, await store.get(path)])
  }
  expect(away).toHaveLength(ids.length)
  for (const [path] of away) await store.delete(path)
  try {
    return await work()
  } finally {
    for (const [path, bytes] of away) await store.put(path, bytes)
  }
}

async function rows(sql: string): Promise<unknown[]> {
  return await (await lake.sql(sql)).rows()
}

test.each([
  ['statistics', 'SELECT note FROM t WHERE id BETWEEN 3 AND 9', [1, 2], [{ note: 'c' }]],
  ['partitions', "SELECT count(*) AS n FROM t AS x WHERE x.country IN ('FR') AND note < 'z'", [1, 3], [{ n: 1n }]],
  [
    'both, inside of a WITH',
    "WITH y AS (SELECT * FROM t WHERE country = 'DE' AND 2 > id) SELECT note FROM y",
    [2, 3],
    [{ note: 'a' }],
  ],
])('by %s', async (_, sql, away, answer) => {
  expect(await without(away, () => rows(sql))).toEqual(answer)
})

test('a table named twice is read whole', async () => {
  const sql = "SELECT a.id FROM t AS a LEFT JOIN t AS b ON a.id = b.id + 1 WHERE a.country = 'DE' ORDER BY a.id"
  expect(await rows(sql)).toEqual([{ id: 1n }, { id: 3n }])
})

test('the next statement sees what was committed meanwhile', async () => {
  const table = await session.tables.forPath(join(root, 't'))
  expect(await rows('SELECT count(*) AS n FROM t WHERE id > 3')).toEqual([{ n: 0n }])
  await table.append([{ id: 4, note: 'd', country: 'IT' }])
  expect(await rows('SELECT count(*) AS n FROM t WHERE id > 3')).toEqual([{ n: 1n }])
})
