/** What happened to users of such systems when they took features out of tables; small inputs, both engines. */
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { commitKey } from '../../src/kernel/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { collect, DAY_MS, MINUTE_MS } from '../../src/support/index.ts'
import { TableInMemory } from '../drop-feature/table-in-memory.ts'

const engines = [jsEngine(), duckdbEngine()]
afterAll(async () => {
  for (const engine of engines) await engine.close()
})

const WITH_VECTORS = [
  "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
  'INSERT INTO $T VALUES (1), (2), (3)',
  'DELETE FROM $T WHERE id = 1',
]
const TRUNCATE = 'ALTER TABLE $T DROP FEATURE deletionVectors TRUNCATE HISTORY'

describe.each(engines.map((engine) => [engine.name, engine] as const))('UP-31 on the engine %s', (_, engine) => {
  test('after a drop, old versions outlive VACUUM, and cleanup forgets them together', async () => {
    const table = new TableInMemory(engine)
    await table.run(...WITH_VECTORS, 'ALTER TABLE $T DROP FEATURE deletionVectors')
    const before = Number(await table.property('delta.requireCheckpointProtectionBeforeVersion'))
    await table.table().vacuum()
    expect(await table.rows(2)).toEqual(['[2]', '[3]'])
    expect(await table.rows(1)).toEqual(['[1]', '[2]', '[3]'])
    table.nowMs += 40 * DAY_MS
    await table.run(...Array.from({ length: 10 }, (_, i) => `INSERT INTO $T VALUES (${10 + i})`))
    const [first] = await table.versions()
    // the upkeep of a commit that has a checkpoint took the old ones: all that were protected, or none
    expect(first === 0 || first! >= before).toBe(true)
    expect(await table.rows()).toHaveLength(12)
  })

  test('an early second run names the exact minute, at which it then succeeds and not one before', async () => {
    const table = new TableInMemory(engine)
    await table.run(...WITH_VECTORS)
    await table.refusal(TRUNCATE)
    const early = await table.refusal(TRUNCATE)
    const readyMs = Date.parse(String(early.details.time))
    expect(early.remedy).toBe(`run the same command again after ${early.details.time}`)
    table.nowMs = readyMs - 2 * MINUTE_MS
    expect((await table.refusal(TRUNCATE)).code).toBe('DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST')
    table.nowMs = readyMs - MINUTE_MS
    await table.run(TRUNCATE)
    expect(await table.protocol()).toBe('(1,2)')
  })

  test('an append that comes ahead of the last commit of the second run stays', async () => {
    const table = new TableInMemory(engine)
    await table.run(...WITH_VECTORS)
    const waits = await table.refusal(TRUNCATE)
    table.nowMs = Number(waits.details.readyMs)
    const next = (await table.versions()).at(-1)! + 3
    let isDone = false
    const store: ObjectStore = {
      ...table.store,
      putIfAbsent: async (key, bytes, options) => {
        if (key === commitKey(next) && !isDone) {
          isDone = true
          await table.table().append([{ id: 9 }])
        }
        return await table.store.putIfAbsent(key, bytes, options)
      },
    }
    await table.table(store).dropFeatureSupport('deletionVectors', { truncateHistory: true })
    expect(isDone).toBe(true)
    expect(await table.protocol()).toBe('(1,2)')
    expect(await table.rows()).toEqual(['[2]', '[3]', '[9]'])
    const text = new TextDecoder().decode(await table.store.get(commitKey(next + 1)))
    expect(text).not.toContain('readerFeatures')
    expect((await collect(table.store.list({ prefix: '_delta_log/' }))).flat().length).toBeGreaterThan(0)
  })
})
