/** RESTORE over both engines, as the reference is recorded to do it. */
import { cpSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'
import { LocalGround, sorted } from './local-ground.ts'

const WITH_VECTOR = ['bug-files', 'delta-rs/crates/test/tests/data/table-with-dv-small'] as const
const missing = sharedMissing(...WITH_VECTOR)
if (missing !== undefined) console.log(`skipped: ${missing}`)

const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each([
  ['duckdb', duckdbEngine],
  ['js', jsEngine],
] as const)('RESTORE on the engine %s', (_, openEngine) => {
  let ground: LocalGround
  beforeEach(() => {
    ground = new LocalGround(openEngine())
  })
  afterEach(() => ground.close())

  test('brings rows, columns and properties back, and never a lower protocol (UP-28)', async () => {
    await ground.sql("CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('custom.key' = 'one')")
    await ground.sql('INSERT INTO $T VALUES (1), (2)')
    await ground.sql('ALTER TABLE $T ADD COLUMN (v STRING)')
    await ground.sql("INSERT INTO $T VALUES (3, 'x')")
    await ground.sql('DELETE FROM $T WHERE id < 3')
    await ground.sql("ALTER TABLE $T SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'custom.key' = 'two')")
    const [counts] = await ground.sql('RESTORE TABLE $T TO VERSION AS OF 1')
    expect(JSON.parse(counts!)).toMatchObject({
      num_of_files_after_restore: 1,
      num_removed_files: 1,
      num_restored_files: 1,
    })
    const table = await ground.table('t')
    expect(await sorted(table)).toEqual(['{"id":1}', '{"id":2}'])
    const { configuration, protocol, schema } = await table.describe()
    expect([...configuration]).toEqual([['custom.key', 'one']])
    expect(schema.fields.map(({ name }) => name)).toEqual(['id'])
    expect(protocol.minWriterVersion === 4 || protocol.writerFeatures?.includes('changeDataFeed')).toBe(true)
    expect(protocol.readerFeatures).toBeUndefined()
    const [last] = await table.history(1)
    expect(last).toMatchObject({
      operation: 'RESTORE',
      operationParameters: { version: '1', timestamp: null },
      isolationLevel: 'Serializable',
      isBlindAppend: false,
      operationMetrics: { numRestoredFiles: '1', numRemovedFiles: '1', numOfFilesAfterRestore: '1' },
    })
    await ground.sql('RESTORE TABLE $T TO VERSION AS OF 5')
    expect(await sorted(table)).toEqual(['{"id":3,"v":"x"}'])
    expect((await table.describe()).configuration.get('custom.key')).toBe('two')
  })

  test('refuses versions and times that are not there; the newest one is there already', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    const version = 'DELTA_CANNOT_RESTORE_TABLE_VERSION'
    await expect(ground.sql('RESTORE TABLE $T TO VERSION AS OF 99')).rejects.toMatchObject({
      code: version,
      sqlState: '22003',
      details: { version: 99, earliest: 0, latest: 1 },
    })
    await ground.sql('RESTORE TABLE $T TO VERSION AS OF 1')
    await expect(ground.sql("RESTORE TABLE $T TO TIMESTAMP AS OF '2001-01-01'")).rejects.toEqual(
      code('DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER'),
    )
    await expect(ground.sql("RESTORE TABLE $T TO TIMESTAMP AS OF '2999-01-01'")).rejects.toEqual(
      code('DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER'),
    )
    expect(await (await ground.table('t')).version()).toBe(1)
  })

  test('says which files are gone, and goes on where it is told to', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    const [file] = ground.files()
    await ground.sql('DELETE FROM $T')
    renameSync(join(ground.path('t'), file!), join(ground.path('t'), '.away'))
    const table = await ground.table('t')
    await expect(table.restoreToVersion(1)).rejects.toMatchObject({
      code: 'LAKE_RESTORE_MISSING_FILES',
      details: { files: [file], count: 1 },
    })
    expect(await table.version()).toBe(2)
    expect((await table.restoreToVersion(1, { ignoreMissingFiles: true })).version).toBe(3)
    renameSync(join(ground.path('t'), '.away'), join(ground.path('t'), file!))
    expect(await sorted(table)).toEqual(['{"id":1}'])
  })

  test('a plan changes nothing', async () => {
    await ground.sql('CREATE TABLE $T (id INT) USING delta')
    await ground.sql('INSERT INTO $T VALUES (1)')
    await ground.sql('INSERT INTO $T VALUES (2)')
    const table = await ground.table('t')
    const plan = await table.restoreToVersion(1, { dryRun: true })
    expect(plan).toMatchObject({ version: null, restored: 1, metrics: { numRemovedFiles: 1, numRestoredFiles: 0 } })
    expect(await table.version()).toBe(2)
  })

  test('rows that vectors hide come back: a file with another vector is another file', async () => {
    await ground.sql("CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    await ground.sql('INSERT INTO $T VALUES (1), (2), (3)')
    await ground.sql('DELETE FROM $T WHERE id = 2')
    const table = await ground.table('t')
    const { metrics } = await table.restoreToVersion(1)
    expect(metrics).toMatchObject({ numRemovedFiles: 1, numRestoredFiles: 1 })
    expect(await sorted(table)).toEqual(['{"id":1}', '{"id":2}', '{"id":3}'])
    const { actions } = await table.commit(3)
    expect(actions.some((action) => 'add' in action && action.add.deletionVector === undefined)).toBe(true)
    expect(actions.some((action) => 'remove' in action && action.remove.deletionVector !== undefined)).toBe(true)
    await table.restoreToVersion(2)
    expect(await sorted(table)).toEqual(['{"id":1}', '{"id":3}'])
  })

  test.skipIf(missing !== undefined)('UP-29: a table that Spark deleted rows of by a vector', async () => {
    cpSync(sharedPath(...WITH_VECTOR), ground.path('t'), { recursive: true })
    const table = await ground.table('t')
    expect(await table.count()).toBe(8)
    const { metrics } = await table.restoreToVersion(0)
    expect(metrics).toMatchObject({ numRemovedFiles: 1, numRestoredFiles: 1 })
    expect(await table.count()).toBe(10)
    const { actions } = await table.commit(2)
    expect(actions.flatMap((action) => ('add' in action ? [action.add.deletionVector] : []))).toEqual([undefined])
    expect(
      actions.flatMap((action) => ('remove' in action ? [action.remove.deletionVector !== undefined] : [])),
    ).toEqual([true])
  })

  test('an append-only table can be restored; ids and numbers given out are never given out again', async () => {
    await ground.sql(`CREATE TABLE $T (n BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 1), v INT) USING delta
      TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.appendOnly' = 'true')`)
    await ground.sql('INSERT INTO $T (v) VALUES (1), (2)')
    await ground.sql('INSERT INTO $T (v) VALUES (3)')
    const table = await ground.table('t')
    await table.restoreToVersion(1)
    await ground.sql('INSERT INTO $T (v) VALUES (4)')
    expect(await sorted(table)).toEqual(['{"n":"1","v":1}', '{"n":"2","v":2}', '{"n":"4","v":4}'])
    const ids = (await table.rows({ rowIds: true })).map((row) => row['_metadata.row_id'])
    expect(ids.map(String).sort()).toEqual(['0', '1', '3'])
  })

  test('columns added after a restore get ids that no column had', async () => {
    await ground.sql("CREATE TABLE $T (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    await ground.sql('INSERT INTO $T VALUES (1)')
    await ground.sql('ALTER TABLE $T ADD COLUMN (b INT)')
    await ground.sql('INSERT INTO $T VALUES (2, 3)')
    const table = await ground.table('t')
    await table.restoreToVersion(1)
    await ground.sql('ALTER TABLE $T ADD COLUMN (c INT)')
    const { fields } = await table.schema()
    expect(fields.map(({ metadata }) => Number(metadata['delta.columnMapping.id']))).toEqual([1, 3])
  })

  test('clustering comes and goes with the version', async () => {
    await ground.sql('CREATE TABLE $T (a INT, b INT) USING delta CLUSTER BY (a)')
    await ground.sql('INSERT INTO $T VALUES (1, 1)')
    await ground.sql('ALTER TABLE $T CLUSTER BY (b)')
    const table = await ground.table('t')
    await table.restoreToVersion(1)
    expect((await table.detail()).clusteringColumns).toEqual(['a'])
  })
})
