/** Features dropped with TRUNCATE HISTORY: two runs, a day apart, and what stands between them. */
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { MINUTE_MS } from '../../src/support/index.ts'
import { TableInMemory } from './table-in-memory.ts'

const engines = [jsEngine(), duckdbEngine()]
afterAll(async () => {
  for (const engine of engines) await engine.close()
})

const scenarios: readonly { readonly feature: string; readonly statements: readonly string[] }[] = [
  {
    feature: 'deletionVectors',
    statements: [
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
      'INSERT INTO $T VALUES (1), (2), (3)',
      'DELETE FROM $T WHERE id = 1',
    ],
  },
  {
    feature: 'columnMapping',
    statements: [
      "CREATE TABLE $T (id INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
      'INSERT INTO $T VALUES (2, 1), (3, NULL)',
      'ALTER TABLE $T RENAME COLUMN p TO q',
    ],
  },
  {
    feature: 'typeWidening',
    statements: [
      "CREATE TABLE $T (id INT, a SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
      'INSERT INTO $T VALUES (2, 1), (3, 2)',
      'ALTER TABLE $T ALTER COLUMN a TYPE BIGINT',
    ],
  },
  {
    feature: 'v2Checkpoint',
    statements: [
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
      'INSERT INTO $T VALUES (2)',
      'INSERT INTO $T VALUES (3)',
    ],
  },
]

describe.each(engines.map((engine) => [engine.name, engine] as const))('on the engine %s', (_, engine) => {
  test.each(scenarios.map((scenario) => [scenario.feature, scenario] as const))(
    '%s',
    async (feature, { statements }) => {
      const table = new TableInMemory(engine)
      await table.run(...statements)
      const rows = await table.rows()
      const protocol = await table.protocol()
      const drop = `ALTER TABLE $T DROP FEATURE ${feature} TRUNCATE HISTORY`
      const planned = await table.table().planDropFeature(feature, { truncateHistory: true })

      const waits = await table.refusal(drop)
      expect([waits.code, waits.sqlState]).toEqual(['DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD', '22KD0'])
      expect(waits.details).toMatchObject({ feature, retention: '24 hours' })
      // a plan counts from the minute it is made in, one before the run
      expect(Number(waits.details.readyMs) - planned.waitUntilMs!).toBe(MINUTE_MS)
      expect(await table.operations(statements.length)).toEqual(planned.commits.map(({ operation }) => operation))
      expect(await table.protocol()).toBe(protocol)
      expect(await table.rows()).toEqual(rows)

      await table.run(`INSERT INTO $T VALUES (9${rows[0]!.includes(',') ? ', 9' : ''})`)
      const written = await table.rows()
      const early = await table.refusal(drop)
      expect([early.code, early.sqlState]).toEqual(['DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST', '22KD0'])
      expect(early.details.readyMs).toBe(waits.details.readyMs)
      expect(early.details.time).toMatch(/^2026-01-02T12:\d\d:00Z$/)

      const readyMs = Number(early.details.readyMs)
      table.nowMs = readyMs - 2 * MINUTE_MS
      expect((await table.table().planDropFeature(feature, { truncateHistory: true })).waitUntilMs).toBe(readyMs)
      expect((await table.refusal(drop)).code).toBe('DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST')

      table.nowMs = readyMs - MINUTE_MS
      const before = await table.versions()
      await table.run(drop)
      expect(await table.protocol()).toBe('(1,2)')
      expect(await table.property('delta.requireCheckpointProtectionBeforeVersion')).toBeUndefined()
      expect(await table.rows()).toEqual(written)
      const after = await table.versions()
      expect(after[0]).toBeGreaterThan(before[0]!)
      // what is left is readable from its beginning on, by somebody who looks at it anew
      const fresh = new TableInMemory(engine, { store: table.store, nowMs: table.nowMs })
      expect(await fresh.rows(after[0])).toHaveLength(rows.length)
      expect(await fresh.rows()).toEqual(written)
      await expect(fresh.rows(0)).rejects.toMatchObject({ code: 'DELTA_VERSION_NOT_FOUND' })
    },
  )

  test('a feature that was never used leaves in one run, and no history goes that is young', async () => {
    const table = new TableInMemory(engine)
    await table.run(
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.feature.vacuumProtocolCheck' = 'supported')",
      'INSERT INTO $T VALUES (1)',
    )
    const planned = await table.table().planDropFeature('vacuumProtocolCheck', { truncateHistory: true })
    expect(planned).toMatchObject({ waitUntilMs: null, earliestVersion: 0, numFiles: 0 })
    await table.run('ALTER TABLE $T DROP FEATURE vacuumProtocolCheck TRUNCATE HISTORY')
    expect(await table.operations(2)).toEqual(['Empty Commit', 'DROP FEATURE'])
    expect(await table.protocol()).toBe('(1,2)')
    expect(await table.versions()).toEqual([0, 1, 2, 3])
  })
})

