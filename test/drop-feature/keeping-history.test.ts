/** Every feature that can be dropped, its history kept: commits, protocol, rows, and old versions. */
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { TableInMemory } from './table-in-memory.ts'

const engines = [jsEngine(), duckdbEngine()]
afterAll(async () => {
  for (const engine of engines) await engine.close()
})

const BARRIERS = ['Empty Commit', 'Empty Commit', 'Empty Commit']

interface Scenario {
  readonly feature: string
  readonly statements: readonly string[]
  /** made before barriers and downgrade */
  readonly cleanup: readonly string[]
  readonly protocol: string
  /** how many checkpoints follow; those of writers' features none */
  readonly isProtected: boolean
}

const ON = (...properties: string[]) =>
  `TBLPROPERTIES (${properties.map((text) => `'${text.replace('=', "' = '")}'`).join(', ')})`

const scenarios: readonly Scenario[] = [
  {
    feature: 'deletionVectors',
    statements: [
      `CREATE TABLE $T (id INT, v STRING) USING delta ${ON('delta.enableDeletionVectors=true')}`,
      "INSERT INTO $T VALUES (0, 'x'), (1, 'x'), (2, 'x'), (3, 'x')",
      'DELETE FROM $T WHERE id = 1',
      "UPDATE $T SET v = 'u' WHERE id = 2",
    ],
    cleanup: ['UNSET TBLPROPERTIES', 'REORG', 'Deletion Vector Tombstones'],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'columnMapping',
    statements: [
      `CREATE TABLE $T (id INT, a STRING, b INT, s STRUCT<x: INT, y: ARRAY<STRUCT<z: INT>>>) USING delta PARTITIONED BY (b) ${ON('delta.columnMapping.mode=name')}`,
      "INSERT INTO $T VALUES (1, 'x', 1, named_struct('x', 1, 'y', array(named_struct('z', 5)))), (2, 'y', NULL, NULL)",
      'ALTER TABLE $T RENAME COLUMN a TO renamed',
      'ALTER TABLE $T RENAME COLUMN s.x TO q',
      "INSERT INTO $T VALUES (3, 'z', 7, named_struct('q', 2, 'y', array()))",
    ],
    cleanup: ['REMOVE COLUMN MAPPING'],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'columnMapping',
    statements: [
      `CREATE TABLE $T (id INT, v STRING) USING delta ${ON('delta.columnMapping.mode=id')}`,
      "INSERT INTO $T VALUES (1, 'x'), (2, NULL)",
      'ALTER TABLE $T RENAME COLUMN v TO w',
    ],
    cleanup: ['REMOVE COLUMN MAPPING'],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'columnMapping',
    statements: [`CREATE TABLE $T (id INT) USING delta ${ON('delta.columnMapping.mode=name')}`],
    cleanup: ['REMOVE COLUMN MAPPING'],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'typeWidening',
    statements: [
      `CREATE TABLE $T (id INT, a SMALLINT, l ARRAY<SMALLINT>, d DECIMAL(4,1)) USING delta ${ON('delta.enableTypeWidening=true')}`,
      'INSERT INTO $T VALUES (1, 1, array(CAST(3 AS SMALLINT)), 1.5)',
      'ALTER TABLE $T ALTER COLUMN a TYPE INT',
      'ALTER TABLE $T ALTER COLUMN l.element TYPE BIGINT',
      'ALTER TABLE $T ALTER COLUMN d TYPE DECIMAL(8,3)',
      'INSERT INTO $T VALUES (2, 70000, array(CAST(70000 AS BIGINT)), 1000.125)',
    ],
    cleanup: ['UNSET TBLPROPERTIES', 'REORG', 'DROP FEATURE'],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'v2Checkpoint',
    statements: [
      `CREATE TABLE $T (id INT) USING delta ${ON('delta.checkpointPolicy=v2', 'delta.checkpointInterval=2')}`,
      'INSERT INTO $T VALUES (1)',
      'INSERT INTO $T VALUES (2)',
      'INSERT INTO $T VALUES (3)',
    ],
    cleanup: ['SET TBLPROPERTIES'],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'vacuumProtocolCheck',
    statements: [
      `CREATE TABLE $T (id INT) USING delta ${ON('delta.feature.vacuumProtocolCheck=supported')}`,
      'INSERT INTO $T VALUES (1)',
    ],
    cleanup: [],
    protocol: '(1,7) appendOnly, checkpointProtection, invariants',
    isProtected: true,
  },
  {
    feature: 'checkConstraints',
    statements: [
      `CREATE TABLE $T (id INT) USING delta ${ON('delta.feature.checkConstraints=supported')}`,
      'ALTER TABLE $T ADD CONSTRAINT c CHECK (id > 0)',
      'INSERT INTO $T VALUES (1)',
      'ALTER TABLE $T DROP CONSTRAINT c',
    ],
    cleanup: [],
    protocol: '(1,2)',
    isProtected: false,
  },
  {
    feature: 'inCommitTimestamp',
    statements: [
      'CREATE TABLE $T (id INT) USING delta',
      'INSERT INTO $T VALUES (1)',
      "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
      'INSERT INTO $T VALUES (2)',
    ],
    cleanup: ['UNSET TBLPROPERTIES'],
    protocol: '(1,2)',
    isProtected: false,
  },
  {
    feature: 'rowTracking',
    statements: [
      `CREATE TABLE $T (id INT, v INT) USING delta ${ON('delta.enableRowTracking=true')}`,
      'INSERT INTO $T VALUES (1, 1), (2, 2)',
      'INSERT INTO $T VALUES (3, 3)',
      'UPDATE $T SET v = 100 WHERE id = 1',
    ],
    cleanup: ['SET TBLPROPERTIES', 'ROW TRACKING UNBACKFILL'],
    protocol: '(1,7) appendOnly, domainMetadata, invariants',
    isProtected: false,
  },
  {
    feature: 'domainMetadata',
    statements: [
      `CREATE TABLE $T (id INT) USING delta ${ON('delta.feature.domainMetadata=supported')}`,
      'INSERT INTO $T VALUES (1)',
    ],
    cleanup: [],
    protocol: '(1,2)',
    isProtected: false,
  },
]

