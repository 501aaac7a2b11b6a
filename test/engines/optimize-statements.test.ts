/** OPTIMIZE and REORG as statements: the row, the history, the refusals that the reference recorded. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rowsOf } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { formatType, rowToJson } from '../../src/schema/index.ts'
import { SqlSession } from '../../src/sql/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { localBackend } from '../../src/table/index.ts'
import { sharedPath } from '../support/shared.ts'

function openSession() {
  const engine = jsEngine()
  const store = memoryStore()
  const openStore = async () => store
  const backend = localBackend({ openStore, engine })
  const session = new SqlSession({ engine, backend, openStore, tables: new Map([['t', '/t']]) })
  return async (sql: string) => {
    const { schema, batches } = await session.run(sql)
    const rows = []
    for await (const batch of batches) for (const row of rowsOf(batch)) rows.push(JSON.parse(rowToJson(row, schema)))
    return { schema, rows }
  }
}

const code = (expected: string) => expect.objectContaining({ code: expected })

test('the row has the columns and types that the reference gives', async () => {
  const run = openSession()
  await run('CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p)')
  await run('INSERT INTO t VALUES (1, 0), (2, 1)')
  await run('INSERT INTO t VALUES (3, 0), (4, 1)')
  const { schema, rows } = await run('OPTIMIZE t WHERE p = 0')
  const recorded = JSON.parse(
    readFileSync(sharedPath('tables-spark', 'optimize-compact-where', 'expected.json'), 'utf8'),
  )
  const statement = recorded.statements.find(({ sql }: { sql?: string }) => sql?.startsWith('OPTIMIZE'))
  expect(schema.fields.map(({ name }) => name)).toEqual(statement.columns.map(({ name }: { name: string }) => name))
  expect(Object.keys(rows[0].metrics)).toEqual(Object.keys(statement.rows[0].metrics))
  expect(formatType(schema.fields[1]!.type)).toContain('deletionVectorStats:struct<numDeletionVectorsRemoved:bigint')
  expect(rows).toMatchObject([
    { path: 'file:/t', metrics: { numFilesAdded: 1, numFilesRemoved: 2, zOrderStats: null } },
  ])
  const history = (await run('DESCRIBE HISTORY t LIMIT 1')).rows[0]
  expect(history).toMatchObject({ operation: 'OPTIMIZE', isolationLevel: 'SnapshotIsolation' })
  expect(JSON.stringify(history.operationParameters)).toContain(`[\\"('p = 0)\\"]`)
})

test('what the reference refuses is refused by its name', async () => {
  const run = openSession()
  await run('CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p)')
  await expect(run('OPTIMIZE t WHERE id = 1')).rejects.toEqual(code('DELTA_NON_PARTITION_COLUMN_REFERENCE'))
  await expect(run('OPTIMIZE t ZORDER BY (p)')).rejects.toEqual(code('DELTA_ZORDERING_ON_PARTITION_COLUMN'))
  await expect(run('REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))')).rejects.toEqual(
    code('LAKE_STATEMENT_UNSUPPORTED'),
  )
  await run('DROP TABLE t')
})

test('a table that was clustered once takes no ZORDER BY', async () => {
  const run = openSession()
  await run('CREATE TABLE t (id INT) USING delta CLUSTER BY (id)')
  await run('ALTER TABLE t CLUSTER BY NONE')
  await expect(run('OPTIMIZE t ZORDER BY (nope)')).rejects.toEqual(code('DELTA_CLUSTERING_WITH_ZORDER_BY'))
  await expect(run('OPTIMIZE t FULL')).rejects.toEqual(code('DELTA_OPTIMIZE_FULL_NOT_SUPPORTED'))
})

test('sizes of a session hold for its statements', async () => {
  const run = openSession()
  await run('CREATE TABLE t (id INT) USING delta')
  await run('INSERT INTO t VALUES (1)')
  await run('INSERT INTO t VALUES (2)')
  await run('SET spark.databricks.delta.optimize.minFileSize = 1')
  expect((await run('OPTIMIZE t')).rows[0].metrics).toMatchObject({ numFilesRemoved: 0, totalFilesSkipped: 2 })
  await run('SET spark.databricks.delta.optimize.minFileSize = 1m')
  await run('SET spark.databricks.delta.optimize.maxFileSize = 10')
  expect((await run('OPTIMIZE t')).rows[0].metrics).toMatchObject({ numFilesRemoved: 0 })
  await run('RESET')
  expect((await run('OPTIMIZE t')).rows[0].metrics).toMatchObject({ numFilesRemoved: 2 })
  await expect(run('SET spark.databricks.delta.optimize.maxFileSize = much')).rejects.toEqual(
    code('LAKE_INVALID_OPTION'),
  )
})