describe('on the engine js', () => {
  const [engine] = engines

  test('a longer retention is waited for, and none at all cuts history at once', async () => {
    const table = new TableInMemory(engine!)
    const setTo = (text: string) =>
      `ALTER TABLE $T SET TBLPROPERTIES ('delta.dropFeatureTruncateHistory.retentionDuration' = '${text}')`
    await table.run(...scenarios[1]!.statements, setTo('interval 3 days'))
    const drop = 'ALTER TABLE $T DROP FEATURE columnMapping TRUNCATE HISTORY'
    const waits = await table.refusal(drop)
    expect(waits.message).toContain('3 days of history must pass')
    expect(waits.remedy).toBe('run the same command again after 2026-01-04T12:06:00Z')
    expect((await table.refusal(drop)).message).toBe(
      'versions 0..3 still use columnMapping; 3 days of history must pass',
    )
    await table.run(setTo('interval 0 hours'))
    const planned = await table.table().planDropFeature('columnMapping', { truncateHistory: true })
    expect(planned.waitUntilMs).toBeNull()
    await table.run(drop)
    expect(await table.protocol()).toBe('(1,2)')
    expect((await table.versions())[0]).toBe(planned.earliestVersion)
  })

  test('a table that leaves its log to others is cut all the same, for that is what was asked for', async () => {
    const table = new TableInMemory(engine!)
    const [create, ...rest] = scenarios[1]!.statements
    await table.run(create!.replace("('delta", "('delta.enableExpiredLogCleanup' = 'false', 'delta"), ...rest)
    const drop = 'ALTER TABLE $T DROP FEATURE columnMapping TRUNCATE HISTORY'
    await table.refusal(drop)
    table.wait(25)
    await table.run(drop)
    expect((await table.versions())[0]).toBeGreaterThan(0)
  })

  test('log cleanup that came before leaves a beginning that counts', async () => {
    const table = new TableInMemory(engine!)
    await table.run(...scenarios[1]!.statements)
    await table.table().checkpoint()
    for (const version of [0, 1]) await table.store.delete(`_delta_log/${String(version).padStart(20, '0')}.json`)
    const drop = 'ALTER TABLE $T DROP FEATURE columnMapping TRUNCATE HISTORY'
    await table.refusal(drop)
    const early = await table.refusal(drop)
    expect(early.details).toMatchObject({ first: 2, last: 2 })
    table.nowMs = Number(early.details.readyMs) - MINUTE_MS
    await table.run(drop)
    expect(await table.protocol()).toBe('(1,2)')
  })
})

describe('checkpointProtection', () => {
  const [engine] = engines

  test('goes a day after the last drop, and two dropped features lead back to the lowest protocol', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.feature.vacuumProtocolCheck' = 'supported')",
      'INSERT INTO $T VALUES (1), (2)',
      'ALTER TABLE $T DROP FEATURE vacuumProtocolCheck',
      'INSERT INTO $T VALUES (3)',
      'ALTER TABLE $T DROP FEATURE columnMapping',
    )
    const before = await table.versions()
    const last = before.at(-1)!
    expect(await table.property('delta.requireCheckpointProtectionBeforeVersion')).toBe(String(last))
    const without = await table.refusal('ALTER TABLE $T DROP FEATURE checkpointProtection')
    expect([without.code, without.sqlState]).toEqual([
      'DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION',
      '55000',
    ])
    const drop = 'ALTER TABLE $T DROP FEATURE checkpointProtection TRUNCATE HISTORY'
    const planned = await table.table().planDropFeature('checkpointProtection', { truncateHistory: true })
    const early = await table.refusal(drop)
    expect([early.code, early.sqlState]).toEqual([
      'DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD',
      '22KD0',
    ])
    expect(early.message).toBe(`versions before ${last} are still kept; 24 hours of history must pass`)
    expect(planned.waitUntilMs).toBe(early.details.readyMs)
    expect(await table.operations(last + 1)).toEqual(['Empty Commit'])

    table.nowMs = Number(early.details.readyMs) - MINUTE_MS
    await table.run(drop)
    expect(await table.operations(last + 2)).toEqual(['Empty Commit', 'UNSET TBLPROPERTIES', 'DROP FEATURE'])
    expect(await table.protocol()).toBe('(1,2)')
    expect(await table.property('delta.requireCheckpointProtectionBeforeVersion')).toBeUndefined()
    expect((await table.versions())[0]).toBeGreaterThanOrEqual(last)
    expect(await table.rows()).toEqual(['[1]', '[2]', '[3]'])
  })

  test('goes at once where its history is gone already', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      "CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.feature.vacuumProtocolCheck' = 'supported')",
      'ALTER TABLE $T DROP FEATURE vacuumProtocolCheck',
    )
    const last = (await table.versions()).at(-1)!
    for (const name of await table.logNames()) {
      if (/^\d/.test(name) && Number(name.slice(0, 20)) < last) await table.store.delete(`_delta_log/${name}`)
    }
    await table.run('ALTER TABLE $T DROP FEATURE checkpointProtection TRUNCATE HISTORY')
    expect(await table.operations(last)).toEqual(['DROP FEATURE', 'UNSET TBLPROPERTIES', 'DROP FEATURE'])
    expect(await table.protocol()).toBe('(1,2)')
  })
})