describe.each(engines.map((engine) => [engine.name, engine] as const))('on the engine %s', (_, engine) => {
  test.each(scenarios.map((scenario, at) => [`${scenario.feature} ${at}`, scenario] as const))(
    '%s',
    async (__, scenario) => {
      const { feature, isProtected } = scenario
      const table = new TableInMemory(engine)
      await table.run(...scenario.statements)
      const before = await table.versions()
      const rowsBefore = await Promise.all(before.map((version) => table.rows(version)))
      const planned = await table.table().planDropFeature(feature)

      await table.run(`ALTER TABLE $T DROP FEATURE ${feature}`)

      const made = [...scenario.cleanup, ...(isProtected ? BARRIERS : []), 'DROP FEATURE']
      expect(await table.operations(before.length)).toEqual(made)
      expect(planned.commits.map(({ operation }) => operation)).toEqual(made)
      expect(planned.waitUntilMs).toBeNull()
      expect(await table.protocol()).toBe(scenario.protocol)
      const { minReaderVersion, minWriterVersion } = planned.protocol
      expect(scenario.protocol).toContain(`(${minReaderVersion},${minWriterVersion})`)

      const downgrade = before.length + made.length - 1
      const barriers = [3, 2, 1, 0].map((back) => downgrade - back)
      const checkpoints = await table.checkpoints()
      if (isProtected) expect(checkpoints).toEqual(expect.arrayContaining(barriers))
      expect(await table.property('delta.requireCheckpointProtectionBeforeVersion')).toBe(
        isProtected ? String(downgrade) : undefined,
      )
      expect(await table.rows()).toEqual(rowsBefore.at(-1))
      for (const version of before) expect(await table.rows(version)).toEqual(rowsBefore[version])
    },
  )

  test('the table is written to afterwards, and gets the feature back', async () => {
    const table = new TableInMemory(engine)
    await table.run(...scenarios[0]!.statements, 'ALTER TABLE $T DROP FEATURE deletionVectors')
    await table.run("INSERT INTO $T VALUES (9, 'after')", 'DELETE FROM $T WHERE id = 3')
    expect(await table.rows()).toEqual(['[0,"x"]', '[2,"u"]', '[9,"after"]'])
    await table.run(
      "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
      'DELETE FROM $T WHERE id = 9',
    )
    expect(await table.protocol()).toBe(
      '(3,7) read by deletionVectors; appendOnly, checkpointProtection, deletionVectors, invariants',
    )
    await table.run('ALTER TABLE $T DROP FEATURE deletionVectors')
    expect(await table.protocol()).toBe('(1,7) appendOnly, checkpointProtection, invariants')
    expect(await table.rows()).toEqual(['[0,"x"]', '[2,"u"]'])
  })

  test('only narrow files of a widened table are written anew', async () => {
    const table = new TableInMemory(engine)
    await table.run(...scenarios[4]!.statements)
    const { numFiles, commits } = await table.table().planDropFeature('typeWidening')
    expect([numFiles, commits[1]]).toMatchObject([1, { operation: 'REORG', numFiles: 1 }])
  })
})

