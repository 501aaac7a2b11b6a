/** UP-33 as statements: what a session asks for by its setting, beside another that changes the same file. */
import { expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { SqlSession } from '../../src/sql/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { memoryStore } from '../../src/storage/memory/index.ts'
import { localBackend } from '../../src/table/index.ts'

function openSession(openStore: () => Promise<ObjectStore>): SqlSession {
  const engine = jsEngine()
  return new SqlSession({ engine, backend: localBackend({ openStore, engine }), openStore, tables: new Map() })
}

/** A store before whose first commit another gets to do something. */
function behind(store: ObjectStore, first: () => Promise<unknown>): ObjectStore {
  let pending: typeof first | undefined = first
  return {
    ...store,
    putIfAbsent: async (key, bytes, options) => {
      const work = key.endsWith('.json') ? pending : undefined
      if (work !== undefined) pending = undefined
      await work?.()
      return await store.putIfAbsent(key, bytes, options)
    },
  }
}

const T = 'delta.`/lake/t`'
const STATEMENTS = [
  [`DELETE FROM ${T} WHERE id = 7`, [0, 1, 3, 4, 5, 6, 8, 9]],
  [`UPDATE ${T} SET id = 70 WHERE id = 7`, [0, 1, 3, 4, 5, 6, 8, 9, 70]],
  [
    `MERGE INTO ${T} t USING (SELECT 7 AS id) s ON t.id = s.id AND t.id = 7 WHEN MATCHED THEN DELETE`,
    [0, 1, 3, 4, 5, 6, 8, 9],
  ],
] as const

test.each(STATEMENTS)('%s beside a DELETE of another row', async (statement, left) => {
  for (const asked of ['true', 'false']) {
    const store = memoryStore()
    const other = openSession(async () => store)
    await other.run(`CREATE TABLE ${T} (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')`)
    await other.run(`INSERT INTO ${T} VALUES ${Array.from({ length: 10 }, (_, id) => `(${id})`).join(', ')}`)
    const session = openSession(async () => behind(store, () => other.run(`DELETE FROM ${T} WHERE id = 2`)))
    await session.run(`SET spark.databricks.delta.rowLevelConcurrencyPreview = ${asked}`)
    const ended = session.run(statement)
    if (asked === 'false') {
      await expect(ended).rejects.toMatchObject({ code: expect.stringContaining('DELTA_CONCURRENT_') })
      continue
    }
    await ended
    const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
    const scan = await backend.execute({ kind: 'scan', table: { location: '/lake/t' } })
    const ids: number[] = []
    for await (const batch of scan.batches()) ids.push(...Array.from(batch.column(0), Number))
    expect(ids.sort((a, b) => a - b)).toEqual(left)
  }
})

test('the setting takes true and false alone', async () => {
  const session = openSession(async () => memoryStore())
  await expect(session.run('SET spark.databricks.delta.rowLevelConcurrencyPreview = maybe')).rejects.toMatchObject({
    code: 'LAKE_INVALID_OPTION',
  })
})
