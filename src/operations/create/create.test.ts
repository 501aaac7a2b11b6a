import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../../engine/js/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import { formatType, type StructType } from '../../schema/index.ts'
import { memoryStore } from '../../storage/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../table/index.ts'

let tables: DeltaTables

beforeEach(() => {
  const store = memoryStore({ location: '/t' })
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  tables = deltaTables(() => backend)
})

const at = (kind: 'create' | 'createIfNotExists' | 'replace' | 'createOrReplace') => tables[kind]().location('/t')

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isDeltaError(error)) return `${error.code} ${error.sqlState}`
    throw error
  }
  return 'accepted'
}

async function told(table: DeltaTable): Promise<string> {
  const [newest] = await table.history(1)
  return `${newest!.operation} ${JSON.stringify(newest!.operationParameters)} ${newest!.isBlindAppend}`
}

const defaults = { 'delta.feature.allowColumnDefaults': 'supported' }

describe('columns declare', () => {
  test('defaults, generated values, numbers', async () => {
    const table = await at('create')
      .addColumn('id', 'BIGINT', { identity: { start: 10, step: -2, byDefault: true } })
      .addColumn('v', 'INT', { default: '1 + 2', comment: 'three' })
      .addColumn('w', 'VARCHAR(5)', { generatedAlwaysAs: "concat('n', v)" })
      .properties(defaults)
      .execute()
    await table.append([{ v: 1 }, {}])
    expect(await table.rows()).toEqual([
      { id: 10n, v: 1, w: 'n1' },
      { id: 8n, v: 3, w: 'n3' },
    ])
    const { tableFeatures } = await table.detail()
    expect(tableFeatures).toEqual([
      'allowColumnDefaults',
      'appendOnly',
      'generatedColumns',
      'identityColumns',
      'invariants',
    ])
  })

  test.each([
    [
      'a default without the feature',
      { default: '5' },
      'INT',
      {},
      'WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED 0AKDE',
    ],
    ['a text for a number', { default: "'x'" }, 'INT', defaults, 'INVALID_DEFAULT_VALUE.DATA_TYPE 42623'],
    ['a number out of range', { default: '300' }, 'TINYINT', defaults, 'INVALID_DEFAULT_VALUE.DATA_TYPE 42623'],
    ['a quotient for a whole number', { default: '1/0' }, 'INT', defaults, 'INVALID_DEFAULT_VALUE.DATA_TYPE 42623'],
    ['a column as a default', { default: 'id' }, 'INT', defaults, 'INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION 42623'],
    ['a date as text', { default: "'2020-01-01'" }, 'DATE', defaults, 'accepted'],
    ['the day of the write', { default: 'current_date()' }, 'DATE', defaults, 'accepted'],
    ['a longer number', { default: '5L' }, 'INT', defaults, 'accepted'],
    [
      'BETWEEN',
      { generatedAlwaysAs: 'a BETWEEN 1 AND 2' },
      'BOOLEAN',
      {},
      'DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN 42621',
    ],
    [
      'what BETWEEN stands for',
      { generatedAlwaysAs: 'a >= 1 AND a <= 2 OR zz' },
      'BOOLEAN',
      {},
      'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703',
    ],
    ['an unknown column', { generatedAlwaysAs: 'zz + 1' }, 'INT', {}, 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    [
      'a narrower expression',
      { generatedAlwaysAs: 'a + 1' },
      'BIGINT',
      {},
      'DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH 42K09',
    ],
    ['another type', { generatedAlwaysAs: "'5'" }, 'INT', {}, 'UNSUPPORTED_EXPRESSION_GENERATED_COLUMN 42621'],
    ['chance', { generatedAlwaysAs: 'rand()' }, 'DOUBLE', {}, 'UNSUPPORTED_EXPRESSION_GENERATED_COLUMN 42621'],
    ['a subquery', { generatedAlwaysAs: '(SELECT 1)' }, 'INT', {}, 'UNSUPPORTED_EXPRESSION_GENERATED_COLUMN 42621'],
    ['itself', { generatedAlwaysAs: 'g + 1' }, 'INT', {}, 'UNSUPPORTED_EXPRESSION_GENERATED_COLUMN 42621'],
    ['numbers that are no BIGINT', { identity: {} }, 'INT', {}, 'DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE 428H2'],
    ['numbers that stand still', { identity: { step: 0 } }, 'BIGINT', {}, 'IDENTITY_COLUMNS_ILLEGAL_STEP 42611'],
  ] as const)('%s', async (_, options, type, properties, outcome) => {
    const builder = at('create').addColumns('id INT, a INT').addColumn('g', type, options).properties(properties)
    expect(await refusal(builder.execute())).toBe(outcome)
    expect(await tables.isDeltaTable('/t')).toBe(outcome === 'accepted')
  })

  test('no partitioning by numbers of the table', async () => {
    const builder = at('create').addColumn('id', 'BIGINT', { identity: {} }).addColumn('v', 'INT').partitionedBy('ID')
    expect(await refusal(builder.execute())).toBe('DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED 42601')
  })
})

describe('a new table', () => {
  test('is clustered by the names its files have', async () => {
    const builder = at('create').addColumns('id INT, st STRUCT<x: INT>').clusterBy('id', 'ST.X')
    const table = await builder.property('delta.columnMapping.mode', 'name').execute()
    const { clusteringColumns, tableFeatures } = await table.detail()
    expect({ clusteringColumns, tableFeatures }).toEqual({
      clusteringColumns: ['id', 'st.x'],
      tableFeatures: ['appendOnly', 'clustering', 'columnMapping', 'domainMetadata', 'invariants'],
    })
    expect(await told(table)).toBe(
      'CREATE TABLE {"partitionBy":"[]","clusterBy":"[\\"id\\",\\"st.x\\"]","description":null,"isManaged":"false",' +
        '"properties":"{\\"delta.columnMapping.mode\\":\\"name\\",\\"delta.columnMapping.maxColumnId\\":\\"3\\"}"} true',
    )
  })

  test('has rows from the start', async () => {
    const table = await at('create')
      .asRows([{ id: 1, v: 'x' }])
      .partitionedBy('v')
      .comment('by rows')
      .execute()
    expect(await table.rows()).toEqual([{ id: 1n, v: 'x' }])
    expect(await table.version()).toBe(0)
    expect(await told(table)).toMatch(/^CREATE TABLE AS SELECT \{"partitionBy":"\[\\"v\\"\]"/)
    expect((await table.history(1))[0]!.operationMetrics).toMatchObject({ numFiles: '1', numOutputRows: '1' })
  })

  test.each([
    [{ 'delta.feature.clustering': 'supported' }, 'DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED 42000'],
    [{ 'delta.feature.catalogManaged': 'supported' }, 'DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION 0AKDC'],
    [{ 'delta.feature.noSuchFeature': 'supported' }, 'DELTA_UNSUPPORTED_FEATURES_IN_CONFIG 56038'],
    [{ 'delta.noSuch': '1' }, 'DELTA_UNKNOWN_CONFIGURATION F0000'],
  ])('is refused with %j', async (properties, code) => {
    const builder = at('create')
      .addColumns('id INT')
      .properties(properties as Record<string, string>)
    expect(await refusal(builder.execute())).toBe(code)
    expect(await tables.isDeltaTable('/t')).toBe(false)
  })

  test('is refused where clustering and partitioning meet, or one is there', async () => {
    const both = at('create').addColumns('id INT, p INT').clusterBy('id').partitionedBy('p')
    expect(await refusal(both.execute())).toBe('DELTA_CLUSTER_BY_WITH_PARTITIONED_BY 42613')
    await at('create').addColumns('id INT').execute()
    expect(await refusal(at('create').addColumns('id INT').execute())).toBe('DELTA_TABLE_ALREADY_EXISTS 42P07')
    const kept = await at('createIfNotExists').addColumns('other INT').execute()
    expect(await kept.version()).toBe(0)
  })
})

describe('a table in the place of another', () => {
  test('has its own schema, partitioning and properties; history and protocol are kept', async () => {
    const feed = { 'delta.enableChangeDataFeed': 'true', custom: 'a' }
    const first = await at('create').addColumns('id INT, v STRING').properties(feed).execute()
    await first.append([{ id: 1, v: 'a' }])
    const { id } = await first.detail()
    const replaced = at('createOrReplace').addColumns('x DATE, y INT').partitionedBy('y').property('custom', 'b')
    const table = await replaced.execute()
    expect(await told(table)).toBe(
      'CREATE OR REPLACE TABLE {"partitionBy":"[\\"y\\"]","clusterBy":"[]","description":null,"isManaged":"false",' +
        '"properties":"{\\"custom\\":\\"b\\"}"} false',
    )
    const detail = await table.detail()
    expect(detail).toMatchObject({ partitionColumns: ['y'], properties: { custom: 'b' }, numFiles: 0 })
    expect(detail.tableFeatures).toEqual(['appendOnly', 'changeDataFeed', 'invariants'])
    expect(detail.id).not.toBe(id)
    expect(await table.rows()).toEqual([])
    expect(await table.versionAsOf(1).rows()).toEqual([{ id: 1, v: 'a' }])
    await at('createOrReplace')
      .asRows([{ z: 5, w: 'q' }])
      .clusterBy('z')
      .execute()
    expect(await told(table)).toMatch(/^CREATE OR REPLACE TABLE AS SELECT .*"clusterBy":"\[\\"z\\"\]".* false$/)
    const mapped = at('replace')
      .asRows([{ 'a b': 1 }])
      .property('delta.columnMapping.mode', 'name')
    await mapped.execute()
    expect(await told(table)).toMatch(/^REPLACE TABLE AS SELECT .*maxColumnId/)
    expect(await table.detail()).toMatchObject({ clusteringColumns: [], minReaderVersion: 2, numFiles: 1 })
    expect(await table.rows()).toEqual([{ 'a b': 1n }])
    const schema = await table.schema()
    expect(schema.fields.map((f) => `${f.name} ${formatType(f.type)}`)).toEqual(['a b bigint'])
  })

  test('must be there for replace, and is made by createOrReplace', async () => {
    expect(await refusal(at('replace').addColumns('id INT').execute())).toBe('TABLE_OR_VIEW_NOT_FOUND 42P01')
    const table = await at('createOrReplace').addColumns('id INT').execute()
    expect(await told(table)).toMatch(/^CREATE OR REPLACE TABLE .* true$/)
  })

  test('a refused replacement leaves the table as it is', async () => {
    const table = await at('create').addColumns('id INT').execute()
    expect(await refusal(at('replace').addColumns('a INT, A INT').execute())).toBe('COLUMN_ALREADY_EXISTS 42711')
    expect(await table.version()).toBe(0)
  })

  test('columns that come back keep their ids, new ids go on behind those given out', async () => {
    const mapped = { 'delta.columnMapping.mode': 'name' }
    const columns = 'a INT, b INT, st STRUCT<x: INT, y: INT>'
    const table = await at('create').addColumns(columns).properties(mapped).execute()
    const before = ids(await table.schema())
    await at('replace').addColumns('c INT, A INT, b BIGINT, st STRUCT<x: INT, z: INT>').properties(mapped).execute()
    expect(before).toEqual({ a: 1, b: 2, st: 3, 'st.x': 4, 'st.y': 5 })
    expect(ids(await table.schema())).toEqual({ c: 6, A: 1, b: 7, st: 8, 'st.x': 4, 'st.z': 9 })
  })

  test('goes on tracking its rows', async () => {
    const table = await at('create').addColumns('a INT').property('delta.enableRowTracking', 'true').execute()
    const before = (await table.detail()).properties
    await at('replace').addColumns('b INT').execute()
    expect((await table.detail()).properties).toEqual(before)
    await at('replace').addColumns('b INT').property('delta.enableRowTracking', 'false').execute()
    expect((await table.detail()).properties['delta.enableRowTracking']).toBe('false')
  })
})

describe('overwriteSchema', () => {
  test('gives ids to columns of another type, and leaves those that stay', async () => {
    const table = await at('create')
      .addColumns('id INT, v STRING')
      .property('delta.columnMapping.mode', 'name')
      .execute()
    await table.append([{ id: 1, v: 'x' }])
    await tables.write('/t', [{ id: 1, v: 5, n: 2 }], {
      mode: 'overwrite',
      overwriteSchema: true,
      schema: 'id INT, v INT, n INT',
      partitionBy: ['n'],
    })
    expect(ids(await table.schema())).toEqual({ id: 1, v: 3, n: 4 })
    expect(await table.rows()).toEqual([{ id: 1, v: 5, n: 2 }])
    expect(await table.versionAsOf(1).rows()).toEqual([{ id: 1, v: 'x' }])
  })
})

/** Column ids by path, two levels deep. */
function ids({ fields }: StructType, prefix = ''): Record<string, unknown> {
  return Object.assign(
    {},
    ...fields.map(({ name, type, metadata }) => ({
      [`${prefix}${name}`]: metadata['delta.columnMapping.id'],
      ...(type.kind === 'struct' && ids(type, `${name}.`)),
    })),
  )
}
