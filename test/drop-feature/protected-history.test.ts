/** What becomes of the old versions of a table that lost a feature: cleanup of the log and of files leaves them whole. */
import { afterAll, describe, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { cleanupLog, loadSnapshot } from '../../src/kernel/index.ts'
import { collect, DAY_MS, HOUR_MS } from '../../src/support/index.ts'
import { TableInMemory } from './table-in-memory.ts'

const engine = jsEngine()
afterAll(() => engine.close())

const WITH_VECTORS = [
  "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
  'INSERT INTO $T VALUES (1), (2), (3)',
  'DELETE FROM $T WHERE id = 1',
]

async function dropped(): Promise<{ table: TableInMemory; before: number }> {
  const table = new TableInMemory(engine)
  await table.run(...WITH_VECTORS, 'ALTER TABLE $T DROP FEATURE deletionVectors')
  return { table, before: Number(await table.property('delta.requireCheckpointProtectionBeforeVersion')) }
}

async function cleanUp(table: TableInMemory): Promise<number> {
  const snapshot = await loadSnapshot(table.store, engine)
  try {
    return await cleanupLog(snapshot, { clock: table.clock })
  } finally {
    await snapshot.close()
  }
}

async function keys(table: TableInMemory): Promise<string[]> {
  return (await collect(table.store.list({ prefix: '' }))).flat().map(({ key }) => key)
}

describe('the log', () => {
  test('keeps every version before the protected one while some of them are young', async () => {
    const { table, before } = await dropped()
    const versions = await table.versions()
    table.nowMs += 29 * DAY_MS
    expect(await cleanUp(table)).toBe(0)
    expect(await table.versions()).toEqual(versions)
    for (const version of versions.slice(0, before)) expect(await table.rows(version)).toBeDefined()
  })

  test('goes back no further than a protected checkpoint once its history has expired', async () => {
    const { table, before } = await dropped()
    for (let day = 0; day < 3; day++) {
      table.nowMs += 20 * DAY_MS
      await table.run(`INSERT INTO $T VALUES (${100 + day})`)
    }
    await table.table().checkpoint()
    expect(await cleanUp(table)).toBeGreaterThan(0)
    const [first] = await table.versions()
    // all that was protected went at once, or nothing of it
    expect(first).toBeGreaterThanOrEqual(before)
    expect((await table.checkpoints()).every((version) => version >= first!)).toBe(true)
    expect(await table.rows(first)).toBeDefined()
  })

  test('is left alone by whoever does not know a feature of the versions that would go one by one', async () => {
    const { table, before } = await dropped()
    const key = '_delta_log/00000000000000000000.json'
    const text = new TextDecoder().decode(await table.store.get(key))
    await table.store.put(key, new TextEncoder().encode(text.replaceAll('Features":[', 'Features":["unheardOf",')))
    const snapshot = await loadSnapshot(table.store, engine)
    // the barriers are older than the versions behind them: what expires ends among the protected ones
    table.nowMs += 1 * HOUR_MS
    const deleted = await cleanupLog(snapshot, { clock: table.clock, beginning: before - 1 })
    await snapshot.close()
    expect(deleted).toBe(0)
    expect((await table.versions())[0]).toBe(0)
  })
})

describe('files', () => {
  test('of vectors that old versions need are kept as removed objects, for cleanups that know no vectors', async () => {
    const { table } = await dropped()
    const vectors = (await keys(table)).filter((key) => key.startsWith('deletion_vector_'))
    expect(vectors).toHaveLength(1)
    const snapshot = await loadSnapshot(table.store, engine)
    const tombstones = (await collect(snapshot.files.tombstones(0))).flat()
    await snapshot.close()
    expect(tombstones.find(({ path }) => path === vectors[0])).toMatchObject({ dataChange: false })
    const rows = await table.rows(2)
    await table.table().vacuum()
    expect(await keys(table)).toEqual(expect.arrayContaining(vectors))
    expect(await table.rows(2)).toEqual(rows)
  })

  test('of vectors are taken once the retention of removed files is over', async () => {
    const { table } = await dropped()
    table.nowMs += 8 * DAY_MS
    await table.table().vacuum()
    expect((await keys(table)).filter((key) => key.startsWith('deletion_vector_'))).toEqual([])
    expect(await table.rows()).toEqual(['[2]', '[3]'])
  })

  test('a drop that follows another one buries no vector twice', async () => {
    const { table } = await dropped()
    await table.run(
      "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
      'DELETE FROM $T WHERE id = 2',
      'ALTER TABLE $T DROP FEATURE deletionVectors',
    )
    const snapshot = await loadSnapshot(table.store, engine)
    const buried = (await collect(snapshot.files.tombstones(0)))
      .flat()
      .filter(({ path }) => path.startsWith('deletion_'))
    await snapshot.close()
    expect(buried).toHaveLength(2)
    expect(await table.rows()).toEqual(['[3]'])
  })
})
