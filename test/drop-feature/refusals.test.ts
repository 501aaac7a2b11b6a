/** What DROP FEATURE refuses before it writes anything: code, state and what to do. */
import { afterAll, describe, expect, test } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { TableInMemory } from './table-in-memory.ts'

const engine = jsEngine()
afterAll(() => engine.close())

async function tableOf(...statements: string[]): Promise<TableInMemory> {
  const table = new TableInMemory(engine)
  await table.run(...statements)
  return table
}

const PLAIN = `CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true',
  'delta.enableRowTracking' = 'true', 'delta.feature.allowColumnDefaults' = 'supported')`

describe('of a table that has change data feed and row tracking', () => {
  test.each([
    ['noSuchFeature', 'DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', '0AKDC'],
    ['`collations-preview`', 'DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', '0AKDC'],
    ['deletionVectors', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['deletionVectors TRUNCATE HISTORY', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ["'deletionVectors'", 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['columnMapping', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['checkConstraints', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['typeWidening', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['`typeWidening-preview`', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['v2Checkpoint', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['catalogManaged', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['checkpointProtection', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['checkpointProtection TRUNCATE HISTORY', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['ROWTRACKING', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', '55000'],
    ['changeDataFeed', 'DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE', '0AKDC'],
    ['appendOnly', 'DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE', '0AKDC'],
    ['invariants', 'DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE', '0AKDC'],
    ['allowColumnDefaults', 'DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE', '0AKDC'],
    ['`delta.enableChangeDataFeed`', 'DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY', '42000'],
    ['`DELTA.enablechangedatafeed`', 'DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY', '42000'],
    ['domainMetadata', 'DELTA_FEATURE_DROP_DEPENDENT_FEATURE', '55000'],
    ["'domainMetadata'", 'DELTA_FEATURE_DROP_DEPENDENT_FEATURE', '55000'],
    ['rowTracking TRUNCATE HISTORY', 'DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED', '42000'],
  ])('%s is refused with %s', async (feature, code, sqlState) => {
    const table = await tableOf(PLAIN)
    const refused = await table.refusal(`ALTER TABLE $T DROP FEATURE ${feature}`)
    expect([refused.code, refused.sqlState]).toEqual([code, sqlState])
    expect(await table.versions()).toEqual([0])
    const [, name = '', how] = /^[`']?([^`' ]+)[`']?( TRUNCATE HISTORY)?$/.exec(feature)!
    const planned = await table
      .table()
      .planDropFeature(name, { truncateHistory: how !== undefined })
      .catch((error: { code?: string }) => error.code)
    expect(planned).toBe(code)
  })

  test('and the message names what it is about', async () => {
    const table = await tableOf(PLAIN)
    const message = async (feature: string) => {
      const { message: what, remedy } = await table.refusal(`ALTER TABLE $T DROP FEATURE ${feature}`)
      return remedy === undefined ? what : `${what}; ${remedy}`
    }
    expect(await message('deletionVectors')).toBe(
      'the table /t does not have the feature deletionVectors; it has: ' +
        'allowColumnDefaults, appendOnly, changeDataFeed, domainMetadata, invariants, rowTracking',
    )
    expect(await message('domainMetadata')).toBe('domainMetadata is needed by rowTracking; drop those first')
    expect(await message('appendOnly')).toBe('the feature appendOnly cannot be dropped')
    expect(await message('`delta.enableChangeDataFeed`')).toBe(
      'delta.enableChangeDataFeed is a table property, not a feature; ' +
        'unset it with ALTER TABLE … UNSET TBLPROPERTIES',
    )
  })
})

test('a table that is not there has no features', async () => {
  const refused = await new TableInMemory(engine).refusal('ALTER TABLE $T DROP FEATURE deletionVectors')
  expect([refused.code, refused.sqlState]).toEqual(['DELTA_MISSING_DELTA_TABLE', '42P01'])
})

test('constraints that are left keep checkConstraints', async () => {
  const table = await tableOf(
    "CREATE TABLE $T (id INT, v STRING) USING delta TBLPROPERTIES ('delta.feature.checkConstraints' = 'supported')",
    'ALTER TABLE $T ADD CONSTRAINT c1 CHECK (id > 0)',
    "ALTER TABLE $T ADD CONSTRAINT `c two` CHECK (v <> 'x')",
  )
  const refused = await table.refusal('ALTER TABLE $T DROP FEATURE checkConstraints')
  expect([refused.code, refused.sqlState]).toEqual(['DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE', '0AKDE'])
  expect(refused.remedy).toBe('drop these first: c1, c two')
  expect(await table.versions()).toEqual([0, 1, 2])
})

test('names that only mapping allows keep columnMapping, at any depth', async () => {
  const table = await tableOf(
    "CREATE TABLE $T (id INT, `bad name` STRING, s STRUCT<`a;b`: INT, `back``tick`: INT>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
  )
  for (const how of ['', ' TRUNCATE HISTORY']) {
    const refused = await table.refusal(`ALTER TABLE $T DROP FEATURE columnMapping${how}`)
    expect([refused.code, refused.sqlState]).toEqual([
      'DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING',
      '42K05',
    ])
    expect(refused.message).toContain('bad name')
    expect(refused.message).toContain('a;b')
    expect(refused.message).not.toContain('tick')
  }
  expect(await table.versions()).toEqual([0])
})

test('features that types or clustering need are not dropped', async () => {
  const table = await tableOf(
    'CREATE TABLE $T (id BIGINT GENERATED ALWAYS AS IDENTITY, n TIMESTAMP_NTZ, v VARIANT, a INT, g INT GENERATED ALWAYS AS (a + 1)) USING delta CLUSTER BY (a)',
  )
  const features = ['timestampNtz', 'variantType', 'identityColumns', 'clustering']
  for (const feature of features) {
    const refused = await table.refusal(`ALTER TABLE $T DROP FEATURE ${feature}`)
    expect([feature, refused.code]).toEqual([feature, 'DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE'])
  }
  const refused = await table.refusal('ALTER TABLE $T DROP FEATURE domainMetadata')
  expect(refused.code).toBe('DELTA_FEATURE_DROP_DEPENDENT_FEATURE')
})

test('a handle that is pinned to a version changes nothing', async () => {
  const table = await tableOf(PLAIN)
  await expect(table.table().versionAsOf(0).dropFeatureSupport('rowTracking')).rejects.toMatchObject({
    code: 'LAKE_USAGE',
  })
})