describe('on the engine js', () => {
  const [engine] = engines

  test('a table that has its features by its versions alone gets the lowest of them', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      'CREATE TABLE $T (id INT) USING delta',
      "ALTER TABLE $T SET TBLPROPERTIES ('delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')",
      'INSERT INTO $T VALUES (1)',
    )
    expect(await table.protocol()).toBe('(2,5)')
    await table.run('ALTER TABLE $T DROP FEATURE columnMapping')
    expect(await table.protocol()).toBe(
      '(1,7) appendOnly, changeDataFeed, checkConstraints, checkpointProtection, generatedColumns, invariants',
    )
    await table.run('ALTER TABLE $T DROP FEATURE checkConstraints')
    expect(await table.protocol()).toBe(
      '(1,7) appendOnly, changeDataFeed, checkpointProtection, generatedColumns, invariants',
    )
  })

  test('(1,3) without constraints becomes (1,2)', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      'CREATE TABLE $T (id INT) USING delta',
      "ALTER TABLE $T SET TBLPROPERTIES ('delta.minWriterVersion' = '3')",
    )
    expect(await table.protocol()).toBe('(1,3)')
    await table.run('ALTER TABLE $T DROP FEATURE checkConstraints')
    expect(await table.protocol()).toBe('(1,2)')
  })

  test('a feature that is listed by an older name is dropped by that name', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      `CREATE TABLE $T (id INT) USING delta ${ON('delta.feature.typeWidening-preview=supported', 'delta.enableTypeWidening=true')}`,
      'INSERT INTO $T VALUES (1)',
    )
    expect(await table.protocol()).toContain('typeWidening-preview')
    expect((await table.refusal('ALTER TABLE $T DROP FEATURE typeWidening')).code).toBe(
      'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT',
    )
    await table.run('ALTER TABLE $T DROP FEATURE `typeWidening-preview`')
    expect(await table.protocol()).toBe('(1,7) appendOnly, checkpointProtection, invariants')
  })

  test('the clustering columns of a table that loses its mapping are known by their own names', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      `CREATE TABLE $T (id INT, v INT) USING delta CLUSTER BY (v) ${ON('delta.columnMapping.mode=name')}`,
      'INSERT INTO $T VALUES (1, 2)',
      'ALTER TABLE $T RENAME COLUMN v TO w',
      'ALTER TABLE $T DROP FEATURE columnMapping',
    )
    expect((await table.table().detail()).clusteringColumns).toEqual(['w'])
    await table.run('INSERT INTO $T VALUES (3, 4)')
    expect(await table.rows()).toEqual(['[1,2]', '[3,4]'])
  })

  test('rows keep their ids when columns lose their mapping', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      `CREATE TABLE $T (id INT) USING delta ${ON('delta.columnMapping.mode=name', 'delta.enableRowTracking=true')}`,
      'INSERT INTO $T VALUES (1), (2)',
      'INSERT INTO $T VALUES (3)',
    )
    const ids = async () => (await table.table().rows({ rowIds: true })).map((row) => Object.values(row).join()).sort()
    const before = await ids()
    await table.run('ALTER TABLE $T DROP FEATURE columnMapping')
    expect(await ids()).toEqual(before)
  })

  test('a table whose v2 checkpoints lose their parts afterwards is read all the same', async () => {
    const table = new TableInMemory(engine!)
    const scenario = scenarios.find(({ feature }) => feature === 'v2Checkpoint')!
    await table.run(...scenario.statements, 'ALTER TABLE $T DROP FEATURE v2Checkpoint')
    for (const name of await table.logNames()) {
      if (name.startsWith('_sidecars/')) await table.store.delete(`_delta_log/${name}`)
    }
    expect(await new TableInMemory(engine!, { store: table.store }).rows()).toEqual(['[1]', '[2]', '[3]'])
  })

  test('two names in a table that is partitioned keep their folders and lose their mapping', async () => {
    const table = new TableInMemory(engine!)
    await table.run(
      `CREATE TABLE $T (id INT, p STRING) USING delta PARTITIONED BY (p) ${ON('delta.columnMapping.mode=name', 'delta.enableDeletionVectors=true')}`,
      "INSERT INTO $T VALUES (1, 'p 1'), (2, NULL), (3, 'p 1')",
      'DELETE FROM $T WHERE id = 3',
      'ALTER TABLE $T DROP FEATURE columnMapping',
    )
    expect(await table.rows()).toEqual(['[1,"p 1"]', '[2,null]'])
    expect(await table.protocol()).toBe(
      '(3,7) read by deletionVectors; appendOnly, checkpointProtection, deletionVectors, invariants',
    )
    await table.run('ALTER TABLE $T DROP FEATURE deletionVectors')
    expect(await table.rows()).toEqual(['[1,"p 1"]', '[2,null]'])
  })
})
